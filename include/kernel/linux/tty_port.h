/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TTY_PORT_H
#define _LINUX_TTY_PORT_H

#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/ioport.h>
#include <linux/kfifo.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct file;
struct tty_port;
struct tty_struct;

struct tty_port_operations {
	bool (*carrier_raised)(struct tty_port *port);
	void (*dtr_rts)(struct tty_port *port, bool active);
	void (*shutdown)(struct tty_port *port);
	int (*activate)(struct tty_port *port, struct tty_struct *tty);
	void (*destruct)(struct tty_port *port);
};

struct tty_port {
	struct tty_struct *tty;
	const struct tty_port_operations *ops;
	spinlock_t lock;
	int blocked_open, count;
	wait_queue_head_t open_wait, delta_msr_wait;
	unsigned long flags, iflags;
	struct mutex mutex, buf_mutex;
	unsigned int close_delay, closing_wait;
	struct kref kref;
	DECLARE_KFIFO_PTR(xmit_fifo, u8);	/* of a serial port; nobody fills it */
};

static inline void tty_port_init(struct tty_port *port)
{
	*port = (struct tty_port){ .close_delay = 50, .closing_wait = 3000 };
	spin_lock_init(&port->lock);
	init_waitqueue_head(&port->open_wait);
	init_waitqueue_head(&port->delta_msr_wait);
	mutex_init(&port->mutex);
	mutex_init(&port->buf_mutex);
	kref_init(&port->kref);
}

/* What a line receives has no reader. */
#define tty_port_destroy(port) ((void)(port))
#define tty_port_link_device(port, driver, index) \
	((void)(port), (void)(driver), (void)(index))
#define tty_port_register_device(port, driver, index, dev) \
	((void)(port), (void)(driver), (void)(index), (void)(dev), (struct device *)NULL)
#define tty_port_open(port, line, file) ((void)(line), (void)(file), (port)->count++, 0)
#define tty_port_close(port, line, file) ((void)(line), (void)(file), (void)(port)->count--)
#define tty_port_hangup(port) ((void)((port)->count = 0))
#define tty_port_install(port, driver, line) ((void)(port), (void)(driver), (void)(line), 0)
#define tty_port_tty_get(port) ((port)->tty)
#define tty_port_tty_set(port, line) ((void)((port)->tty = (line)))
#define tty_port_tty_wakeup(port) ((void)(port))
#define tty_port_put(port) ((void)(port))

#endif
