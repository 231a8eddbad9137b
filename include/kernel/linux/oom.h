/* SPDX-License-Identifier: MIT */
/* Call-backs before a request fails without memory: usermm/reclaim.h. */
#ifndef _LINUX_OOM_H
#define _LINUX_OOM_H

#include <linux/notifier.h>
#include <usermm/reclaim.h>

#endif
