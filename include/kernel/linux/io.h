/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IO_H
#define KERNEL_LINUX_IO_H

#include <asm/io.h>

#endif
