/* SPDX-License-Identifier: MIT */
/* libc's, since the system's header clashes with it. */
#ifndef KERNEL_LINUX_EVENTPOLL_H
#define KERNEL_LINUX_EVENTPOLL_H

#include <linux/byteorder.h>
#include <linux/fcntl.h>
#include <sys/epoll.h>

#endif
