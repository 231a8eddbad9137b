/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMEX_H
#define KERNEL_LINUX_TIMEX_H

#include <asm/msr.h>
#include <asm/param.h>
#include <asm/spinlock.h>
#include <asm/timex.h>
#include <linux/rwlock.h>
#include <linux/time64.h>

#endif
