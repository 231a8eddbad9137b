/* SPDX-License-Identifier: MIT */
/*
 * The mapping cache: a few freed mappings that stay for the next blocks.
 *
 * 1. Purpose. Memory from the system costs a page fault and a clearing for each page. A program
 *    that frees a large block often needs another one soon, for example an array for each step of
 *    a computation, or a buffer for each file.
 *
 * 2. How long a mapping stays. It leaves the cache when
 *
 *   - a new block fits in it, or a block that ends where the mapping begins grows into it. The rest
 *     of the mapping stays. Neighbouring mappings are joined;
 *   - the cache would have more than `mapping_cache_bytes`: a newly freed mapping replaces others;
 *   - the process grows, by a new mapping or by memory that comes online in the window: as many
 *     bytes leave the cache;
 *   - nobody has put or taken a mapping for a second. The next thread that fills a sheaf or frees
 *     or allocates a large block then empties the cache, or the background thread if there is one;
 *   - memory is trimmed, or the system has none left for a request; or a fork child first uses its
 *     cache.
 *
 * 3. When nothing is kept: where mappings count (limit=, RLIMIT_AS, RLIMIT_DATA), and where freed
 *    memory has to be cleared or inaccessible (init_on_alloc=1 and its relatives, kfence_sample=,
 *    hardened=1, which has a quarantine of its own: mapped_hardened.h). To make kept mappings
 *    inaccessible by default, too, would take five times as long
 *    (docs/notes/realloc-and-large-blocks.md).
 *
 * 4. What a program did to its block does not pass on to the next owner: protection, locks, advice,
 *    memory policies, protection keys, names, userfaultfd, guards. The last page of each mapping,
 *    its witness, is no block's. If the kernel no longer has the pages in one mapping with the
 *    witness, the program has changed some, and they go back to the system (os_make_plain()). Each
 *    end that is cut off has a witness of its own, its last page.
 *
 * 5. Concurrency. Nobody waits. A mapping is one word (mapping_word.h); the thread or signal
 *    handler that exchanges the word for 0 owns the mapping. Callers of put, take and give_back are
 *    between percpu_fork_change_begin() and percpu_fork_change_end().
 */
#ifndef MALLOC_MAPPED_MAPPED_CACHE_H
#define MALLOC_MAPPED_MAPPED_CACHE_H

#include "base/compiler.h"

/* A shorter mapping is rare and costs few page faults. */
#define MAPPED_CACHE_BYTES_MIN (128 * KIB)

/* The kept mappings, a mapping_word() each; 0 is a free place. Sync: compare-and-swap */
#define MAPPED_CACHE_PLACES 16u
extern unsigned long mapped_cache_places[MAPPED_CACHE_PLACES];

/*
 * Takes over a freed mapping. False if the mapping remains the caller's. bytes is a multiple of the
 * system's page in all functions, and includes the witness.
 */
bool mapped_cache_put(void *block, size_t bytes);
/*
 * Takes a mapping of at least *bytes, with its old contents. *bytes then says how many it has. NULL
 * if there is none.
 */
void *mapped_cache_take(size_t *bytes, size_t align);
/*
 * Takes the mapping that begins at address, where the caller's block ends, if the mapping has at
 * least `bytes` bytes. Returns how many bytes were taken; 0 if none.
 */
size_t mapped_cache_take_at(void *address, size_t bytes);
/* Unmaps at least `wanted` bytes, or all that are kept. Returns how many. */
size_t mapped_cache_give_back(size_t wanted);
/* How many bytes are kept. */
size_t mapped_cache_bytes(void);
/*
 * Empties the cache for good. Called when an address limit is set, and when a sandbox begins:
 * seccomp(2) may forbid the system calls that the cache needs.
 */
void mapped_cache_forbid(void);
/*
 * In a fork child: computes the number of kept bytes again. No other thread is inside these
 * functions.
 */
void mapped_cache_fork_child(void);

#endif
