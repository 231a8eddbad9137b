/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_CPUFEATURES_H
#define KERNEL_ASM_CPUFEATURES_H

#include <asm/cpufeature.h>

#endif
