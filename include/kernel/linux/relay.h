/* SPDX-License-Identifier: MIT */
/* Channels to programs: none can be opened, as without memory. */
#ifndef _LINUX_RELAY_H
#define _LINUX_RELAY_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wait.h>

struct rchan;
struct rchan_buf;

struct rchan_callbacks {
	int (*subbuf_start)(struct rchan_buf *buffer, void *subbuf, void *previous,
			    size_t padding);
	struct dentry *(*create_buf_file)(const char *name, struct dentry *parent, umode_t mode,
					  struct rchan_buf *buffer, int *is_global);
	int (*remove_buf_file)(struct dentry *dentry);
};

#define relay_open(name, parent, size, n, callbacks, data) \
	((void)(name), (void)(parent), (void)(size), (void)(n), (void)(callbacks), (void)(data), \
	 (struct rchan *)NULL)
#define relay_close(channel) ((void)(channel))
#define relay_flush(channel) ((void)(channel))
#define relay_write(channel, data, n) ((void)(channel), (void)(data), (void)(n))

#endif
