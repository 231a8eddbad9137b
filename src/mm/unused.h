/* SPDX-License-Identifier: MIT */
/*
 * hardened=1: the beginning of the window is inaccessible until it is used. Memory comes online in
 * sections of 4 MiB, of which a small heap uses a part. Otherwise an access that misses its block
 * by a megabyte would hit the rest and go unnoticed.
 *
 * This covers only the first MM_UNUSED_BYTES of the window, in granules of MM_GRANULE_BYTES. A
 * granule becomes accessible when the page layer takes the first of its pages, and stays so.
 */
#ifndef MM_UNUSED_H
#define MM_UNUSED_H

#include "base/compiler.h"

#define MM_UNUSED_BYTES (8 * MIB)
#define MM_GRANULE_BYTES (64 * KIB)

struct page;

/* Are there granules that are inaccessible? Sync: atomic relaxed; set before they are free */
extern bool mm_unused_any __hidden;

/* Makes memory inaccessible that has come online and has no owner. Sync: page_grow_lock */
void mm_unused_hide(void *addr, size_t bytes);
/* Makes pages accessible for the thread that takes them. False if the system refuses. */
bool mm_unused_show(const struct page *page, unsigned long nr_pages) slow_path;

#endif
