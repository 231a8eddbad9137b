/* SPDX-License-Identifier: MIT */
/* Limits and use of a process: libc's, since the system's header clashes with it. */
#ifndef KERNEL_LINUX_RESOURCE_H
#define KERNEL_LINUX_RESOURCE_H

#include <sys/resource.h>

#endif
