/* SPDX-License-Identifier: MIT */
#include <linux/uio.h>
