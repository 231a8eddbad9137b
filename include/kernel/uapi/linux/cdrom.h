/* SPDX-License-Identifier: MIT */
#include <linux/cdrom.h>
