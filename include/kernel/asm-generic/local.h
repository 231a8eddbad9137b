/* SPDX-License-Identifier: MIT */
#include <asm/local.h>
