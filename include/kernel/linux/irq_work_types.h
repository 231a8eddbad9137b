/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IRQ_WORK_TYPES_H
#define KERNEL_LINUX_IRQ_WORK_TYPES_H

#include <linux/irq_work.h>

#endif
