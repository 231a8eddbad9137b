/* SPDX-License-Identifier: MIT */
#include <linux/in6.h>
