/* SPDX-License-Identifier: MIT */
#include <asm/pgtable.h>
