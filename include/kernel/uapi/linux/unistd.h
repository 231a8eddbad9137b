/* SPDX-License-Identifier: MIT */
#include <linux/unistd.h>
