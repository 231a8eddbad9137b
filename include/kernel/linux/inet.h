/* SPDX-License-Identifier: MIT */
/* Addresses as text. */
#ifndef _LINUX_INET_H
#define _LINUX_INET_H

#include <linux/byteorder.h>
#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/ioport.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/* A dotted address in the network's order. */
static inline __be32 in_aton(const char *text)
{
	u32 address = 0;

	for (int i = 0; i < 4; i++) {
		char *end;

		address = address << 8 | (u32)(simple_strtoul(text, &end, 10) & 0xff);
		text = *end == '.' ? end + 1 : end;
	}
	return (__be32)cpu_to_be32(address);
}

#endif
