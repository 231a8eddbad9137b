/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WAIT_BIT_H
#define KERNEL_LINUX_WAIT_BIT_H

#include <linux/wait.h>

#endif
