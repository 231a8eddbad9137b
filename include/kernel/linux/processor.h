/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PROCESSOR_H
#define KERNEL_LINUX_PROCESSOR_H

#include <asm/barrier.h>

#endif
