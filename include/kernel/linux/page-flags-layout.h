/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PAGE_FLAGS_LAYOUT_H
#define KERNEL_LINUX_PAGE_FLAGS_LAYOUT_H

#include <linux/page-flags.h>

#endif
