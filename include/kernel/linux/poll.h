/* SPDX-License-Identifier: MIT */
/*
 * Waiting for files. A file's poll() tells what is possible now, and names by poll_wait() the
 * queues that are woken when this changes.
 */
#ifndef _LINUX_POLL_H
#define _LINUX_POLL_H

#include <asm/barrier.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <sys/epoll.h>		/* EPOLLIN and so on */

#ifndef POLLIN
#define POLLIN 0x001
#define POLLPRI 0x002
#define POLLOUT 0x004
#define POLLERR 0x008
#define POLLHUP 0x010
#define POLLNVAL 0x020
#endif
#ifndef POLLRDNORM
#define POLLRDNORM 0x040
#define POLLRDBAND 0x080
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#endif
#ifndef POLLMSG
#define POLLMSG 0x400
#define POLLRDHUP 0x2000
#endif

#define DEFAULT_POLLMASK (EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM)

struct poll_table_struct;
typedef void (*poll_queue_proc)(struct file *file, wait_queue_head_t *queue,
				struct poll_table_struct *table);

typedef struct poll_table_struct {
	poll_queue_proc _qproc;		/* NULL: nobody waits */
	__poll_t _key;			/* the events that are of interest */
} poll_table;

static inline void poll_wait(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	if (!table || !table->_qproc || !queue)
		return;
	table->_qproc(file, queue, table);
	/* Read the condition after queueing; pairs with wq_has_sleeper(). */
	smp_mb();
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define poll_does_not_wait(table) (!(table) || !(table)->_qproc)
#else
USERMM_REMOVED(poll_does_not_wait, "6.14", "_qproc of the table")
#endif
#define poll_requested_events(table) ((table) ? (table)->_key : ~(__poll_t)0)

static inline void init_poll_funcptr(poll_table *table, poll_queue_proc function)
{
	table->_qproc = function;
	table->_key = ~(__poll_t)0;
}

#define file_can_poll(file) ((file)->f_op->poll != NULL)

static inline __poll_t vfs_poll(struct file *file, struct poll_table_struct *table)
{
	return file_can_poll(file) ? (file->f_op->poll)(file, table) : DEFAULT_POLLMASK;
}

#endif
