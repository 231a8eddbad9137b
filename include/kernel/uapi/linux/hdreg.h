/* SPDX-License-Identifier: MIT */
#include <linux/hdreg.h>
