/* SPDX-License-Identifier: MIT */
#include <linux/fcntl.h>
