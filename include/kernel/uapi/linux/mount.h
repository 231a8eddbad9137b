/* SPDX-License-Identifier: MIT */
#include <linux/mount.h>
