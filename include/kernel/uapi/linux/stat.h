/* SPDX-License-Identifier: MIT */
#include <linux/stat.h>
