# SPDX-License-Identifier: MIT
#
# find_package(usermm): the libraries as usermm::usermm (the API), usermm::malloc (what a
# program can be run under) and usermm::kernel, and usermm_add_module() for kernel sources. The
# first two as archives are usermm::static and usermm::malloc_static; usermm::malloc_object is
# malloc as one object. usermm::usermm_static is the older name of usermm::static.
include(${CMAKE_CURRENT_LIST_DIR}/usermm-targets.cmake)

include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_target_property(usermm_headers usermm::usermm INTERFACE_INCLUDE_DIRECTORIES)
foreach(usermm_name usermm malloc)
	# Beside the shared libraries, whose place the file of targets has found.
	get_target_property(usermm_archive usermm::usermm LOCATION)
	cmake_path(REMOVE_FILENAME usermm_archive)
	if(usermm_name STREQUAL "malloc")
		string(APPEND usermm_archive libusermm_malloc.a)
	else()
		string(APPEND usermm_archive libusermm.a)
	endif()
	if(EXISTS ${usermm_archive} AND NOT TARGET usermm::${usermm_name}_static)
		add_library(usermm::${usermm_name}_static STATIC IMPORTED)
		set_target_properties(usermm::${usermm_name}_static PROPERTIES
			IMPORTED_LOCATION ${usermm_archive}
			INTERFACE_INCLUDE_DIRECTORIES "${usermm_headers}"
			INTERFACE_LINK_LIBRARIES Threads::Threads)
	endif()
endforeach()
if(TARGET usermm::malloc_static)
	# Also where a program calls no function of malloc's by itself.
	set_target_properties(usermm::malloc_static PROPERTIES
		INTERFACE_LINK_OPTIONS LINKER:-u,usermm_malloc_linked)
endif()
if(TARGET usermm::usermm_static AND NOT TARGET usermm::static)
	add_library(usermm::static INTERFACE IMPORTED)
	set_target_properties(usermm::static PROPERTIES
		INTERFACE_LINK_LIBRARIES usermm::usermm_static)
endif()
get_target_property(usermm_object usermm::usermm LOCATION)
cmake_path(REPLACE_FILENAME usermm_object usermm_malloc.o)
if(EXISTS ${usermm_object} AND NOT TARGET usermm::malloc_object)
	add_library(usermm::malloc_object INTERFACE IMPORTED)
	set_target_properties(usermm::malloc_object PROPERTIES
		INTERFACE_INCLUDE_DIRECTORIES "${usermm_headers}"
		INTERFACE_LINK_LIBRARIES "${usermm_object};Threads::Threads")
endif()
if(TARGET usermm::kernel)
	include(${CMAKE_CURRENT_LIST_DIR}/usermm_module.cmake)
endif()
