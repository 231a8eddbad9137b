/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SEM_H
#define KERNEL_LINUX_SEM_H

#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#endif
