# SPDX-License-Identifier: MIT
#
# Code that most processes never run: functions that are marked `seldom_called`, and the files below
# src/ that match a pattern here. In shared libraries it lies in a segment of its own: the kernel
# makes code resident in large pieces, up to a whole segment, so what lies beside code that runs is
# resident as well (docs/notes/start-up.md). A file must not be here if each process calls a
# function of it, but for destructors, and functions that are marked `often_called`. Constructors
# have to be marked as well: gcc puts them with the code that runs, clang beside the rest.
set(seldom_sources
	api/* base/check.c base/option_text.c base/options.c malloc/aligned.c
	malloc/checked_blocks.c malloc/checked_realloc.c malloc/early_blocks.c
	malloc/hardened/hardened.c malloc/hardened/hardened_sizes* malloc/hardened/zero_size.c
	malloc/heap/* malloc/interpose/credentials.c malloc/interpose/cxx_runtime.c
	malloc/interpose/mallinfo.c malloc/interpose/mallocx.c malloc/mapped/mapped_hardened.c
	malloc/perturb.c malloc/profile/profile.c malloc/profile/profile_write.c os/report/*
	os/signal/segv_handler.c page/api/bulk* page/api/mempolicy.c page/api/page_frag.c
	page/api/split.c page/debug/bad_page.c page/debug/debug_pagealloc.c
	page/debug/fault_inject.c page/debug/flag_names.c page/debug/hooks.c
	page/debug/page_owner.c page/debug/page_report.c page/debug/stack_depot.c
	page/pcp/pcp_counts.c page/reclaim/oom.c page/reclaim/reclaim.c
	page/reclaim/reclaim_zones.c page/reclaim/shrinker.c page/refs.c pgtable/* quicklist/*
	slab/bulk.c slab/cpu_slab/cpu_slab.c slab/debug/* slab/destroy/* slab/hardened/*
	slab/kfence/kfence.c slab/kmalloc/* slab/merge.c slab/random.c slab/sheaf/cache_barns.c
	slab/sheaf/prefill.c slab/sheaf/sheaf_bulk.c slab/small_slab.c stats/[cdmrsvz]*)

set(seldom_script ${PROJECT_BINARY_DIR}/seldom.ld)
set(seldom_patterns "\t\t*(.text.seldom)\n")
foreach(source IN LISTS seldom_sources)
	string(REGEX REPLACE "\\.c$" ".c.o" object ${source})
	string(APPEND seldom_patterns "\t\t*/src/${object}(.text .text.unlikely)\n")
endforeach()
file(CONFIGURE OUTPUT ${seldom_script} @ONLY CONTENT "SECTIONS
{
	. = ALIGN(CONSTANT(MAXPAGESIZE));
	.text.seldom :
	{
@seldom_patterns@	}
	. = ALIGN(CONSTANT(MAXPAGESIZE));
}
INSERT BEFORE .eh_frame_hdr;
")
include(CheckLinkerFlag)
check_linker_flag(C "-Wl,-T,${seldom_script}" USERMM_MOVES_SELDOM_CODE)
