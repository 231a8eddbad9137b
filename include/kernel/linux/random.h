/* SPDX-License-Identifier: MIT */
/* Random numbers from the system, and from a fast generator. */
#ifndef KERNEL_LINUX_RANDOM_H
#define KERNEL_LINUX_RANDOM_H

#include <linux/list.h>
#include <linux/once.h>
#include <linux/prandom.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

void get_random_bytes(void *buffer, size_t n) USERMM_API(get_random_bytes);
u64 get_random_u64(void) USERMM_API(get_random_u64);
/* A number from 0 to ceiling - 1, all equally likely. */
u32 get_random_u32_below(u32 ceiling) USERMM_API(get_random_u32_below);

USERMM_END_DECLS

static inline u8 get_random_u8(void)
{
	return (u8)get_random_u64();
}

static inline u16 get_random_u16(void)
{
	return (u16)get_random_u64();
}

static inline u32 get_random_u32(void)
{
	return (u32)get_random_u64();
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
static inline unsigned int get_random_int(void)
{
	return (unsigned int)get_random_u64();
}
#else
USERMM_REMOVED(get_random_int, "6.1", "get_random_u32()")
#endif

static inline unsigned long get_random_long(void)
{
	return (unsigned long)get_random_u64();
}

#define get_random_u32_above(floor) ((floor) + 1 + get_random_u32_below(~0u - (floor)))
#define get_random_bytes_wait(buffer, n) (get_random_bytes(buffer, n), 0)
#define add_device_randomness(buffer, n) ((void)(buffer), (void)(n))
#define rng_is_initialized() true
#define wait_for_random_bytes() 0

/* Both limits are included. */
static inline u32 get_random_u32_inclusive(u32 low, u32 high)
{
	u32 range = high - low + 1;

	return range ? low + get_random_u32_below(range) : get_random_u32();
}

#endif
