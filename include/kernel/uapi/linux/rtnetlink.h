/* SPDX-License-Identifier: MIT */
#include <linux/rtnetlink.h>
