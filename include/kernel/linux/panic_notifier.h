/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_PANIC_NOTIFIERS_H
#define _LINUX_PANIC_NOTIFIERS_H

#include <linux/notifier.h>
#include <linux/types.h>
#include <usermm/compiler.h>

/* Can be joined; a crash ends the run without calling it. */
extern struct atomic_notifier_head panic_notifier_list USERMM_API(panic_notifier_list);

#endif
