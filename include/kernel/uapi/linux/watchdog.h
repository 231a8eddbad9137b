/* SPDX-License-Identifier: MIT */
#include <linux/watchdog.h>
