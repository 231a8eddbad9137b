/* SPDX-License-Identifier: MIT */
/* What all kinds of namespaces have. */
#ifndef _LINUX_NS_COMMON_H
#define _LINUX_NS_COMMON_H

#include <linux/refcount.h>

struct dentry;

struct ns_common {
	struct dentry *stashed;
	unsigned int inum;		/* as /proc/PID/ns shows it */
	refcount_t count;
};

#endif
