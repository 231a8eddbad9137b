/* SPDX-License-Identifier: MIT */
/*
 * The random parts of a cache: the key of its links (freeptr.h), and the order of a new slab's
 * objects.
 *
 * Each slab gets a new random order. Drawing it needs no memory, since the objects' link words hold
 * object numbers meanwhile. At first each word has its own object's number. From the last on, each
 * number is exchanged with a random earlier one. The result is a permutation with a single cycle,
 * each with the same probability (S. Sattolo, 1986). The cycle, followed from any object, passes
 * all objects.
 *
 * The system is asked for random numbers only once, when the layer comes up. Making a slab should
 * need no system call, and getrandom(2) is also a cancellation point.
 *
 * Linux draws one order for each cache, keeps it in an array, and draws for each slab where in
 * that order it begins. cf. Linux shuffle_freelist()
 */
#include "slab/random.h"

#include <string.h>

#include "base/options.h"
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/freeptr.h"

#define GOLDEN_RATIO_64 0x9e3779b97f4a7c15UL

/* Sync: written by slab_random_init(), then by slab_random_number() */
static uint64_t seed;
static uint64_t step = GOLDEN_RATIO_64;

/* G. Steele's SplitMix. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9UL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebUL;
	return value ^ value >> 31;
}

unsigned long slab_random_number(void)
{
	return mix(atomic_add_relaxed(&seed, step));
}

often_called void slab_random_setup(struct kmem_cache *cache)
{
	cache->random_order = options.slab_freelist_random;
	cache->order_state = slab_random_number();
	if (options.slab_freelist_hardened)
		cache->random = slab_random_number() | 1;	/* never 0 */
}

static unsigned int random_below(uint64_t *state, unsigned int limit)
{
	return (unsigned int)((mix(*state += GOLDEN_RATIO_64) >> 32) * limit >> 32);
}

/*
 * Random orders of 1, 2, 4 ... 128 numbers, each stored twice in a row. A batch of n objects
 * follows the order of n from a random place on, with random bits of each number flipped. This
 * takes a third of the instructions of drawing a new order, and no instruction waits for another.
 * cf. Linux shuffle_freelist(), which has an order for each cache and a place of its own for each
 * slab. Sync: constant after slab_random_make_orders()
 */
static uint8_t orders[2 * (2 * SLAB_RANDOM_ORDER_MAX - 1)] __large_bss;

/* Where the order of n begins: n numbers, stored twice. Shorter orders lie in front of it. */
static uint8_t *order_of(unsigned int n)
{
	return orders + 2 * (n - 1);
}

static void make_order(uint8_t *order, unsigned int nr, uint64_t *state)
{
	for (unsigned int i = 0; i < nr; i++)
		order[i] = (uint8_t)i;
	for (unsigned int n = nr; n > 1; n--) {
		unsigned int index = random_below(state, n);
		uint8_t last = order[n - 1];

		order[n - 1] = order[index];
		order[index] = last;
	}
	memcpy(order + nr, order, nr);
}

void slab_random_make_orders(void)
{
	uint64_t state = os_random();

	for (unsigned int n = 1; n <= SLAB_RANDOM_ORDER_MAX; n *= 2)
		make_order(order_of(n), n, &state);
}

often_called void slab_random_init(void)
{
	seed = os_random();
	step = os_random() | 1;
}

void slab_random_order(struct percpu_order *order, unsigned int n)
{
	unsigned long random = slab_random_number();

	order->place = order_of(n) + random % n;
	order->turned = (uint32_t)(random >> 32) % n;
}

static void *object_at(const struct kmem_cache *cache, const struct page *slab,
		       unsigned long index)
{
	return slab_first(cache, slab) + cache->red_left_pad + index * cache->size;
}

static void make_cycle(const struct kmem_cache *cache, const struct page *slab, uint64_t *state)
{
	for (unsigned int i = 0; i < slab->objects; i++)
		*slab_link_word(cache, object_at(cache, slab, i)) = i;
	for (unsigned int i = slab->objects - 1u; i > 0; i--) {
		unsigned long *a = slab_link_word(cache, object_at(cache, slab, i));
		unsigned long *b = slab_link_word(cache, object_at(cache, slab,
								   random_below(state, i)));
		unsigned long number = *a;

		*a = *b;
		*b = number;
	}
}

void *slab_random_freelist(struct kmem_cache *cache, const struct page *slab)
{
	/*
	 * Reserves as many random numbers as this slab needs; the next slab gets those that follow.
	 */
	uint64_t state = atomic_add_relaxed(&cache->order_state,
					    slab->objects * GOLDEN_RATIO_64);
	unsigned long first = random_below(&state, slab->objects);
	unsigned long at = first, next;
	/* With debugging there are no tokens. */
	void *end = cache_is_debugged(cache) ? NULL : slab_token(page_address(slab));

	make_cycle(cache, slab, &state);
	do {
		void *object = object_at(cache, slab, at);

		next = *slab_link_word(cache, object);
		slab_link_write(cache, object,
				next == first ? end : object_at(cache, slab, next));
		at = next;
	} while (next != first);
	return object_at(cache, slab, first);
}
