/* SPDX-License-Identifier: MIT */
#include <asm/cacheflush.h>
