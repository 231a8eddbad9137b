/* SPDX-License-Identifier: MIT */
#include <asm/fpu/api.h>
#include <linux/pgtable.h>
