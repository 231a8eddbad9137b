/* SPDX-License-Identifier: MIT */
/* Call-backs before a request fails without memory: usermm/reclaim.h. */
#ifndef _LINUX_OOM_H
#define _LINUX_OOM_H

#include <linux/huge_mm.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/notifier.h>
#include <linux/page_ref.h>
#include <linux/percpu-rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/vmstat.h>
#include <linux/wait_bit.h>
#include <usermm/reclaim.h>

#endif
