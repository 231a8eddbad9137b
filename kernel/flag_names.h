/* SPDX-License-Identifier: MIT */
/* Names of flags, for %pG and dump_page(). */
#ifndef KERNEL_FLAG_NAMES_H
#define KERNEL_FLAG_NAMES_H

#include <linux/types.h>

/* All names of either kind together fit. */
#define FLAGS_TEXT_SIZE 1024

void gfp_flags_text(char text[FLAGS_TEXT_SIZE], gfp_t flags);
/* The word in hex, then names, and what else it holds, in brackets. */
void page_flags_text(char text[FLAGS_TEXT_SIZE], unsigned long flags);

#endif
