# SPDX-License-Identifier: MIT
#
# Debian packages of what is installed: `cpack -G DEB` in a build folder, or `make deb`. There is
# one for each component (install.cmake):
#
#   usermm        what programs load, and the command. It needs libc alone
#   usermm-dev    what a compiler and a linker need
#   usermm-tools  `usermm inspect`, `top`, `profile`, `control`, which need libraries of others
#   usermm-doc    the documents
#
# What was linked on one release of Debian runs on later ones, so one set is for all of them.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME usermm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "usermm's maintainers <maintainers@usermm.invalid>")
# CPack would put one summary in front of the packages' own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What the libraries need is read from them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# usermm_package(COMPONENT NAME SECTION SUMMARY TEXT). Lintian warns of lines of the text that have
# more than 80 characters; CPack puts a space in front of each.
macro(usermm_package component name section summary text)
	list(APPEND CPACK_COMPONENTS_ALL usermm_${component})
	string(TOUPPER usermm_${component} upper)
	string(REPLACE ";" "," lines "${text}")
	string(REPLACE "\n" ";" lines "${lines}")
	foreach(line IN LISTS lines)
		string(LENGTH "${line}" length)
		if(length GREATER 79)
			message(FATAL_ERROR "The text of ${name} has a line of ${length} "
				"characters. Break it after at most 79: ${line}")
		endif()
	endforeach()
	set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
	set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
	set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
endmacro()
set(CPACK_COMPONENTS_ALL "")
usermm_package(runtime usermm libs "Linux's memory allocators as a user-space library"
	"The buddy page allocator with its GFP contexts, slab caches, quicklists and
a malloc that any program can be run under: the libraries, and the command
usermm, which runs programs on them and tells what they allocated.")
usermm_package(development usermm-dev libdevel
	"Linux's memory allocators as a user-space library: development files"
	"Headers and archives to build programs with usermm, and the headers with
which kernel sources are compiled to run as processes.")
usermm_package(tools usermm-tools utils
	"Linux's memory allocators as a user-space library: inspection tools"
	"What `usermm inspect`, `top`, `profile` and `control` run, to look into a
process or a core dump from outside; a script for gdb; a recorded load for
the command `usermm bench`.")
usermm_package(documentation usermm-doc doc
	"Linux's memory allocators as a user-space library: documents"
	"Guides for users, the design, benchmarks and examples.")

set(CPACK_DEBIAN_USERMM_RUNTIME_PACKAGE_SUGGESTS "usermm-dev, usermm-doc, usermm-tools")
set(same_version "usermm (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_USERMM_DEVELOPMENT_PACKAGE_DEPENDS "${same_version}, libc6-dev")
# `usermm module` calls a compiler.
set(CPACK_DEBIAN_USERMM_DEVELOPMENT_PACKAGE_RECOMMENDS gcc)
set(CPACK_DEBIAN_USERMM_DEVELOPMENT_PACKAGE_SUGGESTS "binutils, cmake, pkgconf, usermm-doc")
set(CPACK_DEBIAN_USERMM_TOOLS_PACKAGE_DEPENDS "${same_version}")
set(CPACK_DEBIAN_USERMM_DOCUMENTATION_PACKAGE_ARCHITECTURE all)

# Programs and libraries without what debuggers want: a build has it. The script does the same
# to archives, and adds what Debian wants.
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_USERMM_STRIP ${CMAKE_STRIP})
set(CPACK_USERMM_COPYRIGHT ${PROJECT_BINARY_DIR}/copyright)
set(CPACK_USERMM_OVERRIDES ${PROJECT_SOURCE_DIR}/cmake/lintian)

set(triggers ${PROJECT_BINARY_DIR}/triggers)
file(CONFIGURE OUTPUT ${triggers} CONTENT "activate-noawait ldconfig\n")
# Packages that link the libraries depend on this version or a later one. Not by CPack, which
# would name libusermm.so.0 once for the linker's file of that name and once for the loader's.
set(shlibs "")
foreach(name usermm usermm_core usermm_malloc usermm_kernel)
	string(APPEND shlibs "lib${name} ${PROJECT_VERSION_MAJOR} ${CPACK_PACKAGE_NAME} "
		"(>= ${PROJECT_VERSION})\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shlibs CONTENT "${shlibs}")
set(CPACK_DEBIAN_USERMM_RUNTIME_PACKAGE_CONTROL_EXTRA ${triggers} ${PROJECT_BINARY_DIR}/shlibs)
include(CPack)
