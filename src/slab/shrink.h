/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

void slab_shrink_init(void);
/*
 * The last step of slab_init(): from now on the background thread and usermm_trim() go through
 * barns and caches.
 */
void slab_shrink_begin(void);

#endif
