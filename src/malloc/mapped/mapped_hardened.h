/* SPDX-License-Identifier: MIT */
/*
 * Large blocks with hardened=1: mappings between two pages that cannot be touched.
 *
 * What is left of the last page behind the bytes that were asked for holds a fence of one
 * byte's value, which is looked at when the block is freed. A freed block stays where it is
 * for a while, but cannot be touched and has no memory: using it is a SIGSEGV, and no other
 * block gets its address. At most QUARANTINE_BLOCKS such blocks, none of more than
 * QUARANTINE_BLOCK_BYTES, wait for that; the next one that is freed takes the place of the
 * oldest. Where a block fails that might fit without them all of them go.
 *
 * realloc() moves a block's pages to a larger place, and the old one waits as that of a freed
 * block does. A block that becomes smaller stays, with a guard behind its new end, and what is
 * cut off waits. Both fail, and nothing has changed, for a block of which the program has made
 * several mappings (mprotect(2), mlock(2) and the like of a part), or that a fork child has from
 * its parent: such a block is copied to a new one.
 *
 * Where the system refuses a block that has moved one of its guards, since the process has all
 * the mappings that it may have, the block goes without, as is told once.
 *
 * In a program with so many blocks that their mappings would use up what the system allows,
 * those that fit go to the window's pages, without guards.
 */
#ifndef MALLOC_MAPPED_MAPPED_HARDENED_H
#define MALLOC_MAPPED_MAPPED_HARDENED_H

#include "base/compiler.h"

/* bytes is a multiple of the system's pages in all of these. 0 or a negative errno. */
int mapped_hardened_map(size_t bytes, size_t align, void **block);
/* Grows, perhaps at another place, or shrinks; what is gained is zero. */
int mapped_hardened_resize(void *old, size_t old_bytes, size_t bytes, void **block);
/* Its owner is the caller: nobody finds it any more. */
void mapped_hardened_release(void *block, size_t bytes);
/* Unmaps those that wait if so many bytes may fit then; false if nothing was done. */
bool mapped_hardened_give_way(size_t bytes);
/* Ends the process with a report if the address lies in one that waits. */
void mapped_hardened_report_freed(const char *function, const void *pointer, const void *caller);
/* May so many blocks have mappings? */
bool mapped_hardened_fits(size_t nr_blocks);

/* The end of a block of so many bytes, of which `asked` are the program's. */
void mapped_hardened_fence(void *block, size_t asked, size_t bytes);
void mapped_hardened_check(const char *function, const void *block, size_t asked, size_t bytes,
			 const void *caller);

#endif
