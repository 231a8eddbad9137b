/* SPDX-License-Identifier: MIT */
/* Settings of terminals: the system's structures, and the kernel's own one. */
#ifndef KERNEL_LINUX_TERMIOS_H
#define KERNEL_LINUX_TERMIOS_H

#include <linux/types.h>
#ifdef __GLIBC__
#include <sys/ioctl.h>
#endif
#include <termios.h>

#ifndef TIOCGWINSZ
#include <sys/ioctl.h>
#endif

struct ktermios {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_line;
	cc_t c_cc[NCCS];
	speed_t c_ispeed, c_ospeed;
};

#define INIT_C_CC { 0 }

#endif
