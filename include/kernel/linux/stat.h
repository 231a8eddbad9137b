/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STAT_H
#define KERNEL_LINUX_STAT_H

#include <linux/types.h>
#include_next <linux/stat.h>

#ifndef S_IRWXUGO
#define S_IRWXUGO (S_IRWXU | S_IRWXG | S_IRWXO)
#define S_IRUGO (S_IRUSR | S_IRGRP | S_IROTH)
#define S_IWUGO (S_IWUSR | S_IWGRP | S_IWOTH)
#define S_IXUGO (S_IXUSR | S_IXGRP | S_IXOTH)
#define S_IALLUGO (S_ISUID | S_ISGID | S_ISVTX | S_IRWXUGO)
#endif

#endif
