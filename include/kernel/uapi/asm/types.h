/* SPDX-License-Identifier: MIT */
#include <asm/types.h>
