/* SPDX-License-Identifier: MIT */
#include <linux/kd.h>
