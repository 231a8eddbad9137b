/* SPDX-License-Identifier: MIT */
#include <linux/input.h>
