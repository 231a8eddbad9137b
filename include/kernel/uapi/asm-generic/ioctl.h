/* SPDX-License-Identifier: MIT */
#include <asm-generic/ioctl.h>
