# SPDX-License-Identifier: MIT
#
# What is installed, and where. Each file belongs to one of four components, which are Debian's
# packages (package.cmake); `cmake --install build --component NAME` installs one of them:
#
#   usermm_runtime        what programs load, and the command
#   usermm_development    what a compiler and a linker need
#   usermm_tools          `usermm inspect` and three more commands, gdb's script, the recorded load
#   usermm_documentation  this project's documents

# usermm_install_library(TARGET [ARGUMENT...]): the name that a linker looks for is for development.
function(usermm_install_library target)
	install(TARGETS ${target} ${ARGN} LIBRARY COMPONENT usermm_runtime
		NAMELINK_COMPONENT usermm_development)
endfunction()
install(TARGETS usermm_core_shared LIBRARY COMPONENT usermm_runtime NAMELINK_SKIP)
install(TARGETS usermm_needed LIBRARY COMPONENT usermm_runtime)
install(TARGETS usermm_shared EXPORT usermm-targets LIBRARY COMPONENT usermm_development)
usermm_install_library(usermm_malloc EXPORT usermm-targets)
if(TARGET usermm_kernel)
	usermm_install_library(usermm_kernel EXPORT usermm-targets)
	install(TARGETS usermm_module_files LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
		COMPONENT usermm_development)
endif()

if(TARGET usermm)
	install(TARGETS usermm RUNTIME COMPONENT usermm_runtime)
	# What `usermm report` and `usermm profile` make their pages of.
	install(DIRECTORY tools/report/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/usermm/report
		COMPONENT usermm_runtime)
	install(FILES ${compile_trace} DESTINATION ${CMAKE_INSTALL_DATADIR}/usermm
		COMPONENT usermm_tools)
endif()
if(TARGET usermm-inspect)
	install(TARGETS usermm-inspect DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/usermm
		COMPONENT usermm_tools)
	# gdb loads it with the library. Below auto-load is the library's whole path, which is
	# known when it is installed.
	set(auto_load ${CMAKE_INSTALL_DATADIR}/gdb/auto-load)
	foreach(name core malloc)
		install(FILES tools/gdb/usermm.gdb.py
			RENAME libusermm_${name}.so.${PROJECT_VERSION}-gdb.py DESTINATION
			"${auto_load}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}"
			COMPONENT usermm_tools)
	endforeach()
endif()
if(TARGET usermm_pages)
	foreach(section 1 7)
		install(DIRECTORY ${pages_folder}/man${section} DESTINATION ${CMAKE_INSTALL_MANDIR}
			COMPONENT usermm_runtime)
	endforeach()
	install(DIRECTORY ${pages_folder}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR}
		COMPONENT usermm_development)
	# Where each shell looks by itself.
	install(DIRECTORY ${pages_folder}/bash/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
		COMPONENT usermm_runtime)
	install(DIRECTORY ${pages_folder}/zsh/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT usermm_runtime)
	install(DIRECTORY ${pages_folder}/fish/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
		COMPONENT usermm_runtime)
endif()

install(FILES ${archive} ${malloc_archive} ${malloc_object} DESTINATION ${CMAKE_INSTALL_LIBDIR}
	COMPONENT usermm_development)
if(TARGET usermm_kernel_static)
	install(FILES ${kernel_archive} ${kernel_script} DESTINATION ${CMAKE_INSTALL_LIBDIR}
		COMPONENT usermm_development)
endif()
install(DIRECTORY include/usermm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	COMPONENT usermm_development)
# Behind our own name: nothing else may find a linux/slab.h in the system's folder.
install(DIRECTORY include/kernel include/mm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/usermm
	COMPONENT usermm_development)
# `usermm module` names it where a module wants what is not there.
install(FILES docs/kernel-headers.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
	COMPONENT usermm_development)
# For find_package(usermm): usermm::usermm, usermm::kernel, usermm_add_module().
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/usermm)
install(EXPORT usermm-targets NAMESPACE usermm:: DESTINATION ${package_folder}
	COMPONENT usermm_development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/usermm-config-version.cmake
	COMPATIBILITY SameMajorVersion)
install(FILES cmake/usermm-config.cmake cmake/usermm_module.cmake
	${PROJECT_BINARY_DIR}/usermm-config-version.cmake DESTINATION ${package_folder}
	COMPONENT usermm_development)
# Seen from where it lies, so that `cmake --install --prefix` may choose another place.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(pc_names usermm)
if(TARGET usermm_malloc)
	list(APPEND pc_names usermm_malloc)
endif()
foreach(pc_name ${pc_names})
	set(pc_variable "")
	set(pc_libs "-l${pc_name}")
	if(pc_name STREQUAL "usermm_malloc")
		# For `pkg-config --variable=object usermm_malloc`: all of malloc, or none of it;
		# `--variable=archive` is for programs that are linked dynamically but for that.
		# A program that calls no function of malloc's by itself has it, too
		# (src/malloc/linked.c), also where libraries are linked as needed.
		set(pc_wanted "-Wl,-u,usermm_malloc_linked")
		set(pc_variable "object=\${libdir}/usermm_malloc.o\n")
		string(APPEND pc_variable "archive=${pc_wanted} \${libdir}/libusermm_malloc.a\n")
		string(PREPEND pc_libs "${pc_wanted} -Wl,--push-state,--no-as-needed ")
		string(APPEND pc_libs " -Wl,--pop-state")
	endif()
	configure_file(cmake/usermm.pc.in ${pc_name}.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT usermm_development)
endforeach()

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT usermm_documentation)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
	COMPONENT usermm_documentation)
# The licences of all that is installed.
file(READ LICENSE own_licence)
file(READ tools/report/page/uPlot.LICENSE uplot_licence)
file(READ tools/report/page/d3.LICENSE d3_licence)
# The text of the Apache licence is Debian's own copy.
string(CONCAT licences
	"@own_licence@\nuPlot (share/usermm/report/uPlot.*):\n\n@uplot_licence@\n\n"
	"d3 (share/usermm/report/d3.min.js):\n\n@d3_licence@\n\n"
	"d3-flame-graph (share/usermm/report/d3-flamegraph.umd.min.js):\n\n"
	"Licensed under the Apache License, Version 2.0, which is in\n"
	"/usr/share/common-licenses/Apache-2.0 and beside the file.\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/copyright @ONLY CONTENT ${licences})
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
	COMPONENT usermm_runtime)

if(PROJECT_IS_TOP_LEVEL)
	include(cmake/package.cmake)
endif()
