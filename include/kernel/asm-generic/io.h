/* SPDX-License-Identifier: MIT */
#include <asm/io.h>
