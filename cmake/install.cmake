# SPDX-License-Identifier: MIT

set(libraries usermm_shared usermm_malloc)
if(TARGET usermm_kernel)
	list(APPEND libraries usermm_kernel)
endif()
install(TARGETS ${libraries})
if(TARGET usermm)
	install(TARGETS usermm)
	install(FILES ${compile_trace} DESTINATION ${CMAKE_INSTALL_DATADIR}/usermm)
endif()
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/usermm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Behind our own name: nothing else may find a linux/slab.h in the system's folder.
install(DIRECTORY include/kernel include/mm
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/usermm)
install(FILES docs/KERNEL-HEADERS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
configure_file(cmake/usermm.pc.in usermm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/usermm.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
