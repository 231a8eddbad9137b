/* SPDX-License-Identifier: MIT */
#include <linux/swab.h>
