/* SPDX-License-Identifier: MIT */
#include <linux/rtc.h>
