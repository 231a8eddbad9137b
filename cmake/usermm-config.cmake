# SPDX-License-Identifier: MIT
#
# find_package(usermm): the libraries as usermm::usermm (the API), usermm::malloc (what a
# program can be run under) and usermm::kernel, and usermm_add_module() for kernel sources.
include(${CMAKE_CURRENT_LIST_DIR}/usermm-targets.cmake)
if(TARGET usermm::kernel)
	include(${CMAKE_CURRENT_LIST_DIR}/usermm_module.cmake)
endif()
