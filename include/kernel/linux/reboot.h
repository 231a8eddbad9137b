/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_REBOOT_H
#define KERNEL_LINUX_REBOOT_H

#include <linux/notifier.h>

#endif
