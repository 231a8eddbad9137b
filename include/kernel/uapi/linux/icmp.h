/* SPDX-License-Identifier: MIT */
#include <linux/icmp.h>
