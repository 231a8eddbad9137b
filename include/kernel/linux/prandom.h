/* SPDX-License-Identifier: MIT */
/* Reproducible random numbers: the combined Tausworthe generator taus113. */
#ifndef KERNEL_LINUX_PRANDOM_H
#define KERNEL_LINUX_PRANDOM_H

#include <asm/div64.h>
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/hex.h>
#include <linux/instruction_pointer.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/once.h>
#include <linux/sprintf.h>
#include <linux/typecheck.h>
#include <linux/types.h>
#include <linux/wordpart.h>
#include <usermm/compiler.h>

struct rnd_state {
	u32 s1, s2, s3, s4;
};

USERMM_BEGIN_DECLS

void prandom_seed_state(struct rnd_state *state, u64 seed) USERMM_API(prandom_seed_state);
u32 prandom_u32_state(struct rnd_state *state) USERMM_API(prandom_u32_state);
void prandom_bytes_state(struct rnd_state *state, void *buffer, size_t n)
	USERMM_API(prandom_bytes_state);
u32 usermm_prandom_u32(void) USERMM_API(prandom_u32);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || defined(USERMM_KERNEL_LAYER)
u32 prandom_u32(void) USERMM_API(prandom_u32);
#else
USERMM_REMOVED(prandom_u32, "6.1", "get_random_u32()")
#endif
void usermm_prandom_seed_full_state(struct rnd_state *percpu)
	__attribute__((visibility("default")));
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || defined(USERMM_KERNEL_LAYER)
void prandom_bytes(void *buffer, size_t n) USERMM_API(prandom_bytes);
#else
USERMM_REMOVED(prandom_bytes, "6.1", "get_random_bytes()")
#endif

USERMM_END_DECLS

/* The generator's words have a lowest value each. */
static inline u32 __seed(u32 x, u32 least)
{
	return x < least ? x + least : x;
}

#define prandom_seed_full_state(pcpu_state) usermm_prandom_seed_full_state(pcpu_state)
#define prandom_init_once(pcpu_state) DO_ONCE(prandom_seed_full_state, pcpu_state)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define prandom_u32_max(ceiling) ((u32)((u64)usermm_prandom_u32() * (ceiling) >> 32))
#else
USERMM_REMOVED(prandom_u32_max, "6.2", "get_random_u32_below()")
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
#define prandom_seed(seed) ((void)(seed))
#else
USERMM_REMOVED(prandom_seed, "5.19", "add_device_randomness()")
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
static inline u32 next_pseudo_random32(u32 seed)
{
	return seed * 1664525 + 1013904223;
}
#else
USERMM_REMOVED(next_pseudo_random32, "6.16", "prandom_u32_state()")
#endif

#endif
