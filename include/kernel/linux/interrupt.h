/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_INTERRUPT_H
#define KERNEL_LINUX_INTERRUPT_H

#include <linux/cpumask.h>
#include <linux/hardirq.h>

#endif
