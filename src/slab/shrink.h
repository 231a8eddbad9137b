/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

void slab_shrink_init(void);
/* All that CPUs, barns and caches keep free goes back to the page allocator. */
void slab_trim(void);

#endif
