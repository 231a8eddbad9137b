/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KALLSYMS_H
#define KERNEL_LINUX_KALLSYMS_H

#include <asm/msr.h>
#include <asm/sections.h>
#include <linux/error-injection.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

#define KSYM_NAME_LEN 512
#define KSYM_SYMBOL_LEN 600

/* Always fails. Since Linux 5.7 modules cannot look names up either. */
static inline unsigned long kallsyms_lookup_name(const char *name)
{
	(void)name;
	return 0;
}

#endif
