/* SPDX-License-Identifier: MIT */
#include <linux/fb.h>
