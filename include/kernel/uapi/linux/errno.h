/* SPDX-License-Identifier: MIT */
#include <linux/errno.h>
