# SPDX-License-Identifier: MIT

set(libraries usermm_shared usermm_malloc)
install(TARGETS usermm_core_shared LIBRARY NAMELINK_SKIP)
install(TARGETS usermm_needed LIBRARY)
if(TARGET usermm_kernel)
	list(APPEND libraries usermm_kernel)
endif()
install(TARGETS ${libraries} EXPORT usermm-targets)
if(TARGET usermm)
	install(TARGETS usermm)
	if(TARGET usermm-inspect)
		install(TARGETS usermm-inspect DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/usermm)
		# gdb loads it with the library. Below auto-load is the library's whole path, which
		# is known when it is installed.
		set(auto_load ${CMAKE_INSTALL_DATADIR}/gdb/auto-load)
		foreach(name core malloc)
			install(FILES tools/gdb/usermm.gdb.py
				RENAME libusermm_${name}.so.${PROJECT_VERSION}-gdb.py DESTINATION
				"${auto_load}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")
		endforeach()
	endif()
	install(FILES ${compile_trace} DESTINATION ${CMAKE_INSTALL_DATADIR}/usermm)
endif()
if(TARGET usermm)
	# What `usermm report` makes its page of.
	install(DIRECTORY tools/report/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/usermm/report)
endif()
if(TARGET usermm_pages)
	foreach(section 1 3 7)
		install(DIRECTORY ${pages_folder}/man${section} DESTINATION ${CMAKE_INSTALL_MANDIR})
	endforeach()
	# Where each shell looks by itself.
	install(DIRECTORY ${pages_folder}/bash/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
	install(DIRECTORY ${pages_folder}/zsh/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
	install(DIRECTORY ${pages_folder}/fish/
		DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES ${archive} ${malloc_archive} ${malloc_object} DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET usermm_kernel_static)
	install(FILES ${kernel_archive} ${kernel_script} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/usermm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Behind our own name: nothing else may find a linux/slab.h in the system's folder.
install(DIRECTORY include/kernel include/mm
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/usermm)
install(FILES docs/kernel-headers.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# For find_package(usermm): usermm::usermm, usermm::kernel, usermm_add_module().
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/usermm)
install(EXPORT usermm-targets NAMESPACE usermm:: DESTINATION ${package_folder})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/usermm-config-version.cmake
	COMPATIBILITY SameMajorVersion)
install(FILES cmake/usermm-config.cmake cmake/usermm_module.cmake
	${PROJECT_BINARY_DIR}/usermm-config-version.cmake DESTINATION ${package_folder})
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
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
	include(cmake/package.cmake)
endif()
