/* SPDX-License-Identifier: MIT */
#include <linux/netfilter_ipv4.h>
