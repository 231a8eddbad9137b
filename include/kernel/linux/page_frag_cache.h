/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PAGE_FRAG_CACHE_H
#define KERNEL_LINUX_PAGE_FRAG_CACHE_H

#include <linux/gfp.h>

#endif
