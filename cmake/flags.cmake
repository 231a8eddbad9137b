# SPDX-License-Identifier: MIT
#
# How everything is compiled: the target usermm_flags carries it.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# What is built for its tests alone has symbols and lines, for stacks in reports: all that a
# debugger wants takes a fifth of the time to compile, and more to link.
set(symbols -g)
if(USERMM_SANITIZE OR USERMM_TSAN OR USERMM_PERMUTED_GFP OR (USERMM_MUSL AND USERMM_TESTS))
	set(symbols -g1)
endif()
# No -DNDEBUG: assert() of the tests has to stay.
foreach(lang C CXX)
	set(CMAKE_${lang}_FLAGS_RELWITHDEBINFO "-O2 ${symbols}")
	set(CMAKE_${lang}_FLAGS_DEBUG "-O1 ${symbols} -fno-omit-frame-pointer")
endforeach()

# To exchange a byte on riscv64, gcc 12 calls libatomic. There its -pthread links that library for
# users of the archives.
include(CheckSourceCompiles)
check_source_compiles(C "static char byte;
int main(void) { return __atomic_exchange_n(&byte, 1, __ATOMIC_RELAXED); }" USERMM_EXCHANGES_BYTES)
if(NOT USERMM_EXCHANGES_BYTES)
	foreach(lang C CXX)
		string(APPEND CMAKE_${lang}_STANDARD_LIBRARIES
			" -Wl,--push-state,--as-needed,-latomic,--pop-state")
	endforeach()
endif()

# Stacks are read from unwind tables (src/os/stack.c), which gcc 12 leaves out of C on riscv64.
# Valgrind up to 3.19 (Debian 12) ends each process that has clang's DWARF 5, and reads gcc's.
add_library(usermm_flags INTERFACE)
target_compile_options(usermm_flags INTERFACE -fasynchronous-unwind-tables
	$<$<COMPILE_LANG_AND_ID:C,Clang>:-fdebug-default-version=4>
	$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fdebug-default-version=4>
	-Wall -Wextra -Wundef -Wvla -Wimplicit-fallthrough
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
	$<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
	$<$<BOOL:${USERMM_WERROR}>:-Werror>)
# What libusermm_kernel.so takes from the core, of the same version only (base/compiler.h).
set(private_prefix usermm_${PROJECT_VERSION}_)
# _GNU_SOURCE is empty, so that a file may define it as well; g++ has it built in.
target_compile_definitions(usermm_flags INTERFACE
	$<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE=>
	USERMM_DEBUG=$<CONFIG:Debug>
	USERMM_VERSION="${PROJECT_VERSION}"
	USERMM_PRIVATE_PREFIX="${private_prefix}")

if(USERMM_SANITIZE)
	# Variables in a section of their own have no red zones unless it is named; what is
	# aligned to pages has none in any.
	set(own_sections .bss.eager,.bss.large,.data..read_mostly)
	set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined
		$<$<COMPILE_LANG_AND_ID:C,GNU>:-fsanitize-sections=${own_sections}>)
	target_compile_options(usermm_flags INTERFACE ${sanitizers})
	target_link_options(usermm_flags INTERFACE ${sanitizers})
endif()

if(USERMM_TSAN)
	target_compile_options(usermm_flags INTERFACE -fsanitize=thread)
	target_link_options(usermm_flags INTERFACE -fsanitize=thread)
	target_compile_definitions(usermm_flags INTERFACE USERMM_RSEQ_IN_C)
endif()

if(USERMM_FUZZ)
	target_compile_options(usermm_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(USERMM_PERMUTED_GFP)
	target_compile_definitions(usermm_flags INTERFACE USERMM_PERMUTED_GFP)
endif()

if(USERMM_LINUX_SHEAVES)
	target_compile_definitions(usermm_flags INTERFACE USERMM_LINUX_SHEAVES=1)
endif()

# For the code that defines malloc: a call must stay what it looks like.
set(usermm_no_malloc_builtins
	-fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free)

# When C links an object made by C++, CMake adds what C++ would have: not here.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")

# libusermm.so is what programs are linked with, libusermm.so.0 what they load: nothing but the need
# for libusermm_core.so.0, which has all the names of the first. The loader takes what programs need
# themselves before what their libraries need, so libusermm_malloc.so, which has these names as
# well, comes before the core in whatever order the two were linked (docs/environment.md). The
# first is complete too, for those who load it by its name.
function(usermm_add_api_library)
	set(soname libusermm.so.${PROJECT_VERSION_MAJOR})
	add_library(usermm_core_shared SHARED)
	target_link_libraries(usermm_core_shared PRIVATE usermm_api_malloc usermm_core)
	set_target_properties(usermm_core_shared PROPERTIES OUTPUT_NAME usermm_core
		VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
	usermm_link_shared(usermm_core_shared)

	set(nothing ${PROJECT_BINARY_DIR}/CMakeFiles/nothing.c)
	file(CONFIGURE OUTPUT ${nothing} CONTENT "extern int nothing;\n")
	add_library(usermm_needed SHARED ${nothing})
	set_target_properties(usermm_needed PROPERTIES PREFIX "" SUFFIX "" NO_SONAME ON
		OUTPUT_NAME ${soname} INSTALL_RPATH "\$ORIGIN")
	target_link_options(usermm_needed PRIVATE -nostdlib -Wl,-soname,${soname}
		-Wl,-z,nodelete -Wl,-z,now -Wl,--no-as-needed)
	target_link_libraries(usermm_needed PRIVATE usermm_core_shared)

	add_library(usermm_shared SHARED)
	target_link_libraries(usermm_shared PRIVATE usermm_api_malloc usermm_core)
	target_include_directories(usermm_shared INTERFACE
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
		$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
	set_target_properties(usermm_shared PROPERTIES OUTPUT_NAME usermm EXPORT_NAME usermm
		NO_SONAME ON)
	usermm_link_shared(usermm_shared)
	target_link_options(usermm_shared PRIVATE -Wl,-soname,${soname} -Wl,--strip-debug)
	add_dependencies(usermm_shared usermm_needed)
	# A linker writes to what a symbolic link of that name leads to.
	foreach(target usermm_needed usermm_shared)
		add_custom_command(TARGET ${target} PRE_LINK
			COMMAND ${CMAKE_COMMAND} -E rm -f $<TARGET_FILE:${target}> VERBATIM)
	endforeach()
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/seldom.cmake)

# A shared library of ours: complete (defs), never unloaded (a thread may still
# point at one of its restartable sequences), bound at load time and then
# read-only, free of libgcc_s, initialised before other libraries (so that its
# fork handlers are the last to run before a fork), and calling itself directly,
# but for what src/malloc/interpose/new_interposed.list names. The variables that a starting process
# writes to lie on few pages only if sections are sorted (__eager_bss, __large_bss,
# __read_mostly).
function(usermm_link_shared target)
	target_link_options(${target} PRIVATE -static-libgcc -Wl,--sort-section=name
		-Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro
		-Wl,-z,initfirst -Wl,-Bsymbolic-functions
		$<$<BOOL:${USERMM_MOVES_SELDOM_CODE}>:-Wl,-T,${seldom_script}>)
	set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${seldom_script})
endfunction()
