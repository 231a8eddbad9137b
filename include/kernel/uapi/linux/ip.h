/* SPDX-License-Identifier: MIT */
#include <linux/ip.h>
