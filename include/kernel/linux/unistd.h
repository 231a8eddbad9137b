/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_UNISTD_H
#define KERNEL_LINUX_UNISTD_H

#include <asm/unistd.h>

#endif
