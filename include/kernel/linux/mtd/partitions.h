/* SPDX-License-Identifier: MIT */
#ifndef MTD_PARTITIONS_H
#define MTD_PARTITIONS_H

#include <linux/mtd/mtd.h>

#endif
