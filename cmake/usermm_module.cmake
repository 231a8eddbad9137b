# SPDX-License-Identifier: MIT
#
# Kernel sources as a program, for projects that use CMake:
#
#	usermm_add_module(NAME FILE.c... [LINUX VERSION])
#
# adds an executable that runs the module: parameters are its arguments (name=value),
# its exit status is that of the program of `usermm module`. It needs the target
# usermm::kernel, which usermm's own build has and an installed usermm brings with
# find_package(usermm).
function(usermm_add_module name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "LINUX" "")
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE usermm::kernel)
	target_compile_definitions(${name} PRIVATE __KERNEL__=1 MODULE=1)
	set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
	target_compile_options(${name} PRIVATE -fno-strict-aliasing -fno-strict-overflow
		-fno-delete-null-pointer-checks -fno-optimize-sibling-calls -funsigned-char
		-Wno-pointer-sign -Wno-attributes -Werror=implicit-function-declaration
		-Werror=implicit-int)
	# A function of the module's that has the name of one of libc's is its own: no library
	# may call it. By patterns, since some linkers refuse names that are not defined.
	set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.exports)
	file(CONFIGURE OUTPUT ${exports}
		CONTENT "{ global: [i]nit_module; [c]leanup_module; local: *; };\n")
	target_link_options(${name} PRIVATE LINKER:--version-script=${exports})
	if(arg_LINUX)
		string(REPLACE "." ";" parts ${arg_LINUX})
		list(GET parts 0 major)
		list(GET parts 1 minor)
		set(patch 0)
		list(LENGTH parts nr_parts)
		if(nr_parts GREATER 2)
			list(GET parts 2 patch)
		endif()
		math(EXPR code "(${major} << 16) + (${minor} << 8) + ${patch}")
		target_compile_definitions(${name} PRIVATE LINUX_VERSION_CODE=${code})
	endif()
	foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
		cmake_path(GET source STEM LAST_ONLY stem)
		string(REPLACE "-" "_" stem ${stem})
		set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
			KBUILD_MODNAME="${stem}" KBUILD_BASENAME="${stem}")
	endforeach()
endfunction()
