# SPDX-License-Identifier: MIT
#
# The bindings for other languages, by those languages' own tests.

# On libusermm.a as it was built here, with cargo alone. `make test-rust` has the whole.
add_test(NAME bindings/rust
	COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/bindings/run_rust.py
		--library ${PROJECT_BINARY_DIR})
set_tests_properties(bindings/rust PROPERTIES TIMEOUT 900 COST 20 SKIP_RETURN_CODE 77
	ENVIRONMENT "CC=${CMAKE_C_COMPILER}")

# The crate that compiles the library has a list of files of its own.
add_test(NAME bindings/sources
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/bindings/compare_sources.py
		${PROJECT_BINARY_DIR})
set_tests_properties(bindings/sources PROPERTIES SKIP_RETURN_CODE 77)

# The Python package on the command as it was built here. `make test-wheel` has the wheels.
add_test(NAME bindings/python
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/bindings/check_python.py
		${PROJECT_BINARY_DIR})
