/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_SERIAL_H
#include_next <linux/serial.h>
#undef _LINUX_SERIAL_H
#define _LINUX_SERIAL_H

#include <linux/types.h>

/* How often the lines of a port have changed. */
struct async_icount {
	__u32 cts, dsr, rng, dcd, tx, rx;
	__u32 frame, parity, overrun, brk;
	__u32 buf_overrun;
};

#endif
