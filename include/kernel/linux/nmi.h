/* SPDX-License-Identifier: MIT */
/* The watchdog is the runner's time limit, which a module cannot extend. */
#ifndef _LINUX_NMI_H
#define _LINUX_NMI_H

#include <asm/io.h>
#include <asm/irq.h>
#include <asm/msr.h>
#include <linux/irq_work.h>
#include <linux/pm.h>
#include <linux/time64.h>
#include <linux/workqueue_types.h>

#define touch_nmi_watchdog() do { } while (0)
#define touch_softlockup_watchdog() do { } while (0)

#endif
