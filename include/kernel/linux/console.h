/* SPDX-License-Identifier: MIT */
/* Consoles can be registered. The log goes to standard output alone. */
#ifndef _LINUX_CONSOLE_H_
#define _LINUX_CONSOLE_H_

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

struct tty_driver;

#define CON_PRINTBUFFER 1
#define CON_CONSDEV 2
#define CON_ENABLED 4
#define CON_BOOT 8
#define CON_ANYTIME 16

struct console {
	char name[16];
	void (*write)(struct console *console, const char *text, unsigned int n);
	int (*read)(struct console *console, char *text, unsigned int n);
	struct tty_driver *(*device)(struct console *console, int *index);
	void (*unblank)(void);
	int (*setup)(struct console *console, char *options);
	int (*exit)(struct console *console);
	short flags, index;
	int cflag;
	void *data;
	struct console *next;
};

#define register_console(console) ((void)((console)->flags |= CON_ENABLED))
#define unregister_console(console) ((void)((console)->flags &= ~CON_ENABLED), 0)
#define console_lock() ((void)0)
#define console_unlock() ((void)0)
#define console_trylock() 1

#endif
