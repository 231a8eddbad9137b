# SPDX-License-Identifier: MIT
#
# Stands for vcpkg, which is not in Debian nor on PyPI: runs a port's portfile.cmake with functions
# that do what vcpkg's documentation says of those of the same names, for the release alone.
#
#   cmake -DPORT_FOLDER=... -DSCRATCH=... -DCURRENT_PACKAGES_DIR=... -P vcpkg_functions.cmake

set(PORT usermm)
set(DOWNLOADS ${SCRATCH}/downloads)
set(BUILD ${SCRATCH}/build)

function(vcpkg_run)
	execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_download_distfile out)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILENAME;SHA512" URLS)
	file(DOWNLOAD ${arg_URLS} ${DOWNLOADS}/${arg_FILENAME} EXPECTED_HASH SHA512=${arg_SHA512})
	set(${out} ${DOWNLOADS}/${arg_FILENAME} PARENT_SCOPE)
endfunction()

# The archive's one folder is taken off.
function(vcpkg_extract_source_archive out)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" ARCHIVE "")
	file(ARCHIVE_EXTRACT INPUT ${arg_ARCHIVE} DESTINATION ${SCRATCH}/sources)
	file(GLOB folder ${SCRATCH}/sources/*)
	set(${out} ${folder} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
	vcpkg_run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD} -DCMAKE_BUILD_TYPE=Release
		-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib
		-DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
	vcpkg_run(${CMAKE_COMMAND} --build ${BUILD} --target install --parallel 2)
endfunction()

# The files move to share/PORT, and find the prefix from there.
function(vcpkg_cmake_config_fixup)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
	file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake)
	foreach(file IN LISTS files)
		file(READ ${file} text)
		string(REGEX REPLACE
			"(get_filename_component\\(_IMPORT_PREFIX \"[^\"]*\" PATH\\)\n)+"
			"cmake_path(SET _IMPORT_PREFIX NORMALIZE
			\"\${CMAKE_CURRENT_LIST_DIR}/../..\")\n"
			text "${text}")
		get_filename_component(name ${file} NAME)
		file(WRITE ${CURRENT_PACKAGES_DIR}/share/${PORT}/${name} "${text}")
	endforeach()
	file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
	file(GLOB files ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/*.pc)
	if(NOT files)
		message(FATAL_ERROR "there are no files for pkg-config")
	endif()
endfunction()

function(vcpkg_install_copyright)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
	file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT}
		RENAME copyright)
endfunction()

include(${PORT_FOLDER}/portfile.cmake)
