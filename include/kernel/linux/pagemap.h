/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PAGEMAP_H
#define KERNEL_LINUX_PAGEMAP_H

#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#endif
