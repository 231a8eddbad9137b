/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PAGE_FLAGS_LAYOUT_H
#define KERNEL_LINUX_PAGE_FLAGS_LAYOUT_H

#include <linux/init.h>
#include <linux/numa.h>
#include <linux/page-flags.h>

#endif
