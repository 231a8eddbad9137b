/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_FTRACE_H
#define KERNEL_LINUX_FTRACE_H

#include <linux/compiler.h>
#include <linux/kernel.h>

#endif
