/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

void slab_shrink_init(void);
/*
 * The last step of slab_init(): from now on the background thread and usermm_trim() go through
 * barns and caches.
 */
void slab_shrink_begin(void);
/*
 * Checks free objects of hardened caches, in quarantines and sheaves of this CPU, of a limited
 * number of other CPUs, and in barns, and returns them to their slabs. For the end of the process,
 * since nobody checks them later. Objects that are in their slabs already are not checked.
 */
void slab_hardened_sweep(void);

#endif
