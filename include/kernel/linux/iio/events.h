/* SPDX-License-Identifier: MIT */
/* Numbers of events. */
#ifndef _IIO_EVENTS_H_
#define _IIO_EVENTS_H_

#include <linux/iio/types.h>
#include <linux/types.h>

#define USERMM_IIO_EVENT(type, differential, modifier, direction, channel, channel1, channel2) \
	((u64)(type) << 56 | (u64)(differential) << 55 | (u64)(direction) << 48 | \
	 (u64)(modifier) << 40 | (u64)(channel) << 32 | (u64)(u16)(channel2) << 16 | \
	 (u64)(u16)(channel1))
#define IIO_EVENT_CODE(kind, differential, modifier, direction, type, channel, first, second) \
	USERMM_IIO_EVENT(type, differential, modifier, direction, kind, first, second)
#define IIO_UNMOD_EVENT_CODE(kind, number, type, direction) \
	USERMM_IIO_EVENT(type, 0, 0, direction, kind, number, 0)
#define IIO_MOD_EVENT_CODE(kind, number, modifier, type, direction) \
	USERMM_IIO_EVENT(type, 0, modifier, direction, kind, number, 0)

#endif
