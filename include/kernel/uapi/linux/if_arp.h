/* SPDX-License-Identifier: MIT */
#include <linux/if_arp.h>
