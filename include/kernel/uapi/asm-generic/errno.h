/* SPDX-License-Identifier: MIT */
#include <asm-generic/errno.h>
