/* SPDX-License-Identifier: MIT */
#include <asm-generic/types.h>
