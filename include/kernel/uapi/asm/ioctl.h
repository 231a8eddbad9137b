/* SPDX-License-Identifier: MIT */
#include <asm/ioctl.h>
