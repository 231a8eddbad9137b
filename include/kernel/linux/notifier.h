/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_NOTIFIER_H
#define _LINUX_NOTIFIER_H

#include <linux/errno.h>
#include <linux/types.h>
#include <usermm/notifier.h>

#endif
