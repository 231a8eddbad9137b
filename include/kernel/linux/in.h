/* SPDX-License-Identifier: MIT */
/* Addresses and protocols: libc's, since in a kernel source the system's header clashes with it. */
#ifndef KERNEL_LINUX_IN_H
#define KERNEL_LINUX_IN_H

#include <linux/byteorder.h>
#include <linux/socket.h>	/* before libc's: see there */
#include <linux/types.h>
#include <netinet/in.h>

#endif
