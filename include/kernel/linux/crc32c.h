/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_CRC32C_H
#define _LINUX_CRC32C_H

#include <linux/crc32.h>

#endif
