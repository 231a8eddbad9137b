/* SPDX-License-Identifier: MIT */
#include <linux/limits.h>
