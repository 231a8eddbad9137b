# SPDX-License-Identifier: MIT

install(TARGETS usermm_shared usermm_malloc)
if(TARGET usermm)
	install(TARGETS usermm)
endif()
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/usermm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/usermm.pc.in usermm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/usermm.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
