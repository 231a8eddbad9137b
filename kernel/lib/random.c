// SPDX-License-Identifier: MIT
/* Random numbers: from the system, and by taus113 (L'Ecuyer 1999), which a seed determines. */
#include <sys/random.h>

#include <asm/byteorder.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/string.h>

void get_random_bytes(void *buffer, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = getrandom((char *)buffer + done, n - done, 0);

		if (got > 0)
			done += (size_t)got;
	}
}

u64 get_random_u64(void)
{
	static __thread u64 pool[64];
	static __thread unsigned int left;

	if (!left) {
		get_random_bytes(pool, sizeof(pool));
		left = ARRAY_SIZE(pool);
	}
	return pool[--left];
}

u32 get_random_u32_below(u32 ceiling)
{
	u32 too_low = ceiling ? -ceiling % ceiling : 0;
	u64 product;

	/*
	 * The upper half of a product is the result. Products with too low a lower half are drawn
	 * again, since otherwise some results would be more likely than others.
	 */
	do {
		product = (u64)get_random_u32() * ceiling;
	} while ((u32)product < too_low);
	return (u32)(product >> 32);
}

static u32 next_part(u32 s, unsigned int a, unsigned int b, u32 mask, unsigned int c)
{
	return ((s & mask) << c) ^ (((s << a) ^ s) >> b);
}

u32 prandom_u32_state(struct rnd_state *state)
{
	state->s1 = next_part(state->s1, 6, 13, ~1u, 18);
	state->s2 = next_part(state->s2, 2, 27, ~7u, 2);
	state->s3 = next_part(state->s3, 13, 21, ~15u, 7);
	state->s4 = next_part(state->s4, 3, 12, ~127u, 13);
	return state->s1 ^ state->s2 ^ state->s3 ^ state->s4;
}

/*
 * Each word must have a bit above those that the generator drops. The generator is not warmed up,
 * so that a seed gives the same numbers as in Linux.
 */
void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	u32 low = (u32)(seed >> 32) ^ (u32)(seed << 10) ^ (u32)seed;

	state->s1 = low < 2 ? low + 2 : low;
	state->s2 = low < 8 ? low + 8 : low;
	state->s3 = low < 16 ? low + 16 : low;
	state->s4 = low < 128 ? low + 128 : low;
}

void prandom_bytes_state(struct rnd_state *state, void *buffer, size_t n)
{
	for (size_t done = 0, part; done < n; done += part) {
		u32 value = prandom_u32_state(state);

		part = min(n - done, sizeof(value));
		if (part < sizeof(value))	/* as in Linux, the low bytes are used */
			value = cpu_to_le32(value);
		memcpy((char *)buffer + done, &value, part);
	}
}

void usermm_prandom_seed_full_state(struct rnd_state *percpu)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		prandom_seed_state(per_cpu_ptr(percpu, cpu), get_random_u64());
}

static struct rnd_state *own_state(void)
{
	static __thread struct rnd_state state;

	if (!state.s1)
		prandom_seed_state(&state, get_random_u64());
	return &state;
}

u32 prandom_u32(void)
{
	return prandom_u32_state(own_state());
}

void prandom_bytes(void *buffer, size_t n)
{
	prandom_bytes_state(own_state(), buffer, n);
}
