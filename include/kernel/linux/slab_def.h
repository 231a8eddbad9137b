/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SLAB_DEF_H
#define KERNEL_LINUX_SLAB_DEF_H

#include <linux/slab.h>

#endif
