/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_TTY_DRIVER_H
#define _LINUX_TTY_DRIVER_H

#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/termios.h>
#include <linux/uaccess.h>
#include <linux/version.h>

struct seq_file;
struct serial_icounter_struct;
struct serial_struct;
struct tty_driver;
struct tty_port;
struct tty_struct;

struct tty_operations {
	struct tty_struct *(*lookup)(struct tty_driver *driver, struct file *file, int index);
	int (*install)(struct tty_driver *driver, struct tty_struct *tty);
	void (*remove)(struct tty_driver *driver, struct tty_struct *tty);
	int (*open)(struct tty_struct *tty, struct file *file);
	void (*close)(struct tty_struct *tty, struct file *file);
	void (*shutdown)(struct tty_struct *tty);
	void (*cleanup)(struct tty_struct *tty);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	ssize_t (*write)(struct tty_struct *tty, const u8 *buffer, size_t n);
	int (*put_char)(struct tty_struct *tty, u8 c);
#else
	int (*write)(struct tty_struct *tty, const unsigned char *buffer, int n);
	int (*put_char)(struct tty_struct *tty, unsigned char c);
#endif
	void (*flush_chars)(struct tty_struct *tty);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	unsigned int (*write_room)(struct tty_struct *tty);
	unsigned int (*chars_in_buffer)(struct tty_struct *tty);
#else
	int (*write_room)(struct tty_struct *tty);
	int (*chars_in_buffer)(struct tty_struct *tty);
#endif
	int (*ioctl)(struct tty_struct *tty, unsigned int command, unsigned long argument);
	long (*compat_ioctl)(struct tty_struct *tty, unsigned int command,
			     unsigned long argument);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	void (*set_termios)(struct tty_struct *tty, const struct ktermios *old);
#else
	void (*set_termios)(struct tty_struct *tty, struct ktermios *old);
#endif
	void (*throttle)(struct tty_struct *tty);
	void (*unthrottle)(struct tty_struct *tty);
	void (*stop)(struct tty_struct *tty);
	void (*start)(struct tty_struct *tty);
	void (*hangup)(struct tty_struct *tty);
	int (*break_ctl)(struct tty_struct *tty, int state);
	void (*flush_buffer)(struct tty_struct *tty);
	void (*set_ldisc)(struct tty_struct *tty);
	void (*wait_until_sent)(struct tty_struct *tty, int timeout);
	int (*tiocmget)(struct tty_struct *tty);
	int (*tiocmset)(struct tty_struct *tty, unsigned int set, unsigned int clear);
	int (*get_icount)(struct tty_struct *tty, struct serial_icounter_struct *count);
	int (*get_serial)(struct tty_struct *tty, struct serial_struct *serial);
	int (*set_serial)(struct tty_struct *tty, struct serial_struct *serial);
	int (*proc_show)(struct seq_file *m, void *driver);
};

struct tty_driver {
	struct kref kref;
	struct module *owner;
	const char *driver_name, *name;
	int name_base, major, minor_start;
	unsigned int num;
	short type, subtype;
	struct ktermios init_termios;
	unsigned long flags;
	struct tty_struct **ttys;
	struct tty_port **ports;
	void *driver_state;
	const struct tty_operations *ops;
};

#define TTY_DRIVER_INSTALLED 0x0001
#define TTY_DRIVER_RESET_TERMIOS 0x0002
#define TTY_DRIVER_REAL_RAW 0x0004
#define TTY_DRIVER_DYNAMIC_DEV 0x0008
#define TTY_DRIVER_UNNUMBERED_NODE 0x0080
#define TTY_DRIVER_TYPE_SYSTEM 1
#define TTY_DRIVER_TYPE_CONSOLE 2
#define TTY_DRIVER_TYPE_SERIAL 3
#define TTY_DRIVER_TYPE_PTY 4
#define SERIAL_TYPE_NORMAL 1

static inline struct tty_driver *tty_alloc_driver(unsigned int lines, unsigned long flags)
{
	struct tty_driver *driver;

	if (!lines)
		return (struct tty_driver *)ERR_PTR(-EINVAL);
	driver = (struct tty_driver *)kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return (struct tty_driver *)ERR_PTR(-ENOMEM);
	kref_init(&driver->kref);
	driver->num = lines;
	driver->flags = flags;
	return driver;
}

static inline void usermm_tty_driver_free(struct kref *kref)
{
	kfree(container_of(kref, struct tty_driver, kref));
}

static inline void tty_driver_kref_put(struct tty_driver *driver)
{
	kref_put(&driver->kref, usermm_tty_driver_free);
}

static inline int tty_register_driver(struct tty_driver *driver)
{
	if (!driver->ops || !driver->name)
		return -EINVAL;
	driver->flags |= TTY_DRIVER_INSTALLED;
	return 0;
}

#define put_tty_driver(driver) tty_driver_kref_put(driver)
#define tty_unregister_driver(driver) ((void)((driver)->flags &= ~0x0001UL))
#define tty_set_operations(driver, operations) ((void)((driver)->ops = (operations)))
#define tty_register_device(driver, index, dev) \
	((void)(driver), (void)(index), (void)(dev), (struct device *)NULL)
#define tty_unregister_device(driver, index) ((void)(driver), (void)(index))
#define alloc_tty_driver(lines)						\
	({								\
		struct tty_driver *driver_ = tty_alloc_driver(lines, 0); \
									\
		IS_ERR(driver_) ? NULL : driver_;			\
	})
#define tty_std_termios							\
	((struct ktermios){ .c_iflag = ICRNL | IXON, .c_oflag = OPOST | ONLCR,	\
		.c_cflag = B38400 | CS8 | CREAD | HUPCL,		\
		.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN, \
		.c_ispeed = 38400, .c_ospeed = 38400 })

#endif
