/* SPDX-License-Identifier: MIT */
#include <asm/sections.h>
