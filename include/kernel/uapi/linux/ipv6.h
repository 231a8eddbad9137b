/* SPDX-License-Identifier: MIT */
#include <linux/ipv6.h>
