/* SPDX-License-Identifier: MIT */
/* The system is never suspended by this process: notifiers are not called. */
#ifndef _LINUX_SUSPEND_H
#define _LINUX_SUSPEND_H

#include <linux/freezer.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/pm.h>
#include <linux/swap.h>

#define PM_HIBERNATION_PREPARE 0x0001
#define PM_POST_HIBERNATION 0x0002
#define PM_SUSPEND_PREPARE 0x0003
#define PM_POST_SUSPEND 0x0004
#define PM_RESTORE_PREPARE 0x0005
#define PM_POST_RESTORE 0x0006
#define register_pm_notifier(block) ((void)(block), 0)
#define unregister_pm_notifier(block) ((void)(block), 0)

#endif
