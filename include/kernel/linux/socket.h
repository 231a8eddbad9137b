/* SPDX-License-Identifier: MIT */
/* Addresses and kinds of sockets are libc's; messages of the kernel's side are its own. */
#ifndef KERNEL_LINUX_SOCKET_H
#define KERNEL_LINUX_SOCKET_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uio.h>
#include <sys/socket.h>
#include_next <linux/socket.h>

/* struct msghdr is libc's, which has what modules set. */
#ifndef MSG_DONTWAIT
#define MSG_DONTWAIT 0x40
#endif

#endif
