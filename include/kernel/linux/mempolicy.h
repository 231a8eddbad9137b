/* SPDX-License-Identifier: MIT */
/* One node: there is no policy to choose. */
#ifndef _LINUX_MEMPOLICY_H
#define _LINUX_MEMPOLICY_H

#include <linux/mm.h>

struct mempolicy;
#define numa_default_policy() do { } while (0)
#define mpol_put(policy) ((void)(policy))

#endif
