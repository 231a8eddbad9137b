/* SPDX-License-Identifier: MIT */
#include <linux/netdevice.h>
