# SPDX-License-Identifier: MIT
#
# libFuzzer's programs (tests/fuzz); clang only, and nothing else is built with its flags.
include(cmake/tested_malloc.cmake)

function(usermm_add_fuzzer name)
	add_executable(${name} tests/fuzz/${name}.c)
	target_include_directories(${name} PRIVATE tests)
	target_link_libraries(${name} PRIVATE ${ARGN} usermm_core Threads::Threads)
	target_link_options(${name} PRIVATE -fsanitize=fuzzer)
	set_target_properties(${name} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()

usermm_add_fuzzer(fuzz_malloc tested_malloc)
usermm_add_fuzzer(fuzz_slab)
