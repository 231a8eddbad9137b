/* SPDX-License-Identifier: MIT */
#include <linux/stddef.h>
