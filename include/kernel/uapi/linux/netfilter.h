/* SPDX-License-Identifier: MIT */
#include <linux/netfilter.h>
