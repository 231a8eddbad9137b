/* SPDX-License-Identifier: MIT */
#include <linux/udp.h>
