# SPDX-License-Identifier: MIT
#
# The bindings for other languages, by those languages' own tests.

# The API and the malloc layer, whose functions have the names that bindings call them by:
# usermm_malloc() and so on. cf. bindings/rust/usermm-sys/build/bundled.rs
set(bindings_sources ${malloc_sources})
list(FILTER bindings_sources EXCLUDE REGEX "/interpose/[^/]+$|/mallctl\\.c$|/linked\\.c$")
set(bindings_names malloc calloc realloc reallocarray free free_sized free_aligned_sized memalign
	aligned_alloc posix_memalign valloc pvalloc)
list(TRANSFORM bindings_names REPLACE "(.+)" "\\1=usermm_\\1")
list(APPEND bindings_names malloc_usable_size=usermm_usable_size
	malloc_trim=usermm_malloc_trim)
add_library(bindings_malloc OBJECT ${bindings_sources})
target_compile_definitions(bindings_malloc PRIVATE USERMM_TESTED_MALLOC ${bindings_names})
target_compile_options(bindings_malloc PRIVATE ${usermm_no_malloc_builtins})
target_link_libraries(bindings_malloc PUBLIC usermm_core)

set(bindings_folder ${PROJECT_BINARY_DIR}/tests/bindings)
set(bindings_archive ${bindings_folder}/libusermm.a)
set(bindings_object ${bindings_folder}/usermm.o)
file(MAKE_DIRECTORY ${bindings_folder})
add_custom_command(OUTPUT ${bindings_archive} BYPRODUCTS ${bindings_object}
	COMMAND ${CMAKE_LINKER} -r -o ${bindings_object} $<TARGET_OBJECTS:bindings_malloc>
		${archive_parts}
	COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${bindings_object}
	COMMAND ${CMAKE_COMMAND} -E rm -f ${bindings_archive}
	COMMAND ${CMAKE_AR} rcs ${bindings_archive} ${bindings_object}
	DEPENDS bindings_malloc $<TARGET_OBJECTS:bindings_malloc> usermm_core
		usermm_archives_only ${archive_parts}
	COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(bindings_library ALL DEPENDS ${bindings_archive})

# With cargo alone; `make test-rust` has the whole.
add_test(NAME bindings/rust
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bindings/run_rust.py
		--library ${bindings_folder})
set_tests_properties(bindings/rust PROPERTIES TIMEOUT 900 COST 20 SKIP_RETURN_CODE 77
	ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
