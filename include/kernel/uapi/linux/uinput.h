/* SPDX-License-Identifier: MIT */
#include <linux/uinput.h>
