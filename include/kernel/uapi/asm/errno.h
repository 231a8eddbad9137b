/* SPDX-License-Identifier: MIT */
#include <asm/errno.h>
