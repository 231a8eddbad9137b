/* SPDX-License-Identifier: MIT */
#include <linux/ioctl.h>
