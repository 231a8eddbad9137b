/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TRACE_H
#define _LINUX_TRACE_H

#include <linux/ftrace.h>
#include <linux/printk.h>

#endif
