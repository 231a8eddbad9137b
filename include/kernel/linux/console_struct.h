/* SPDX-License-Identifier: MIT */
/* Virtual consoles. This process has none: vc_cons[].d is NULL. */
#ifndef _LINUX_CONSOLE_STRUCT_H
#define _LINUX_CONSOLE_STRUCT_H

#include <linux/tty.h>
#include <linux/vt.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct vc_data {
	struct tty_port port;
	unsigned short vc_num;
	unsigned int vc_cols, vc_rows;
	unsigned short *vc_screenbuf;
};

struct vc {
	struct vc_data *d;
};

extern struct vc vc_cons[MAX_NR_CONSOLES] __asm__("usermm_vc_cons")
	__attribute__((visibility("default")));
#define fg_console 0
#define last_console 0

#endif
