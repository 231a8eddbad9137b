/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PGALLOC_H
#define KERNEL_ASM_PGALLOC_H

#include <asm/hardirq.h>
#include <linux/fs.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#endif
