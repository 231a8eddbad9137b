/* SPDX-License-Identifier: MIT */
/*
 * The Linux version of these headers: 7.3, the newest that is known, or -DLINUX_VERSION_CODE= (a
 * number, or KERNEL_VERSION(a,b,c)), from 4.0 on. Names and rules that changed follow it.
 */
#ifndef _LINUX_VERSION_H
#define _LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))

#ifndef LINUX_VERSION_CODE
#define LINUX_VERSION_CODE KERNEL_VERSION(7, 3, 0)
#endif

#define LINUX_VERSION_MAJOR (LINUX_VERSION_CODE >> 16)
#define LINUX_VERSION_PATCHLEVEL (LINUX_VERSION_CODE >> 8 & 255)
#define LINUX_VERSION_SUBLEVEL (LINUX_VERSION_CODE & 255)

#endif
