/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_THREADS_H
#define KERNEL_LINUX_THREADS_H

#include <linux/kconfig.h>

/* The largest possible number of CPUs; nr_cpu_ids is the number that exists. */
#define NR_CPUS CONFIG_NR_CPUS

#endif
