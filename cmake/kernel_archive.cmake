# SPDX-License-Identifier: MIT
#
# libusermm_kernel.a: what libusermm_kernel.so is, for `usermm module` to link sources with, so
# that they call it directly. With the script of its names beside it: kernel_names.cmake.

set(kernel_archive ${PROJECT_BINARY_DIR}/libusermm_kernel.a)
set(kernel_script ${PROJECT_BINARY_DIR}/libusermm_kernel.ld)
set(kernel_object ${PROJECT_BINARY_DIR}/usermm_kernel.o)
# Linked where somebody calls for what it defines.
add_library(usermm_kernel_views OBJECT kernel/on_demand/views_wanted.c)
target_include_directories(usermm_kernel_views PRIVATE kernel)
target_link_libraries(usermm_kernel_views PRIVATE usermm_kernel_objects)
set_target_properties(usermm_kernel_views PROPERTIES C_VISIBILITY_PRESET default)
set(kernel_objects $<TARGET_OBJECTS:usermm_kernel_runner> $<TARGET_OBJECTS:usermm_kernel_objects>
	$<TARGET_OBJECTS:usermm_kunit> $<TARGET_OBJECTS:usermm_core>)
add_custom_command(OUTPUT ${kernel_archive} ${kernel_script} BYPRODUCTS ${kernel_object}
	COMMAND ${CMAKE_LINKER} -r -o ${kernel_object} ${kernel_objects} ${unwinder}
	COMMAND ${CMAKE_COMMAND} -DOBJECT=${kernel_object} -DOBJCOPY=${CMAKE_OBJCOPY}
		-DREADELF=${CMAKE_READELF} -DSCRIPT=${kernel_script}
		-P ${PROJECT_SOURCE_DIR}/cmake/kernel_names.cmake
	COMMAND ${CMAKE_COMMAND} -E rm -f ${kernel_archive}
	COMMAND ${CMAKE_AR} rcs ${kernel_archive} ${kernel_object}
		$<TARGET_OBJECTS:usermm_kernel_views>
	DEPENDS usermm_kernel_runner usermm_kernel_objects usermm_kunit usermm_core
		usermm_kernel_views ${kernel_objects} ${unwinder}
		$<TARGET_OBJECTS:usermm_kernel_views>
		cmake/kernel_names.cmake
	COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(usermm_kernel_static ALL DEPENDS ${kernel_archive} ${kernel_script})
