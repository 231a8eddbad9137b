/* SPDX-License-Identifier: MIT */
#include <linux/netlink.h>
