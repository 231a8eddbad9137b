/* SPDX-License-Identifier: MIT */
/* Factors between units. */
#ifndef _LINUX_UNITS_H
#define _LINUX_UNITS_H

#include <linux/bits.h>
#include <linux/math.h>

#define PETA 1000000000000000ULL
#define TERA 1000000000000ULL
#define GIGA 1000000000UL
#define MEGA 1000000UL
#define KILO 1000UL
#define HECTO 100UL
#define DECA 10UL
#define DECI 10UL
#define CENTI 100UL
#define MILLI 1000UL
#define MICRO 1000000UL
#define NANO 1000000000UL
#define PICO 1000000000000ULL
#define NANOHZ_PER_HZ 1000000000UL
#define MICROHZ_PER_HZ 1000000UL
#define MILLIHZ_PER_HZ 1000UL
#define HZ_PER_KHZ 1000UL
#define KHZ_PER_MHZ 1000UL
#define HZ_PER_MHZ 1000000UL
#define MILLIWATT_PER_WATT 1000UL
#define MICROWATT_PER_MILLIWATT 1000UL
#define MICROWATT_PER_WATT 1000000UL
#define ABSOLUTE_ZERO_MILLICELSIUS (-273150)
#define BYTES_PER_KBIT (KILO / BITS_PER_BYTE)
#define BYTES_PER_MBIT (MEGA / BITS_PER_BYTE)

static inline long milli_kelvin_to_millicelsius(long t)
{
	return t + ABSOLUTE_ZERO_MILLICELSIUS;
}

static inline long millicelsius_to_milli_kelvin(long t)
{
	return t - ABSOLUTE_ZERO_MILLICELSIUS;
}

#define MILLIDEGREE_PER_DEGREE 1000
#define kelvin_to_millicelsius(t) milli_kelvin_to_millicelsius((t) * MILLIDEGREE_PER_DEGREE)
#define millicelsius_to_kelvin(t) \
	DIV_ROUND_CLOSEST(millicelsius_to_milli_kelvin(t), MILLIDEGREE_PER_DEGREE)
#define kelvin_to_celsius(t) \
	DIV_ROUND_CLOSEST(kelvin_to_millicelsius(t), MILLIDEGREE_PER_DEGREE)
#define celsius_to_kelvin(t) millicelsius_to_kelvin((t) * MILLIDEGREE_PER_DEGREE)

#endif
