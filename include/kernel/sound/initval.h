/* SPDX-License-Identifier: MIT */
#ifndef __SOUND_INITVAL_H
#define __SOUND_INITVAL_H

#include <sound/core.h>

#endif
