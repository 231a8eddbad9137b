/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MMAN_H
#define KERNEL_LINUX_MMAN_H

#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include_next <linux/mman.h>

#endif
