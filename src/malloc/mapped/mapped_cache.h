/* SPDX-License-Identifier: MIT */
/*
 * Mappings that were freed, and stay for the next blocks.
 *
 * What comes from the system is a page fault a page, and cleared; a program that frees a large
 * block often needs another one soon (an array for each step of a computation, a buffer for each
 * file). So a freed mapping stays as it is, a few of them, until
 *
 *   - a block comes that is no longer, or one grows that ends where it begins: what they leave of
 *     it stays, and neighbours are joined;
 *   - they are more than `mapping_cache_bytes` allows: then others go first;
 *   - the process grows, by a mapping that none of them can be or by what comes online of the
 *     window: then as many bytes go;
 *   - nobody has freed or taken one for a second: then whoever fills a CPU's sheaf, or comes with
 *     the next large block, lets all of them go, or the background thread, if it is there;
 *   - memory is trimmed, or the system has none for somebody; or a fork child uses its own.
 *
 * None stays where what is mapped counts (limit=, RLIMIT_AS, RLIMIT_DATA), nor where what is freed
 * is to be cleared or out of reach (init_on_alloc=1 and its like, kfence_sample=), hardened=1 among
 * them, which has a quarantine of its own (mapped_hardened.h). Making them inaccessible by default
 * as well would take five times as long (docs/notes/realloc-and-large-blocks.md). A piece may be
 * several mappings for the kernel, as when a program asked for huge pages in a part of it: then
 * its owner's realloc() has to copy it.
 *
 * Nobody waits: a mapping is in one word, which whoever exchanges it for nothing owns. In signal
 * handlers, too. Who puts, takes or gives back is between percpu_fork_change_begin() and _end().
 */
#ifndef MALLOC_MAPPED_MAPPED_CACHE_H
#define MALLOC_MAPPED_MAPPED_CACHE_H

#include "base/compiler.h"

/* bytes is a multiple of the system's pages in all of these. False: it is the caller's still. */
bool mapped_cache_put(void *block, size_t bytes);
/* One of *bytes or somewhat more, which *bytes then says, with what was in it; or NULL. */
void *mapped_cache_take(size_t *bytes, size_t align);
/* What lies at the address, the end of the caller's block: so many bytes or somewhat more, or 0. */
size_t mapped_cache_take_at(void *address, size_t bytes);
/* So many bytes go back to the system, or what there is; the bytes. */
size_t mapped_cache_give_back(size_t wanted);
size_t mapped_cache_bytes(void);
/* None stays from now on: what is done to a block that does may be forbidden (seccomp(2)). */
void mapped_cache_forbid(void);
/* In a fork child, whose only thread does none of these: what is there is counted anew. */
void mapped_cache_fork_child(void);
/* When the library comes up. */
void mapped_cache_init(void);

#endif
