/* SPDX-License-Identifier: MIT */
#include <asm/page.h>
