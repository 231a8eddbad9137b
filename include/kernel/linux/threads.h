/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_THREADS_H
#define KERNEL_LINUX_THREADS_H

#include <linux/kconfig.h>

/* The most CPUs that a machine may have here; nr_cpu_ids says how many it has. */
#define NR_CPUS CONFIG_NR_CPUS

#endif
