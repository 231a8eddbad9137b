/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IRQ_H
#define KERNEL_LINUX_IRQ_H

#include <linux/interrupt.h>

#endif
