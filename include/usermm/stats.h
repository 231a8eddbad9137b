/* SPDX-License-Identifier: MIT */
/*
 * Statistics of the allocators: as a structure, as text in the formats of Linux's /proc files, as
 * JSON, and in Prometheus' format. The counts are read while other threads go on, so they may not
 * fit together exactly while threads allocate.
 */
#ifndef USERMM_STATS_H
#define USERMM_STATS_H

#include <stddef.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

struct usermm_stats {
	size_t window_bytes;		/* address space reserved for pages */
	size_t window_wished_bytes;	/* the size that was tried first */
	size_t budget_bytes;		/* how much of it the zones may use */
	size_t online_bytes;		/* brought online so far */
	size_t free_bytes;		/* part of the budget that is neither used nor cached */
	size_t pcp_bytes;		/* pages on per-CPU lists */
	size_t slab_bytes;		/* pages that are slabs */
	size_t quicklist_bytes;		/* pages on quicklists */
	size_t mapped_bytes;		/* blocks of malloc and kvmalloc outside the window */
	size_t mapped_count;
	size_t metadata_bytes;		/* struct pages and other tables brought online */
	/* Events since start; only slow paths count. */
	size_t slab_refills;		/* per-CPU arrays filled from slabs */
	size_t slab_flushes;		/* how often several objects went back to slabs at once */
	size_t slab_objects;		/* objects that per-CPU arrays got from slabs */
	size_t slabs_created;
	size_t slabs_freed;
	size_t page_refills;		/* per-CPU page lists filled from the buddy */
	size_t page_spills;		/* per-CPU page lists emptied to the buddy */
	size_t page_failures;		/* requests that got no pages */
	size_t malloc_page_blocks;	/* malloc's page blocks allocated so far */
	size_t malloc_large_blocks;	/* malloc's mapping blocks allocated so far */
	size_t large_kept_bytes;	/* now: freed mappings kept for the next blocks */
	/*
	 * In use now: objects of caches (malloc's too), blocks of pages, and mappings, each with
	 * all of its bytes, also those beyond the size that was asked for. Exact while no other
	 * thread allocates.
	 */
	size_t allocated_bytes;
	size_t active_bytes;		/* pages and mappings that hold this memory */
	/*
	 * active_bytes, free memory that is kept for reuse, and metadata. Memory that was never
	 * written to counts as well, but the sum is never above what the process has in RAM.
	 */
	size_t resident_bytes;
	size_t dirty_bytes;		/* free online pages whose memory can be given back */
	size_t released_bytes;		/* free online pages whose memory was given back */
};

void usermm_stats_read(struct usermm_stats *stats)
	__attribute__((visibility("default")));

/*
 * The usermm_print_ functions write one report each to a file descriptor, without allocating.
 * buddyinfo, pagetypeinfo, zoneinfo and slabinfo (version 2.1) have Linux's columns.
 */
void usermm_print_buddyinfo(int fd) __attribute__((visibility("default")));
void usermm_print_pagetypeinfo(int fd) __attribute__((visibility("default")));
void usermm_print_zoneinfo(int fd) __attribute__((visibility("default")));
void usermm_print_slabinfo(int fd) __attribute__((visibility("default")));
/*
 * The lines of /proc/vmstat ("name value") that exist in usermm. Fast paths count nothing. So
 * pgalloc_* and pgfree count the pages that left the zones' free lists and came back, but not pages
 * that a per-CPU list hands from one owner to the next. With several nodes numa_* count the
 * requests that went on to the zones, among them all that name a node. With one node all requests
 * are local, and numa_hit counts pages like pgalloc_*. pgfault and pgmajfault are those of the
 * process.
 */
void usermm_print_vmstat(int fd) __attribute__((visibility("default")));
/*
 * One cache's attributes, one "attribute value" a line, as in Linux's /sys/kernel/slab/NAME.
 * Returns -1 if there is no cache of that name, else 0.
 */
int usermm_print_slab_attributes(int fd, const char *cache)
	__attribute__((visibility("default")));
/*
 * Writes to an attribute: min_partial, cpu_partial, remote_node_defrag_ratio, failslab, shrink,
 * validate, or a counter (only "0"). No thread may destroy the cache meanwhile. Returns 0; -ENOENT:
 * there is no such cache or attribute; -EIO: the attribute cannot be written; -EINVAL or -ERANGE:
 * bad value.
 */
int usermm_write_slab_attribute(const char *cache, const char *attribute, const char *text)
	__attribute__((visibility("default")));
/*
 * For the objects in use of a cache with SLAB_STORE_USER (slab_debug=U): who allocated them, and
 * who freed the same memory before that. The format is that of Linux's alloc_traces and
 * free_traces. Returns -1 if there is no such cache, else 0. A NULL name means all caches with
 * SLAB_STORE_USER, and each one's name is printed.
 */
int usermm_print_slab_alloc_traces(int fd, const char *cache)
	__attribute__((visibility("default")));
int usermm_print_slab_free_traces(int fd, const char *cache)
	__attribute__((visibility("default")));
void usermm_print_quicklists(int fd) __attribute__((visibility("default")));
void usermm_print_summary(int fd) __attribute__((visibility("default")));
/* With page_owner=1: one record for each allocated block. */
void usermm_print_page_owner(int fd) __attribute__((visibility("default")));
/*
 * The report of the option stats=. It begins with a line about the process ('usermm: VERSION pid=N
 * command="TEXT" executable="PATH" start=SECONDS allocated=BYTES resident=BYTES', with the texts as
 * in JSON). buddyinfo, slabinfo, quicklists and summary follow, and page owners with page_owner=1.
 * With stats=2 also pagetypeinfo, zoneinfo, vmstat, and alloc traces of caches with slab_debug=U.
 */
void usermm_print_stats(int fd) __attribute__((visibility("default")));

/*
 * The two functions below print the same counters for programs to read: struct usermm_stats,
 * vmstat, the figures of zoneinfo and buddyinfo for each populated zone, and the columns of
 * slabinfo. Neither allocates, but both initialise the library if nothing did so yet, as the
 * reports above do. Both take a lock of the slab layer, so signal handlers must not call them.
 *
 * JSON (RFC 8259), one line: { "process": { "pid": N, "command": TEXT, "executable": TEXT,
 * "version": TEXT, "start_time_seconds": N }, "stats": { "window_bytes": N, ... }, "vmstat": {
 * NAME: N, ... }, "zones": [ { "node": N, "name": TEXT, "managed_pages": N, "present_pages": N,
 * "min_pages": N, "low_pages": N, "high_pages": N, "free_pages": N, "free_blocks": [ one for each
 * order ] } ], "caches": [ { "name": TEXT, "active_objs": N, "num_objs": N, "objsize": N,
 * "objperslab": N, "pagesperslab": N, "active_slabs": N, "num_slabs": N } ] }.
 *
 * As in slabinfo, names are cut to 31 bytes, and caches without slabs are left out. If older caches
 * have the same name, "namesake" tells how many. Bytes that are not UTF-8 become U+FFFD. "command"
 * is what ps(1) shows. "executable" is the kernel's path, which ends in " (deleted)" if the file is
 * gone. "start_time_seconds" counts from 1970. If the system does not tell one of these, it is ""
 * or 0.
 */
void usermm_print_json(int fd) __attribute__((visibility("default")));
/*
 * Prometheus' text exposition format 0.0.4: usermm_window_bytes, usermm_vmstat_NAME,
 * usermm_zone_NAME{node=,zone=} (free_blocks with order=), usermm_cache_NAME{cache=},
 * usermm_process_start_time_seconds{pid=,command=,executable=,version=}. Counters of events end in
 * _total and have the type counter; all others are gauges.
 */
void usermm_print_prometheus(int fd) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
