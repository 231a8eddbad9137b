/* SPDX-License-Identifier: MIT */
#include <linux/major.h>
