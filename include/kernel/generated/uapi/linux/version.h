/* SPDX-License-Identifier: MIT */
#include <linux/version.h>
