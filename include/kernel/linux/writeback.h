/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_WRITEBACK_H
#define KERNEL_LINUX_WRITEBACK_H

#include <asm/hardirq.h>
#include <linux/device.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kmod.h>
#include <linux/kmsan.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/folio_batch.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>

#endif
