/* SPDX-License-Identifier: MIT */
/*
 * Address space: reserve, commit, map, release (mmap(2), madvise(2)). The conditions in os/os.h
 * apply.
 */
#ifndef OS_MEMORY_H
#define OS_MEMORY_H

#include "base/compiler.h"

/* The machine's page size; at least 4096 and a power of two. */
size_t os_page_bytes(void);

/*
 * Address space that cannot be touched and is not in core dumps. On success *addr is aligned to
 * align (a power of two). 0, -ENOMEM or -EINVAL.
 */
int os_reserve(size_t bytes, size_t align, void **addr);
/* Like os_reserve(), but what becomes accessible there is in core dumps. */
int os_reserve_dumped(size_t bytes, size_t align, void **addr);
/* Like os_reserve(), at this address; -EEXIST if anything is there. It may be in core dumps. */
int os_reserve_at(void *addr, size_t bytes);
/* Makes a part of a reservation readable and writable; it is zero. */
int os_commit(void *addr, size_t bytes);
/*
 * From now on os_commit() and os_discard() call mmap(2) alone, in place of mprotect(2) and
 * madvise(2): a filter begins, and may know only the calls that libc's malloc() makes.
 */
void os_map_alone(void);
/* Makes a part of committed memory inaccessible, or accessible again. Its content stays. */
int os_hide(void *addr, size_t bytes);
int os_show(void *addr, size_t bytes);

/* Zeroed memory, readable and writable, aligned to align. */
int os_map(size_t bytes, size_t align, void **addr);
/* Like os_map(), but pages that are never written are not charged (MAP_NORESERVE). */
int os_map_lazily(size_t bytes, size_t align, void **addr);
/* Like os_map_lazily(), at this address; -EEXIST if anything is there. */
int os_map_at(void *addr, size_t bytes);
/* Would the system grant this many bytes, rounded up to pages? */
bool os_can_map(size_t bytes);
int os_unmap(void *addr, size_t bytes);
/* Unmaps. If the process has too many mappings to split this one, gives up its memory instead. */
void os_unmap_or_discard(void *addr, size_t bytes);
/*
 * Grows or shrinks a mapping made by os_map(); it may move. On failure it is unchanged. Bytes
 * gained are zero.
 */
int os_remap(void *old, size_t old_bytes, size_t new_bytes, void **addr);
/* Like os_remap(), but the mapping does not move. */
int os_remap_in_place(void *addr, size_t old_bytes, size_t new_bytes);

/*
 * Gives up the content: reads see zero afterwards. Fails for locked memory (mlockall(2)), and where
 * the system only claims to do it (os_discards()).
 */
int os_discard(void *addr, size_t bytes);
/*
 * Does MADV_DONTNEED drop a page's content here? Tries it on a page of its own at the first call.
 */
bool os_discards(void);
/* os_discards() tries again at its next call: a sandbox's filter may have changed the answer. */
void os_doubt_discards(void);
/* Makes pages of a reservation or mapping inaccessible, also locked ones. Their content is lost. */
int os_withdraw(void *addr, size_t bytes);
/* Sets whether huge pages are wanted there from now on. Pages that are there stay. */
int os_huge_pages(void *addr, size_t bytes, bool wanted);
/*
 * Makes the pages present and writable without a page fault (MADV_POPULATE_WRITE, Linux 5.14).
 * Their content stays. On failure some of them may be present.
 */
int os_prefault(void *addr, size_t bytes);
/*
 * May all of it be read without a fault? Makes pages present (MADV_POPULATE_READ). False where the
 * kernel, before 5.14, does not say.
 */
bool os_is_readable(void *addr, size_t bytes);
/*
 * Is this one mapping for the kernel? Then all of it has the same protection, advice, policy, name
 * and the like. Takes one system call. False also where the kernel's answer cannot be relied on.
 */
bool os_is_one_mapping(void *addr, size_t bytes);
/*
 * Makes pages of os_map() as new, but keeps their content. Only the last page loses its content,
 * unless mlockall(2) has locked it. 0, or a negative errno; some steps may be done then.
 *
 * The program must never have had the last page. So that page still has the attributes of new
 * pages. If the kernel has all pages in one mapping with it, they have the same attributes, and
 * nothing need be undone. The exception is guards of MADV_GUARD_INSTALL, which belong to pages and
 * not to mappings: they are removed in any case. If the pages are in several mappings: -EINVAL.
 *
 * Where the kernel cannot tell (os_is_one_mapping()), this call undoes whatever a program may have
 * done to the pages: locks, protection, and advice on core dumps and on forks.
 */
int os_make_plain(void *addr, size_t bytes);
/* Unlocks the memory, whoever locked it. */
int os_unlock(void *addr, size_t bytes);
/* Is new memory locked (mlockall(2) with MCL_FUTURE)? Maps and unmaps a page to find out. */
bool os_locks_new_memory(void);

/* How many mappings the process may have. */
unsigned long os_max_mappings(void);
/* How many bytes of addresses a process has. */
uint64_t os_address_space_bytes(void);

/*
 * Memory that can be seen at several addresses. A process has one such store, of `bytes` bytes,
 * zero at first. os_shared_map() maps a piece of the store over a part of a reservation.
 */
int os_shared_open(size_t bytes);
int os_shared_map(void *addr, size_t bytes, size_t offset);
/*
 * The store's file descriptor, by which another process can map the store; -1: there is no store.
 * The descriptor stays this layer's: nobody else closes it.
 */
int os_shared_descriptor(void);
/* Like os_discard(), at all addresses. */
int os_shared_discard(void *addr, size_t bytes);

#endif
