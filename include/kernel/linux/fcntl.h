/* SPDX-License-Identifier: MIT */
/*
 * How a file is opened: the numbers of <asm-generic/fcntl.h>, without its structures, which libc's
 * <fcntl.h> defines as well.
 */
#ifndef _LINUX_FCNTL_H
#define _LINUX_FCNTL_H

#include <linux/stat.h>

#ifndef O_RDONLY
#define O_ACCMODE 0003
#define O_RDONLY 00
#define O_WRONLY 01
#define O_RDWR 02
#define O_CREAT 0100
#define O_EXCL 0200
#define O_NOCTTY 0400
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_NDELAY O_NONBLOCK
#define O_SYNC 04010000
#define O_ASYNC 020000
#define O_CLOEXEC 02000000
#endif
#ifndef O_DSYNC
#define O_DSYNC 010000
#endif
#ifndef O_DIRECT
#if defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
#define O_DIRECTORY 040000
#define O_NOFOLLOW 0100000
#ifdef __powerpc__
#define O_DIRECT 0400000
#else
#define O_DIRECT 0200000
#endif
#else
#define O_DIRECT 040000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW 0400000
#endif
#endif
#ifndef FASYNC
#define FASYNC O_ASYNC
#endif
#ifndef F_DUPFD
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#endif
#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif
#ifndef O_LARGEFILE
#define O_LARGEFILE 0100000
#endif
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

#endif
