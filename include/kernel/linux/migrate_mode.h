/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MIGRATE_MODE_H
#define KERNEL_LINUX_MIGRATE_MODE_H

#include <linux/types.h>

#endif
