/* SPDX-License-Identifier: MIT */
/*
 * Mapping blocks with hardened=1: each lies between two inaccessible pages, its guards.
 *
 * 1. Fence. The rest of the last page behind the bytes that were asked for is filled with one byte
 *    value, which is checked when the block is freed or resized.
 *
 * 2. Quarantine. A freed block stays at its address for a while, inaccessible and without memory.
 *    So an access is a SIGSEGV, and no other block gets the address. At most QUARANTINE_BLOCKS
 *    blocks wait, none of more than QUARANTINE_BLOCK_BYTES; the next freed block takes the place of
 *    the oldest. If a new block does not fit but might without the waiting ones, all of them go.
 *    Under RLIMIT_AS, which counts addresses, a 16th of it may wait.
 *
 *    A program that frees many blocks of up to 128 KiB reuses them sooner: mapped_reuse.h.
 *
 * 3. Resizing. A block of 512 KiB or more has inaccessible room behind it, up to the next eighth of
 *    a power of two, and grows there. Beyond that it moves its pages to a larger place, and the old
 *    place waits in the quarantine. A block that shrinks stays where it is: a part of what is cut
 *    off becomes its room, and the rest waits in the quarantine. Moving fails without a change if
 *    the program has split the block into several mappings (mprotect(2) or mlock(2) of a part), and
 *    in a fork child for its parent's blocks. The caller then copies the block.
 *
 * 4. Limits. If the process has all the mappings that the kernel allows, a block that has moved may
 *    lack a guard; one warning tells of the first. If blocks would take too many mappings
 *    (mapped_hardened_fits()), the next ones are page blocks without guards, where they fit.
 */
#ifndef MALLOC_MAPPED_MAPPED_HARDENED_H
#define MALLOC_MAPPED_MAPPED_HARDENED_H

#include "base/compiler.h"

/* In all of these calls, `bytes` is a multiple of the system's page. */
/* Maps a block: 0 or a negative errno. */
int mapped_hardened_map(size_t bytes, size_t align, void **block);
/* Grows the block, at another address only if it may move, or shrinks it. New bytes are zero. */
int mapped_hardened_resize(void *old, size_t old_bytes, size_t bytes, bool may_move, void **block);
/* Frees the block to the quarantine. The caller has taken it out of all tables. */
void mapped_hardened_release(void *block, size_t bytes);
/*
 * Makes the freed blocks inaccessible that mapped_reuse.h keeps accessible. Returns how many bytes.
 * Reads RLIMIT_AS anew. If inaccessible blocks have more than their share of it, unmaps them all.
 */
size_t mapped_hardened_trim(void);
/*
 * Unmaps all waiting blocks if `bytes` more bytes may fit after that. False if nothing was
 * unmapped.
 */
bool mapped_hardened_give_way(size_t bytes);
/* Ends the process with a report if the address lies in a waiting block. */
void mapped_hardened_report_freed(const char *function, const void *pointer, const void *caller);
/* May one more block be a mapping if there are nr_blocks? Also used without hardened=1. */
bool mapped_hardened_fits(size_t nr_blocks);

/*
 * Write and check the fence of a block of `bytes` bytes, of which the first `asked` are the
 * program's. A damaged fence ends the process with a report.
 */
void mapped_hardened_fence(void *block, size_t asked, size_t bytes);
void mapped_hardened_check(const char *function, const void *block, size_t asked, size_t bytes,
			 const void *caller);

#endif
