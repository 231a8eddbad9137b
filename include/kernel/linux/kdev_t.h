/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KDEV_T_H
#define KERNEL_LINUX_KDEV_T_H

#include <linux/types.h>

#define MINORBITS 20
#define MINORMASK ((1U << MINORBITS) - 1)
#define MAJOR(dev) ((unsigned int)((dev) >> MINORBITS))
#define MINOR(dev) ((unsigned int)((dev) & MINORMASK))
#define MKDEV(major, minor) (((major) << MINORBITS) | (minor))

#endif
