/* SPDX-License-Identifier: MIT */
/* As without CONFIG_SECURITY. */
#ifndef __LINUX_SECURITY_H
#define __LINUX_SECURITY_H

#include <linux/bsearch.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/ioport.h>
#include <linux/kernel_read_file.h>
#include <linux/key.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/sockptr.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uuid.h>

#endif
