/* SPDX-License-Identifier: MIT */
/*
 * Whose rules? What the calls of Linux's names do has changed from version to version. Each rule
 * that a caller can see asks linux_since(), in slow paths only. docs/linux-differences.md lists the
 * rules.
 */
#ifndef BASE_LINUX_VERSION_H
#define BASE_LINUX_VERSION_H

#include <stdbool.h>

#define LINUX_VERSION_OF(major, minor) (((major) << 16) + ((minor) << 8))

/*
 * As LINUX_VERSION_CODE. Programs on the API have the rules that include/usermm/ documents, those
 * of 6.12. The runtime for kernel sources sets the version that the sources were compiled for, or
 * the newest one that it knows. Sync: written before there are threads
 */
extern unsigned int linux_version;

static inline bool linux_since(unsigned int major, unsigned int minor)
{
	return linux_version >= LINUX_VERSION_OF(major, minor);
}

#endif
