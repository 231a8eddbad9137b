# SPDX-License-Identifier: MIT
#
# usermm/usermm.hpp as programs use it: in C++20 and later, linked with what is built here.
# Optimised in one of the programs, which takes twice as long to compile.

# What strict programs ask for. The headers are no system headers here, so they get them as well.
set(USERMM_CPP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
	-Wold-style-cast)

# usermm_add_cpp_test(KIND STANDARD LIBRARY OPTIONS...)
function(usermm_add_cpp_test kind standard library)
	set(target cpp_test_hpp_${kind})
	add_executable(${target} tests/cpp/test_hpp.cc)
	set_target_properties(${target} PROPERTIES OUTPUT_NAME test_hpp_${kind}
		CXX_STANDARD ${standard}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/cpp)
	target_compile_options(${target} PRIVATE ${USERMM_CPP_WARNINGS} ${ARGN}
		$<$<BOOL:${USERMM_WERROR}>:-Werror>)
	target_link_options(${target} PRIVATE ${ARGN})
	target_link_libraries(${target} PRIVATE ${library} Threads::Threads)
	usermm_add_test(cpp/test_hpp_${kind} COMMAND ${target} ONCE)
endfunction()
usermm_add_cpp_test(shared 20 usermm::usermm)
usermm_add_cpp_test(static 23 usermm::static -O0)
usermm_add_cpp_test(malloc 20 usermm::malloc -O0)
usermm_add_cpp_test(bare 20 usermm::usermm -O0 -fno-exceptions -fno-rtti)
# A cross compiler may have no sanitizers, and an emulator no room for their memory.
if(NOT CMAKE_CROSSCOMPILING)
	usermm_add_cpp_test(sanitized 23 usermm::usermm -O0 -fsanitize=address,undefined
		-fno-sanitize-recover=undefined)
endif()

# bench/cpp, each benchmark once. `make bench-cpp` measures.
find_package(benchmark QUIET)
if(benchmark_FOUND)
	add_executable(cpp_bench_resources bench/cpp/resources.cc)
	set_target_properties(cpp_bench_resources PROPERTIES CXX_STANDARD 20
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/cpp)
	target_compile_options(cpp_bench_resources PRIVATE -O0 -Wall -Wextra
		$<$<BOOL:${USERMM_WERROR}>:-Werror>)
	target_link_libraries(cpp_bench_resources PRIVATE usermm::static benchmark::benchmark)
	add_test(NAME bench/run_cpp
		COMMAND cpp_bench_resources --benchmark_min_time=0.0001)
	set_tests_properties(bench/run_cpp PROPERTIES
		PASS_REGULAR_EXPRESSION
		"pair/1024/cache_resource .*list/cache_resource .*monotonic/usermm ")
endif()
