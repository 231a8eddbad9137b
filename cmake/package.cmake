# SPDX-License-Identifier: MIT
#
# A Debian package of all that is installed: `cpack -G DEB` in a build folder, or `make deb`.
# What was linked on one release runs on later ones, so it depends on nothing but libc, and on what
# `usermm inspect` needs.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME usermm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "usermm's maintainers <maintainers@usermm.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "The buddy page allocator with its GFP contexts,
slab caches, quicklists and a malloc that any program can be run under;
besides the headers and the library with which kernel sources run as
processes.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Programs and libraries without what debuggers want: a build has it. The script does the same
# to archives, and adds what Debian wants.
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_USERMM_STRIP ${CMAKE_STRIP})
set(triggers ${PROJECT_BINARY_DIR}/triggers)
file(CONFIGURE OUTPUT ${triggers} CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${triggers})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# What the libraries need is read from them. `usermm module` calls a compiler.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "binutils, cmake, pkgconf")
# Packages that link the libraries depend on this version or a later one. Not by CPack, which
# would name libusermm.so.0 once for the linker's file of that name and once for the loader's.
set(shlibs "")
foreach(name usermm usermm_core usermm_malloc usermm_kernel)
	string(APPEND shlibs "lib${name} ${PROJECT_VERSION_MAJOR} ${CPACK_PACKAGE_NAME} "
		"(>= ${PROJECT_VERSION})\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shlibs CONTENT "${shlibs}")
list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs)
install(FILES cmake/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
	RENAME usermm)
# The licences of all that is in the package.
file(READ LICENSE own_licence)
file(READ tools/report/page/uPlot.LICENSE uplot_licence)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/copyright @ONLY CONTENT
	"@own_licence@\nuPlot (share/usermm/report/uPlot.*):\n\n@uplot_licence@")
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(CPack)
