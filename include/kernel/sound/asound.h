/* SPDX-License-Identifier: MIT */
/* The system's header, told the order of bytes: formats without an order have the CPU's. */
#ifndef KERNEL_SOUND_ASOUND_H
#define KERNEL_SOUND_ASOUND_H

#include <asm/byteorder.h>

#ifdef __LITTLE_ENDIAN
#define SNDRV_LITTLE_ENDIAN
#else
#define SNDRV_BIG_ENDIAN
#endif
#include_next <sound/asound.h>

#endif
