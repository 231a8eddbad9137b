/* SPDX-License-Identifier: MIT */
#include <linux/if_ether.h>
