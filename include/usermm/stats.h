/* SPDX-License-Identifier: MIT */
/*
 * What the allocators count: as text in the formats of Linux's /proc files, as JSON and in
 * Prometheus' format, and as a structure. Counts are gathered without stopping anybody, so
 * they may be out of step with each other while threads allocate.
 */
#ifndef USERMM_STATS_H
#define USERMM_STATS_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

struct usermm_stats {
	size_t window_bytes;		/* address space reserved for pages */
	size_t window_wished_bytes;	/* what was asked for first */
	size_t budget_bytes;		/* what the zones may use of it */
	size_t online_bytes;		/* brought online so far */
	size_t free_bytes;		/* of the budget, neither used nor cached */
	size_t pcp_bytes;		/* pages on per-CPU lists */
	size_t slab_bytes;		/* pages that are slabs */
	size_t quicklist_bytes;		/* pages on quicklists */
	size_t mapped_bytes;		/* blocks of malloc and kvmalloc outside the window */
	size_t mapped_count;
	size_t metadata_bytes;		/* struct pages and other tables brought online */
	/* Events since start; only slow paths count. */
	size_t slab_refills;		/* per-CPU arrays filled from slabs */
	size_t slab_flushes;		/* times that several objects went back to slabs */
	size_t slab_objects;		/* objects that went up to per-CPU arrays */
	size_t slabs_created;
	size_t slabs_freed;
	size_t page_refills;		/* per-CPU page lists filled from the buddy */
	size_t page_spills;
	size_t page_failures;		/* requests that got no pages */
	size_t malloc_page_blocks;	/* malloc blocks that were whole pages */
	size_t malloc_large_blocks;	/* malloc blocks outside the window */
	size_t large_kept_bytes;	/* mappings that were freed, now, for the next blocks */
	/*
	 * What is in use now: objects of caches, malloc's among them, blocks of pages, and
	 * mappings; each with all of its bytes, those too that nobody asked for. Exact while no
	 * other thread allocates.
	 */
	size_t allocated_bytes;
	size_t active_bytes;		/* the pages and mappings that these are in */
	/*
	 * active_bytes, what was used and will be again, and metadata. What nobody has written to
	 * counts, but all together is no more than the process has in RAM.
	 */
	size_t resident_bytes;
	/* Free pages of what is online: with memory that can be given back; and without. */
	size_t dirty_bytes;
	size_t released_bytes;
};

void usermm_stats_read(struct usermm_stats *stats)
	__attribute__((visibility("default")));

/*
 * Each writes one report to a file descriptor, without allocating. buddyinfo,
 * pagetypeinfo, zoneinfo and slabinfo (version 2.1) have Linux's columns.
 */
void usermm_print_buddyinfo(int fd) __attribute__((visibility("default")));
void usermm_print_pagetypeinfo(int fd) __attribute__((visibility("default")));
void usermm_print_zoneinfo(int fd) __attribute__((visibility("default")));
void usermm_print_slabinfo(int fd) __attribute__((visibility("default")));
/*
 * /proc/vmstat, "name value" a line, as far as there is such a thing here. Fast paths count
 * nothing, so pgalloc_* and pgfree are the pages that left the zones' free lists and came
 * back: what a CPU's list takes from one owner and gives to the next is not in them. Nor is
 * it in numa_*: with several nodes they are the requests that went on to the zones, as all do
 * that name a node; with one all is local, and hits are pages as in pgalloc_*.
 * pgfault and pgmajfault are the process's.
 */
void usermm_print_vmstat(int fd) __attribute__((visibility("default")));
/*
 * One cache, as in Linux's /sys/kernel/slab/NAME: "attribute value" a line. -1 if there is
 * no cache of that name.
 */
int usermm_print_slab_attributes(int fd, const char *cache)
	__attribute__((visibility("default")));
/*
 * Writes to one of these attributes: min_partial, cpu_partial, failslab, shrink, validate,
 * and "0" to a counter. Nobody may destroy the cache meanwhile. 0; -ENOENT: there is no such
 * cache or attribute; -EIO: it cannot be written; -EINVAL, -ERANGE: not this.
 */
int usermm_write_slab_attribute(const char *cache, const char *attribute, const char *text)
	__attribute__((visibility("default")));
/*
 * Who has the objects of a cache that keeps their users (SLAB_STORE_USER, slab_debug=U), and
 * who freed those that are in use now the time before: as Linux's alloc_traces and
 * free_traces. -1 if there is no such cache. NULL: all that keep them, each with its name.
 */
int usermm_print_slab_alloc_traces(int fd, const char *cache)
	__attribute__((visibility("default")));
int usermm_print_slab_free_traces(int fd, const char *cache)
	__attribute__((visibility("default")));
void usermm_print_quicklists(int fd) __attribute__((visibility("default")));
void usermm_print_summary(int fd) __attribute__((visibility("default")));
/* With page_owner=1: a record for every block that is allocated. */
void usermm_print_page_owner(int fd) __attribute__((visibility("default")));
/*
 * A line about the process ('usermm: VERSION pid=N command="TEXT" executable="PATH" start=SECONDS
 * allocated=BYTES resident=BYTES', the texts as in JSON), then
 * buddyinfo, slabinfo, quicklists and summary; with page_owner=1 who has pages. With stats=2
 * pagetypeinfo, zoneinfo and vmstat, and who has the objects of caches with slab_debug=U.
 */
void usermm_print_stats(int fd) __attribute__((visibility("default")));

/*
 * The same counters for programs: struct usermm_stats, vmstat, what zoneinfo and buddyinfo have
 * of each populated zone, and the columns of slabinfo, under these names. Neither allocates,
 * though what is not up yet is brought up, as by the reports above; both take a lock of the slab
 * layer, so they are for process context, not for signal handlers.
 *
 * JSON (RFC 8259), one line: { "process": { "pid": N, "command": TEXT, "executable": TEXT,
 * "version": TEXT, "start_time_seconds": N }, "stats": { "window_bytes": N, ... }, "vmstat": {
 * NAME: N, ... },
 * "zones": [ { "node": N, "name": TEXT, "managed_pages": N, "present_pages": N, "min_pages": N,
 * "low_pages": N, "high_pages": N, "free_pages": N, "free_blocks": [ one for each order ] } ],
 * "caches": [ { "name": TEXT, "active_objs": N, "num_objs": N, "objsize": N, "objperslab": N,
 * "pagesperslab": N, "active_slabs": N, "num_slabs": N } ] }. As in slabinfo a name has its first
 * 31 bytes, and caches without slabs are left out; one that is called as older ones are here has
 * their number as "namesake". What is no UTF-8 in a name becomes U+FFFD. The process's command is
 * what ps(1) shows, its executable the path as the kernel has it, which ends in " (deleted)" if the
 * file is gone; it began so many seconds after 1970 began, and 0 and "" are of a system that does
 * not tell.
 */
void usermm_print_json(int fd) __attribute__((visibility("default")));
/*
 * Prometheus' text exposition format 0.0.4: usermm_window_bytes, usermm_vmstat_NAME,
 * usermm_zone_NAME{node=,zone=} (free_blocks with order=), usermm_cache_NAME{cache=},
 * usermm_process_start_time_seconds{pid=,command=,executable=,version=}. What counts
 * events ends in _total and is a counter, everything else a gauge.
 */
void usermm_print_prometheus(int fd) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
