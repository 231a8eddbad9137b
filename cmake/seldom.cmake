# SPDX-License-Identifier: MIT
#
# Code that most processes never run, as a pattern of the paths of sources below src/. In shared
# libraries it lies in a segment of its own: the kernel makes code resident in large pieces, up to a
# whole segment, so what lies beside code that runs is resident as well (docs/notes/start-up.md).
# A file must not be here if each process calls a function of it.
set(seldom_sources
	api/[bcm]* malloc/checked_blocks.c malloc/checked_realloc.c malloc/hardened/hardened_sizes*
	malloc/interpose/mallocx.c os/report/* os/signal/segv_handler.c page/api/bulk*
	page/api/mempolicy.c page/api/page_frag.c page/debug/bad_page.c page/debug/fault_inject.c
	page/debug/flag_names.c page/debug/page_report.c page/debug/stack_depot.c
	page/pcp/pcp_counts.c pgtable/map.c pgtable/walk.c quicklist/shrink.c slab/bulk.c
	slab/cpu_slab/cpu_slab.c slab/debug/debug.c slab/debug/debug_[crt]* slab/debug/dump.c
	slab/debug/refused.c slab/debug/report.c slab/destroy/* slab/hardened/hardened_sizes*
	slab/kmalloc/kvmalloc.c slab/merge.c stats/[cdmrsvz]*)

set(seldom_script ${PROJECT_BINARY_DIR}/seldom.ld)
set(seldom_patterns "		*libusermm_unwinder.a:*(.text .text.*)")
foreach(source IN LISTS seldom_sources)
	string(REGEX REPLACE "\\.c$" ".c.o" object ${source})
	string(APPEND seldom_patterns "\n\t\t*/src/${object}(.text .text.*)")
endforeach()
file(CONFIGURE OUTPUT ${seldom_script} @ONLY CONTENT "SECTIONS
{
	. = ALIGN(CONSTANT(MAXPAGESIZE));
	.text.seldom :
	{
@seldom_patterns@
	}
	. = ALIGN(CONSTANT(MAXPAGESIZE));
}
INSERT BEFORE .eh_frame_hdr;
")
include(CheckLinkerFlag)
check_linker_flag(C "-Wl,-T,${seldom_script}" USERMM_MOVES_SELDOM_CODE)
