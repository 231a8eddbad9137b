/* SPDX-License-Identifier: MIT */
/* Clocks of modules can be registered; the time is the machine's. */
#ifndef _LINUX_CLOCKSOURCE_H
#define _LINUX_CLOCKSOURCE_H

#include <asm/div64.h>
#include <asm/io.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/of.h>
#include <linux/timer.h>
#include <linux/timex.h>
#include <linux/types.h>

struct clocksource {
	u64 (*read)(struct clocksource *clock);
	u64 mask;
	u32 mult, shift;
	u64 max_idle_ns, max_cycles;
	const char *name;
	struct list_head list;
	int rating;
	int (*enable)(struct clocksource *clock);
	void (*disable)(struct clocksource *clock);
	void (*suspend)(struct clocksource *clock);
	void (*resume)(struct clocksource *clock);
	unsigned long flags;
	struct module *owner;
};

#define CLOCK_SOURCE_IS_CONTINUOUS 0x01
#define CLOCK_SOURCE_MUST_VERIFY 0x02
#define CLOCKSOURCE_MASK(bits) GENMASK_ULL((bits) - 1, 0)
#define clocksource_cyc2ns(cycles, mult, shift) ((s64)(((u64)(cycles) * (mult)) >> (shift)))
#define clocksource_register_hz(clock, hz) ((void)(clock), (void)(hz), 0)
#define clocksource_register_khz(clock, khz) ((void)(clock), (void)(khz), 0)
#define clocksource_unregister(clock) ((void)(clock), 0)

#endif
