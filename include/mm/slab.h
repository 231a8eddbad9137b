/* SPDX-License-Identifier: MIT */
/*
 * For sources that look inside with "../mm/slab.h". The structure of a cache is not
 * shown, since usermm's is another one; docs/KERNEL-HEADERS.md says what that leaves out.
 */
#ifndef MM_SLAB_H
#define MM_SLAB_H

#include <linux/kasan.h>
#include <linux/slab.h>

#endif
