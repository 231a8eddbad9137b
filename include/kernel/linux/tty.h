/* SPDX-License-Identifier: MIT */
/*
 * Terminals. A module's driver can be registered; nobody opens its lines. This process has no
 * terminal of the kernel's own, so get_current_tty() is NULL.
 */
#ifndef _LINUX_TTY_H
#define _LINUX_TTY_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/major.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/termios.h>
#include <linux/err.h>
#include <linux/tty_driver.h>
#include <linux/tty_port.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct tty_ldisc;
struct signal_struct;

struct tty_struct {
	struct kref kref;
	int index;
	struct device *dev;
	struct tty_driver *driver;
	struct tty_port *port;
	const struct tty_operations *ops;
	struct tty_ldisc *ldisc;
	struct rw_semaphore termios_rwsem;
	struct ktermios termios;
	char name[64];
	unsigned long flags;
	int count;
	struct winsize winsize;
	struct tty_struct *link;
	struct fasync_struct *fasync;
	wait_queue_head_t write_wait, read_wait;
	void *disc_data, *driver_data;
	unsigned int receive_room;
};

#define TTY_NORMAL 0
#define TTY_BREAK 1
#define TTY_FRAME 2
#define TTY_PARITY 3
#define TTY_OVERRUN 4
#define TTY_THROTTLED 0
#define TTY_IO_ERROR 1
#define C_BAUD(tty) ((tty)->termios.c_cflag & CBAUD)
#define C_CRTSCTS(tty) ((tty)->termios.c_cflag & CRTSCTS)
#define I_IXON(tty) ((tty)->termios.c_iflag & IXON)
#define I_IXOFF(tty) ((tty)->termios.c_iflag & IXOFF)
#define STOP_CHAR(tty) ((tty)->termios.c_cc[VSTOP])
#define START_CHAR(tty) ((tty)->termios.c_cc[VSTART])

#define get_current_tty() ((struct tty_struct *)NULL)
#define tty_kref_get(tty) (tty)
#define tty_kref_put(tty) ((void)(tty))
#define tty_wakeup(tty) ((void)(tty))
#define tty_hangup(tty) ((void)(tty))
#define tty_name(tty) ((tty) ? (tty)->name : "NULL tty")
#define tty_get_baud_rate(tty) tty_termios_baud_rate(&(tty)->termios)
#define tty_termios_baud_rate(termios) ((speed_t)((void)(termios), 9600))
#define tty_encode_baud_rate(tty, in, out) ((void)(tty), (void)(in), (void)(out))
#define tty_termios_copy_hw(to, from) ((void)((to)->c_cflag = (from)->c_cflag))
#define tty_lock(tty) ((void)(tty))
#define tty_unlock(tty) ((void)(tty))
/* No terminal of the kernel's own: no module can have one for itself. */
#define tty_kopen_exclusive(device) ((void)(device), (struct tty_struct *)ERR_PTR(-ENODEV))
#define tty_kopen_shared(device) tty_kopen_exclusive(device)
#define tty_kclose(tty) ((void)(tty))
#define tty_register_ldisc(...) 0
#define tty_unregister_ldisc(...) ((void)0)

#endif
