/* SPDX-License-Identifier: MIT */
/* The structures are the system's; the questions about endpoints are the kernel's alone. */
#ifndef KERNEL_LINUX_USB_CH9_H
#define KERNEL_LINUX_USB_CH9_H

#include <linux/types.h>
#include_next <linux/usb/ch9.h>

#endif
