/* SPDX-License-Identifier: MIT */
/*
 * The mapping cache: freed mappings that stay for the next blocks.
 *
 * 1. Purpose. Memory from the system costs a page fault and a clearing for each page. A program
 *    that frees a large block often needs another one soon, for example an array for each step of
 *    a computation, or a buffer for each file.
 *
 * 2. Who gets a mapping. The smallest one that is large enough serves a new block, and the rest of
 *    it stays. If none is large enough, the longest one is made larger (mremap(2)): its pages move,
 *    and only the new ones cost page faults. A block that ends where a mapping begins grows into
 *    it. Neighbouring mappings are joined.
 *
 *    How long a mapping stays. It leaves the cache when
 *
 *   - a block gets it;
 *   - the cache would have more than `mapping_cache_bytes`, or no free place: a newly freed mapping
 *     replaces others;
 *   - the process maps more memory for a block, and the cache has more than a sixth of what the
 *     blocks have: as many bytes leave the cache. The sixth is for mappings that lie unused because
 *     none of them fits. So the process has at most a sixth more mapped than its blocks had when
 *     they had most;
 *   - memory comes online in the window: as many bytes leave the cache;
 *   - nobody has needed it for one to two seconds (mapped_cache_decay()). The background thread
 *     looks, or else the next thread that fills a sheaf or frees or allocates a large block;
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
#define MAPPED_CACHE_PLACES 64u
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
 * Takes the longest mapping and makes it as large as `bytes`, aligned to a page. *more is the
 * number of new bytes, which are zero. NULL if nothing is kept, or if the system refuses.
 */
void *mapped_cache_grow(size_t bytes, size_t *more);
/*
 * Takes the mapping that begins at address, where the caller's block ends, if it has at least
 * `bytes` bytes and is one mapping with the block. Returns how many bytes were taken; 0 if none.
 */
size_t mapped_cache_take_at(void *address, size_t bytes);
/* Unmaps at least `wanted` bytes, or all that are kept. Returns how many. */
size_t mapped_cache_give_back(size_t wanted);
/*
 * Called when `more` bytes are mapped for a block, before mapped_counts has them: unmaps up to as
 * many kept bytes, if the cache has more than its share of what is in use.
 */
void mapped_cache_make_way(size_t more);
/* Unmaps what nobody has needed since the last call. Returns how many bytes are still kept. */
size_t mapped_cache_decay(void);
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
