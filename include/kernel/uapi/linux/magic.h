/* SPDX-License-Identifier: MIT */
#include <linux/magic.h>
