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
# Each source is read by clang; who builds with clang sees the same.
usermm_label(long ^style/clang$)
# Every header with every version of the kernel; kernel_names compiles most of them.
usermm_label(long ^style/kernel_headers$)
# Others' tests, which take a minute each; programs/short and preload/ run real programs.
usermm_label(long ^glibc/short$ ^programs/cpython$ ^fuzz/short$)
# What a process lives in is the same for each way to the slots.
usermm_label(long ^malloc/test_surroundings:locked$)
# Memcheck is slow; inspect/run_leaks has the same programs.
usermm_label(long ^inspect/memcheck$)
# inspect/run_damaged_live has less damage of the same kinds.
usermm_label(long ^inspect/damaged_live_for_long$)
# The products once more, in another project, and with few programs; package/subdirectory and
# package/minimal configure them.
usermm_label(long ^package/subdirectory_built$ ^package/minimal_built$)
# What the packages have is what module/package installs and uses.
usermm_label(long ^package/debian$)
# In each kernel; style/kernel_names takes the newest.
usermm_label(long ^style/kernel_names_each$)
# Programs with more options; in the default they are in preload/programs:rseq and preload/owned.
usermm_label(long ^preload/programs:locked$ ^preload/owned_long$)
# The kernel's archive is unpacked for one of its tools; stats/check_formats reads the same text.
usermm_label(long ^stats/page_owner_sort$)
# Programs by each linker, in each order; link/ has those of the linker that is used.
usermm_label(long ^link/linkers$)
# What benchmarks print; bench/run_quicklist has one of them.
usermm_label(long ^module/run_bench$ ^bench/run_slab_malloc$)
# What malloc does when system calls fail, when memory is short, or while time passes: locked
# slots differ from sequences in what is below malloc.
set(slow_programs background changed_pages content decay fault_calls fork kfence limits mallocx
	mapped mapped_cache mapped_hardened mapped_reuse model profile rest rights rlimit
	room_after_free scattered signal_malloc sized stack thp unwind)
list(JOIN slow_programs "|" slow_programs)
usermm_label(long "^malloc/test_(${slow_programs}):(locked|hardened|guarded|seldom_guarded)$")
# Threads and children where blocks are watched: the other programs show what is watched.
usermm_label(long "^malloc/test_(cancel|dlopen|fork_handlers|new|threads|vfork):\
(hardened|guarded|seldom_guarded)$")
# `:part` has an eighth of the steps.
if(modes_in_full)
	list(JOIN partly_run "|" partly_run)
	usermm_label(long "^(${partly_run}):rseq$")
endif()
# Where the index comes from is the business of percpu alone. Tests of slab, quicklist and
# malloc_core have this one with `:nodes`.
usermm_label(long "^(page|slab|quicklist|pgtable|malloc_core|denied|bench)/.*:cpu_id$")
# These wait for time to pass, or make the system refuse each call in turn.
usermm_label(long "^page/test_(background|refusals|trim):(locked|many)$")
usermm_label(long "^page/test_(release|release_short|fork|misuse_outlived):many$"
	^slab/test_decay:many$ ^bench/test_lines:many$)
# Stacks through the paths of slab: the slots' number and the node change no frame.
usermm_label(long "^slab/test_(unwind|hardening):(many|nodes)$")
# Plugins that stay: the archive of malloc has the object that plugin_object has.
usermm_label(long "^link/test_plugin_stays_(malloc:|(api|object):locked)")
usermm_label(long "^static/percpu_test_stress:locked$")
# With a sanitizer more CPUs than there are, and another index, find what the release finds; and
# what asks whether slots are locked is in percpu, slab, quicklist and malloc.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
	usermm_label(long ":(many|cpu_id)$")
	usermm_label(long "^(base|os|mm|page|pgtable|stats|api|selftest|bench)/.*:locked$")
endif()
# ThreadSanitizer is slow, and locked slots are told from sequences by percpu alone. What is left
# out has threads in one case of many; others have the same calls in all.
if(USERMM_TSAN)
	usermm_label(long "^(slab|quicklist|kernel|malloc_core)/.*:locked$")
	usermm_label(long "^slab/test_(bulk|exhaustion|small_slab|slab_free):"
		"^pgtable/test_live:")
endif()
# musl differs from glibc in what starts and registers threads.
if(USERMM_MUSL)
	usermm_label(long "^(base|os|mm|page|slab|quicklist|pgtable|stats|api|malloc_core|bench)/.*\
:locked$")
endif()

if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
	list(JOIN unit_layers "|" layers)
	set(check "^(${layers})/test_.*:rseq$")
	set(checked ${all_tests})
	list(FILTER checked INCLUDE REGEX "${check}|^style/|^command/")
	# These wait for time to pass, or take more than ten seconds. style/clang and
	# style/libc_headers compile hundreds of files.
	list(FILTER checked EXCLUDE REGEX "percpu/test_(generations|tagged_abort|tagged_stress):|\
page/test_(refusals|fork|release.*):|mm/test_huge:|slab/test_(bulk|stress):|style/kernel_|\
style/(clang|libc_headers)\$|command/(docs|(report|profile)_browser)")
	set_property(TEST ${checked} APPEND PROPERTY LABELS check)
endif()
