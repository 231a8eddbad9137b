/* SPDX-License-Identifier: MIT */
/* Who is asked before a request fails for want of memory: usermm/reclaim.h. */
#ifndef _LINUX_OOM_H
#define _LINUX_OOM_H

#include <linux/notifier.h>
#include <usermm/reclaim.h>

#endif
