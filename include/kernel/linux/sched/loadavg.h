/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_LOADAVG_H
#define KERNEL_LINUX_SCHED_LOADAVG_H

#include <linux/sched.h>

#define FSHIFT 11
#define FIXED_1 (1 << FSHIFT)
#define LOAD_FREQ (5 * HZ + 1)
#define LOAD_INT(x) ((x) >> FSHIFT)
#define LOAD_FRAC(x) LOAD_INT(((x) & (FIXED_1 - 1)) * 100)

/* The machine's now, in units of 1 / FIXED_1. */
const unsigned long *usermm_load_averages(void) __attribute__((visibility("default")));
#define avenrun usermm_load_averages()

#endif
