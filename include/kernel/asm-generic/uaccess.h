/* SPDX-License-Identifier: MIT */
#include <asm/uaccess.h>
