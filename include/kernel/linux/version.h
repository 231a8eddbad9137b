/* SPDX-License-Identifier: MIT */
/*
 * Which Linux these headers stand for: 6.12 unless -DLINUX_VERSION_CODE= says
 * otherwise (a number, or KERNEL_VERSION(a,b,c)), from 4.0 on. Names that changed
 * in between follow it.
 */
#ifndef _LINUX_VERSION_H
#define _LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))

#ifndef LINUX_VERSION_CODE
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)
#endif

#define LINUX_VERSION_MAJOR (LINUX_VERSION_CODE >> 16)
#define LINUX_VERSION_PATCHLEVEL (LINUX_VERSION_CODE >> 8 & 255)
#define LINUX_VERSION_SUBLEVEL (LINUX_VERSION_CODE & 255)

#endif
