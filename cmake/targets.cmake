# SPDX-License-Identifier: MIT
#
# For add_subdirectory() and FetchContent: the targets that usermm-config.cmake has for an installed
# usermm, under the same names.

# Programs that are linked with malloc's library may use the API as well.
target_include_directories(usermm_malloc INTERFACE
	$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
	$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(usermm::usermm ALIAS usermm_shared)
add_library(usermm::malloc ALIAS usermm_malloc)

# usermm_add_file_target(NAME BUILT_BY FILE): a target that links a file that another target makes.
function(usermm_add_file_target name built_by file)
	add_library(usermm_${name} INTERFACE)
	add_dependencies(usermm_${name} ${built_by})
	target_include_directories(usermm_${name} INTERFACE ${PROJECT_SOURCE_DIR}/include)
	target_link_libraries(usermm_${name} INTERFACE ${file} Threads::Threads)
	add_library(usermm::${name} ALIAS usermm_${name})
endfunction()
usermm_add_file_target(archive_static usermm_static ${archive})
add_library(usermm::static ALIAS usermm_archive_static)
add_library(usermm::usermm_static ALIAS usermm_archive_static)
usermm_add_file_target(archive_malloc_static usermm_malloc_static ${malloc_archive})
add_library(usermm::malloc_static ALIAS usermm_archive_malloc_static)
# Also where a program calls no function of malloc's by itself.
target_link_options(usermm_archive_malloc_static INTERFACE LINKER:-u,usermm_malloc_linked)
usermm_add_file_target(malloc_object usermm_malloc_static ${malloc_object})
