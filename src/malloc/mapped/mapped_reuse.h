/* SPDX-License-Identifier: MIT */
/*
 * hardened=1: freed mapping blocks of up to MAPPED_REUSE_BYTES_MAX that stay accessible, for a
 * program that frees many.
 *
 * 1. Purpose. A block that waits inaccessible (mapped_hardened.h) takes four system calls and a
 *    page fault for each page: ten times as long as clearing its bytes. So a program that frees
 *    more than MAPPED_REUSE_FREES such blocks in a second has later ones treated as objects are:
 *    cleared when they are freed, checked to be zero when they are handed out again. A write after
 *    free is reported then, and a read after free finds zeros. A program that frees fewer has a
 *    fault for either. Guard pages stay where they are.
 *
 * 2. How long a block waits: until at least MAPPED_REUSE_WAITING blocks of its size wait, and then
 *    for its turn; the longest waiting is the first to go.
 *
 * 3. When blocks go back to the system: when nobody has put or taken one for a second (decay.h),
 *    when memory is trimmed or short, and when there are too many. Nothing stays with limit=.
 *
 * 4. Concurrency. Nobody waits. A block is one word (mapping_word.h); whoever exchanges the word
 *    for 0 owns the block. Callers are between percpu_fork_change_begin() and
 *    percpu_fork_change_end().
 */
#ifndef MALLOC_MAPPED_MAPPED_REUSE_H
#define MALLOC_MAPPED_MAPPED_REUSE_H

#include "base/compiler.h"

#define MAPPED_REUSE_BYTES_MAX (128 * KIB)
#define MAPPED_REUSE_FREES 256
#define MAPPED_REUSE_WAITING 8

/*
 * Takes over a freed block, and clears it. False if the block remains the caller's. bytes is a
 * multiple of the system's page in all functions.
 */
bool mapped_reuse_put(void *block, size_t bytes);
/* A block of exactly so many bytes, which are zero; NULL if there is none. */
void *mapped_reuse_take(size_t bytes);
/* Takes a block of any size out, for a caller who unmaps it. NULL if there is none. */
void *mapped_reuse_withdraw(size_t *bytes);
/* The bytes of all blocks that wait here. */
size_t mapped_reuse_bytes(void);
/* Has nobody put or taken one for a second? */
bool mapped_reuse_is_idle(void);
/* The start of the block that holds the address, and its *bytes; NULL if there is none. */
void *mapped_reuse_find(const void *address, size_t *bytes);
/* Ends the process with a report if somebody has written to a block. */
void mapped_reuse_check(void);
/* In a fork child: counts the blocks anew, for the parent's threads may have been counting. */
void mapped_reuse_fork_child(void);

#endif
