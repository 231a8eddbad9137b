/* SPDX-License-Identifier: MIT */
#include <linux/pgtable.h>
