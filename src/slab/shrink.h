/* SPDX-License-Identifier: MIT */
#ifndef SLAB_SHRINK_H
#define SLAB_SHRINK_H

void slab_shrink_init(void);

#endif
