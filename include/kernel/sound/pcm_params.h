/* SPDX-License-Identifier: MIT */
/* What a program asked of a stream; nobody asked. */
#ifndef __SOUND_PCM_PARAMS_H
#define __SOUND_PCM_PARAMS_H

#include <sound/pcm.h>

#define params_channels(params) ((void)(params), 0U)
#define params_rate(params) ((void)(params), 0U)
#define params_format(params) ((void)(params), SNDRV_PCM_FORMAT_S16_LE)
#define params_width(params) ((void)(params), 16)
#define params_period_size(params) ((void)(params), 0U)
#define params_periods(params) ((void)(params), 0U)
#define params_buffer_size(params) ((void)(params), 0U)
#define params_buffer_bytes(params) ((void)(params), 0U)
#define params_period_bytes(params) ((void)(params), 0U)

#endif
