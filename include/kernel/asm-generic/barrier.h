/* SPDX-License-Identifier: MIT */
#include <asm/barrier.h>
