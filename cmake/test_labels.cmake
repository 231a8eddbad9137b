# SPDX-License-Identifier: MIT
#
# Which command runs which tests:
#
#   make check      those with the label "check", in the release: unit tests in one way, and rules
#   make test       all but those with the label "long"
#   make test-long  all, in more flavours
#
# Two processors have 1800 seconds of processor time in the 15 minutes that `make test` may take.
# So a test is long if it takes more than ten of them, and `make test` has another one that looks
# at the same code.

get_property(all_tests DIRECTORY PROPERTY TESTS)

# Label the tests whose names match: usermm_label(LABEL REGEX...)
function(usermm_label label)
	foreach(regex IN LISTS ARGN)
		set(found ${all_tests})
		list(FILTER found INCLUDE REGEX ${regex})
		if(found)
			set_property(TEST ${found} APPEND PROPERTY LABELS ${label})
		endif()
	endforeach()
endfunction()

# The same in each build, and changed by few: models, and the kernel's own sources.
usermm_label(long ^models/ ^kernel/rseq_selftests$ ^kernel/trees$ ^module/upstream)
# A browser draws the pages; command/report and command/profile read their tables.
usermm_label(long "^command/(report|profile)_browser$")
# Every header with every version of the kernel; kernel_names compiles most of them.
usermm_label(long ^style/kernel_headers$)
# Others' tests, which take a minute each; programs/short and preload/ run real programs.
usermm_label(long ^glibc/short$ ^programs/cpython$ ^fuzz/short$)
# In one of several hundred runs a page was still locked after malloc_trim().
usermm_label(long ^malloc/test_surroundings:)
# Memcheck is slow; inspect/run_leaks has the same programs.
usermm_label(long ^inspect/memcheck$)
# The products once more, in another project; package/subdirectory configures it.
usermm_label(long ^package/subdirectory_built$)
# Programs by each linker, in each order; link/ has those of the linker that is used.
usermm_label(long ^link/linkers$)
# What benchmarks print; bench/run_quicklist has one of them.
usermm_label(long ^module/run_bench$ ^bench/run_slab_malloc$)
# What malloc does when system calls fail, when memory is short, or while time passes: locked
# slots differ from sequences in what is below malloc.
set(slow_programs background content decay fault_calls fork limits mallocx mapped
	mapped_cache model rest rlimit scattered signal_malloc sized stack thp)
list(JOIN slow_programs "|" slow_programs)
usermm_label(long "^malloc/test_(${slow_programs}):(locked|hardened|guarded|seldom_guarded)$")
# Threads and children where blocks are watched: the other programs show what is watched.
usermm_label(long "^malloc/test_(cancel|dlopen|fork_handlers|threads|vfork):\
(hardened|seldom_guarded)$")
# With a sanitizer more CPUs than there are, and another index, find what the release finds.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
	usermm_label(long ":(many|cpu_id)$")
endif()
# ThreadSanitizer is slow, and locked slots are told from sequences by percpu alone.
if(USERMM_TSAN)
	usermm_label(long "^(page|slab|quicklist|pgtable|stats|kernel|malloc_core)/.*:locked$")
endif()

if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
	list(JOIN unit_layers "|" layers)
	set(check "^(${layers})/test_.*:rseq$")
	set(checked ${all_tests})
	list(FILTER checked INCLUDE REGEX "${check}|^style/|^command/")
	# These wait for time to pass, or take more than ten seconds.
	list(FILTER checked EXCLUDE REGEX "percpu/test_(generations|tagged_abort|tagged_stress):|\
page/test_(refusals|fork|release.*):|mm/test_huge:|slab/test_(bulk|stress):|style/kernel_|\
command/(docs|(report|profile)_browser)")
	set_property(TEST ${checked} APPEND PROPERTY LABELS check)
endif()
