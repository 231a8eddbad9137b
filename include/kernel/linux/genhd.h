/* SPDX-License-Identifier: MIT */
/* Since 5.18 the kernel has this in blkdev.h alone. */
#ifndef _LINUX_GENHD_H
#define _LINUX_GENHD_H

#include <linux/blkdev.h>

#endif
