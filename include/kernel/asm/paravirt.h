/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_PARAVIRT_H
#define KERNEL_ASM_PARAVIRT_H

#include <asm/segment.h>
#include <asm/special_insns.h>
#include <linux/cpumask.h>
#include <linux/types.h>

#endif
