// SPDX-License-Identifier: MIT
/*
 * A floor for a pair of an allocation and a free: the cost of the unavoidable work, without an
 * allocator, as two calls:
 *
 *	calls	pop off this CPU's array, push on it, by one restartable sequence each
 *	page	calls, after a lookup of the page's array by its pageblock and order
 *	count	page, with a reference count: 1 after the pop, compared with 1 and cleared by the
 *		push
 *	object	calls, after a lookup of the size's array, and of the object's owner, with the
 *		check that an object starts there, and with a mark, which both calls write
 *	large	object, with the mark in a table of bytes
 *
 * Prints time-stamp cycles, the median of many runs, also as a multiple of R: the two sequences
 * without calls.
 *
 * usage: cc -O2 -o pairs pairs.c && ./pairs
 */
#include "objects.h"

#define BLOCK_SHIFT 21
#define OBJECT_BYTES 64

/* There is one pageblock. All entries of both tables are the same array. */
static void *by_block[4], *by_size[64];

/* push(), if the page's count is 1; the count is cleared. */
static inline __attribute__((always_inline)) void push_last(void *array, struct page *page)
{
	__asm__ goto(ANNOUNCE
		     "movl (%%rax), %%edx\n\t"
		     "cmpl 4(%%rax), %%edx\n\t"
		     "jae %l[stop]\n\t"
		     "cmpl %[sole], %c[count](%[page])\n\t"
		     "jne %l[stop]\n\t"
		     "movq %[page], 8(%%rax, %%rdx, 8)\n\t"
		     "movl $0, %c[count](%[page])\n\t"
		     "addl $1, %%edx\n\t"
		     "movl %%edx, (%%rax)\n"
		     "2:\n\t"
		     : : PERCPU, [page] "r"(page), [sole] "i"(SOLE),
		       [count] "i"(offsetof(struct page, count))
		     : "rax", "rdx", "memory", "cc" : stop);
	return;
stop:
	empty_arrays();
}

static __attribute__((noinline)) void *take_calls(void)
{
	return pop((void *)ARRAY_OFFSET);
}

static __attribute__((noinline)) void give_calls(void *item)
{
	push((void *)ARRAY_OFFSET, item);
}

static inline void *array_of(struct page *page, unsigned int order)
{
	unsigned long nr = (unsigned long)(page - window.pages);

	return by_block[(nr >> (BLOCK_SHIFT - PAGE_SHIFT)) + order];
}

static __attribute__((noinline)) void give_page(void *item)
{
	push(array_of(item, 0), item);
}

static __attribute__((noinline)) void *take_count(void)
{
	struct page *page = pop((void *)ARRAY_OFFSET);

	if (!page)
		return NULL;
	page->count = SOLE;
	page->private = 0;
	return page;
}

static __attribute__((noinline)) void give_count(void *item)
{
	push_last(array_of(item, 0), item);
}

static __attribute__((noinline)) void *take_object(void)
{
	void *item = pop(by_size[OBJECT_BYTES / 8]);

	if (item)
		mark_in_use(item);
	return item;
}

static __attribute__((noinline)) void give_object(void *item)
{
	struct cache *cache = owner_of(item);

	check_start(cache, item);
	mark_free(item);
	push(cache->array, item);
}

static __attribute__((noinline)) void *take_large(void)
{
	void *item = pop(by_size[OBJECT_BYTES / 8]);

	if (item)
		mark_large_in_use(item);
	return item;
}

static __attribute__((noinline)) void give_large(void *item)
{
	struct cache *cache = owner_of(item);

	check_start(cache, item);
	mark_large_free(item);
	push(cache->array, item);
}

struct pair {
	const char *name;
	void *(*take)(void);
	void (*give)(void *item);
	bool objects;
};

/* Refills arrays that an interruption left empty; this spoils only one of many runs. */
static double measure(const struct pair *pair)
{
	void *(*volatile takes)(void) = pair->take;
	void (*volatile gives)(void *item) = pair->give;
	void *(*take)(void) = takes;
	void (*give)(void *item) = gives;
	double values[RUNS];

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks;

		empty_arrays();
		window.pages[0].count = SOLE;
		mark_in_use((void *)window.base);
		mark_large_in_use((void *)window.base);
		give(pair->objects ? (void *)window.base : (void *)window.pages);
		ticks = __rdtsc();
		for (int i = 0; i < OBJECTS; i++) {
			void *item = take();

			if (item)
				give(item);
		}
		values[run] = (double)(__rdtsc() - ticks) / OBJECTS;
	}
	return median(values);
}

int main(void)
{
	static const struct pair pairs[] = {
		{ "calls", take_calls, give_calls, false },
		{ "page", take_calls, give_page, false },
		{ "count", take_count, give_count, false },
		{ "object", take_object, give_object, true },
		{ "large", take_large, give_large, true },
	};
	double r;

	if (sequences_set_up() || window_set_up(1UL << BLOCK_SHIFT, OBJECT_BYTES))
		return 1;
	for (unsigned int i = 0; i < sizeof(by_block) / sizeof(void *); i++)
		by_block[i] = (void *)ARRAY_OFFSET;
	for (unsigned int i = 0; i < sizeof(by_size) / sizeof(void *); i++)
		by_size[i] = (void *)ARRAY_OFFSET;
	r = pair_of_sequences();
	printf("R %.2f\n", r);
	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		double cycles = measure(&pairs[i]);

		printf("%-6s %.2f = %.2f R\n", pairs[i].name, cycles, cycles / r);
	}
	return 0;
}
