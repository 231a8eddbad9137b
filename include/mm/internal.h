/* SPDX-License-Identifier: MIT */
/* For the kernel's own sources in mm/ that ask for it and use what the headers here have. */
#ifndef MM_INTERNAL_H
#define MM_INTERNAL_H

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/swap.h>

#endif
