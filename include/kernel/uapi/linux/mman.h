/* SPDX-License-Identifier: MIT */
#include <linux/mman.h>
