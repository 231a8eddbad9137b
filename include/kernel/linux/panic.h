/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PANIC_H
#define KERNEL_LINUX_PANIC_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <usermm/compiler.h>

/* Prints why and the stack, then calls abort(). */
void panic(const char *format, ...) USERMM_API(panic)
	__attribute__((__noreturn__, __cold__)) __printf(1, 2);

#endif
