/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TTY_FLIP_H
#define _LINUX_TTY_FLIP_H

#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/ioport.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/tty_port.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>

/* All characters are taken, and nobody reads them. */
#define tty_insert_flip_char(port, c, flag) ((void)(port), (void)(c), (void)(flag), 1)
#define tty_insert_flip_string(port, text, n) ((void)(port), (void)(text), (n))
#define tty_flip_buffer_push(port) ((void)(port))
#define tty_buffer_request_room(port, n) ((void)(port), (n))

#endif
