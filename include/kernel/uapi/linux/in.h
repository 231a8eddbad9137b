/* SPDX-License-Identifier: MIT */
#include <linux/in.h>
