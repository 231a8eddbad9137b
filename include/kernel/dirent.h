/* SPDX-License-Identifier: MIT */
/* Wraps libc's header: it has enumerators, or macros, where <linux/fs.h> has macros. */
#ifndef _DIRENT_H
#undef DT_UNKNOWN
#undef DT_FIFO
#undef DT_CHR
#undef DT_DIR
#undef DT_BLK
#undef DT_REG
#undef DT_LNK
#undef DT_SOCK
#endif
#include_next <dirent.h>
