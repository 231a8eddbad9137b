/* SPDX-License-Identifier: MIT */
#include <linux/fs.h>
