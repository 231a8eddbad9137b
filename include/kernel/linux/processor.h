/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PROCESSOR_H
#define KERNEL_LINUX_PROCESSOR_H

#include <asm/barrier.h>
#include <asm/div64.h>
#include <asm/msr-index.h>
#include <asm/processor.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/threads.h>
#include <linux/typecheck.h>

#endif
