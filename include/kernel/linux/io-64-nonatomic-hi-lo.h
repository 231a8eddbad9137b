/* SPDX-License-Identifier: MIT */
/* 64 bits are read and written at once here. */
#ifndef _LINUX_IO_64_NONATOMIC_HI_LO_H_
#define _LINUX_IO_64_NONATOMIC_HI_LO_H_

#include <linux/io.h>

#endif
