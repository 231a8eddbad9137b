/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IRQ_H
#define KERNEL_LINUX_IRQ_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kobject.h>
#include <linux/percpu-refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#endif
