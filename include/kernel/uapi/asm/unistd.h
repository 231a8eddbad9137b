/* SPDX-License-Identifier: MIT */
#include <asm/unistd.h>
