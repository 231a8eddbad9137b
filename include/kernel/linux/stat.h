/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STAT_H
#define KERNEL_LINUX_STAT_H

#include <linux/types.h>
#ifdef __GLIBC__
/* With __KERNEL__ the system's header defines names of libc's <sys/stat.h>, which includes it. */
#pragma push_macro("__KERNEL__")
#ifdef S_IFMT
#undef __KERNEL__
#endif
#include_next <linux/stat.h>
#pragma pop_macro("__KERNEL__")
#else
#include <sys/stat.h>		/* musl defines the structures itself */
#endif

#ifndef S_IRWXUGO
#define S_IRWXUGO (S_IRWXU | S_IRWXG | S_IRWXO)
#define S_IRUGO (S_IRUSR | S_IRGRP | S_IROTH)
#define S_IWUGO (S_IWUSR | S_IWGRP | S_IWOTH)
#define S_IXUGO (S_IXUSR | S_IXGRP | S_IXOTH)
#define S_IALLUGO (S_ISUID | S_ISGID | S_ISVTX | S_IRWXUGO)
#endif

#endif
