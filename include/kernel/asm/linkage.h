/* SPDX-License-Identifier: MIT */
#include <linux/linkage.h>
