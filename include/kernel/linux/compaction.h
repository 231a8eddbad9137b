/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_COMPACTION_H
#define KERNEL_LINUX_COMPACTION_H

#include <linux/mm.h>

#endif
