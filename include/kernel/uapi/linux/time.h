/* SPDX-License-Identifier: MIT */
#include <linux/time.h>
