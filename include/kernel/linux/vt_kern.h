/* SPDX-License-Identifier: MIT */
#ifndef _VT_KERN_H
#define _VT_KERN_H

#include <linux/console_struct.h>
#include <linux/kd.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/vt.h>

#define register_vt_notifier(block) ((void)(block), 0)
#define unregister_vt_notifier(block) ((void)(block), 0)

#endif
