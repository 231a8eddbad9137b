/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SLAB_DEF_H
#define KERNEL_LINUX_SLAB_DEF_H

#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#error "Linux 6.8 removed <linux/slab_def.h>; include <linux/slab.h> instead"
#endif

#include <linux/slab.h>

#endif
