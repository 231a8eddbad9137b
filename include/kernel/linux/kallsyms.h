/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KALLSYMS_H
#define KERNEL_LINUX_KALLSYMS_H

#include <linux/types.h>

#define KSYM_NAME_LEN 512
#define KSYM_SYMBOL_LEN 600

/* Always fails. Since Linux 5.7 modules cannot look names up either. */
static inline unsigned long kallsyms_lookup_name(const char *name)
{
	(void)name;
	return 0;
}

#endif
