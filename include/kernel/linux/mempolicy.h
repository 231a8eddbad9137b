/* SPDX-License-Identifier: MIT */
/* Tasks have no memory policy here; the process may have one (numactl(8)). */
#ifndef _LINUX_MEMPOLICY_H
#define _LINUX_MEMPOLICY_H

#include <asm/hardirq.h>
#include <linux/fs.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

struct mempolicy;
#define numa_default_policy() do { } while (0)
#define mpol_put(policy) ((void)(policy))

#endif
