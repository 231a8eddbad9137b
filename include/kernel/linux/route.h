/* SPDX-License-Identifier: MIT */
/* Requests to change routes: those of libc's header, which net/route.h hides. */
#ifndef KERNEL_LINUX_ROUTE_H
#define KERNEL_LINUX_ROUTE_H

#include <linux/if.h>
#include_next <net/route.h>

#endif
