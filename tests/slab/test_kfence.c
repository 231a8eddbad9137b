/* SPDX-License-Identifier: MIT */
/* kfence_sample=RATE for kmalloc and caches; malloc/test_kfence tests whole programs. */
#include "slab/kfence/kfence.h"

#include <string.h>

#include "selftest/stepping.h"
#include "slab/debug/debug.h"
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/threads.h"
#include "support/zones.h"

/* With several nodes each cache has an object more, and that has a slot as well. */
#define GUARD_ALL "nodes=1:kfence_sample=1"

static bool is_zero(const char *bytes, size_t nr)
{
	while (nr && !*bytes++)
		nr--;
	return !nr;
}

static void check_kmalloc(struct kunit *test)
{
	static const size_t sizes[] = { 1, 8, 50, 96, 1000, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *object = kzalloc(sizes[i], GFP_KERNEL);

		KUNIT_ASSERT_TRUE(test, slab_kfence_owns(object));
		KUNIT_EXPECT_TRUE(test, is_zero(object, sizes[i]));
		KUNIT_EXPECT_EQ(test, ksize(object), sizes[i]);
		memset(object, 0x5a, sizes[i]);
		/* In place when it shrinks, as in Linux. */
		KUNIT_EXPECT_PTR_EQ(test, krealloc(object, (sizes[i] + 1) / 2, GFP_KERNEL), object);
		object = krealloc(object, sizes[i] + 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, object[sizes[i] - 1], 0x5a);
		kfree_sensitive(object);
	}
	/* An object that does not fit into a page is an ordinary one. */
	kfree(kmalloc(5000, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, ksize(ZERO_SIZE_PTR), 0);
}

static void construct(void *object)
{
	memset(object, 0xc7, 100);
}

static void check_caches(struct kunit *test)
{
	struct slab_cache_request rcu = {
		.name = "guard_rcu", .size = 64, .flags = SLAB_TYPESAFE_BY_RCU,
	};
	struct kmem_cache *built = kmem_cache_create("guard_built", 100, 32, 0, construct);
	struct kmem_cache *readers = slab_cache_create(&rcu);
	unsigned char *object = kmem_cache_alloc(built, GFP_KERNEL);
	void *unguarded = kmem_cache_alloc(readers, GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, slab_kfence_owns(object));
	KUNIT_EXPECT_EQ(test, (unsigned long)object % 32, 0);
	KUNIT_EXPECT_EQ(test, object[99], 0xc7);
	KUNIT_EXPECT_FALSE(test, slab_kfence_owns(unguarded));
	KUNIT_EXPECT_NULL(test, cache_of(object));
	KUNIT_EXPECT_NE(test, kmem_cache_shrink(built), 0);
	kmem_cache_free(built, object);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(built), 0);
	kmem_cache_free(readers, unguarded);
	kmem_cache_destroy(built);
	kmem_cache_destroy(readers);
}

/* Guarded objects and, when there are no more slots, others in one array. */
static void check_bulk(struct kunit *test)
{
	static void *objects[SLAB_GUARD_SLOTS + 20];
	const unsigned int n = ARRAY_SIZE(objects);
	struct kmem_cache *cache = kmem_cache_create("guard_bulk", 100, 0, 0, NULL);
	unsigned int nr_guarded = 0;

	for (unsigned int round = 0; round < 2; round++) {
		nr_guarded = 0;
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, n,
							    objects), (int)n);
		for (unsigned int i = 0; i < n; i++) {
			nr_guarded += slab_kfence_owns(objects[i]);
			KUNIT_EXPECT_TRUE(test, is_zero(objects[i], 100));
			memset(objects[i], 0x5a, 100);
		}
		KUNIT_EXPECT_EQ(test, nr_guarded, SLAB_GUARD_SLOTS);
		kmem_cache_free_bulk(cache, n, objects);
	}
	kmem_cache_destroy(cache);
}

/* All slots, then ordinary objects; a slot that was freed is not the next to be used. */
static void check_slots(struct kunit *test)
{
	static void *objects[SLAB_GUARD_SLOTS + 10];
	unsigned int nr_guarded = 0;
	void *first, *next;

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = kmalloc(64, GFP_KERNEL);
		nr_guarded += slab_kfence_owns(objects[i]);
	}
	KUNIT_EXPECT_EQ(test, nr_guarded, SLAB_GUARD_SLOTS);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kfree(objects[i]);
	first = kmalloc(64, GFP_KERNEL);
	kfree(first);
	for (unsigned int i = 0; i < SLAB_GUARD_SLOTS / 2 - 1; i++) {
		next = kmalloc(64, GFP_KERNEL);
		KUNIT_ASSERT_TRUE(test, slab_kfence_owns(next));
		KUNIT_EXPECT_NE(test, (unsigned long)first & PAGE_MASK,
				(unsigned long)next & PAGE_MASK);
		kfree(next);
	}
}

static void guarded_objects(struct kunit *test)
{
	zones_run(test, GUARD_ALL, check_kmalloc);
	zones_run(test, GUARD_ALL ":slab_debug", check_kmalloc);
	zones_run(test, GUARD_ALL, check_caches);
	zones_run(test, GUARD_ALL, check_slots);
	zones_run(test, GUARD_ALL, check_bulk);
	zones_run(test, GUARD_ALL ":slab_debug", check_bulk);
}

static void check_nothing_guarded(struct kunit *test)
{
	void *object = kmalloc(64, GFP_KERNEL);

	KUNIT_EXPECT_FALSE(test, slab_kfence_owns(object));
	KUNIT_EXPECT_FALSE(test, slab_kfence_owns(NULL));
	kfree(object);
}

static void nothing_is_guarded_by_itself(struct kunit *test)
{
	zones_run(test, "kfence_sample=0", check_nothing_guarded);
}

/* --- With the rules for kernel sources -------------------------------------------------------- */

static char log_text[8192];

static void log_line(const char *text)
{
	size_t used = strlen(log_text);

	strncat(log_text, text, sizeof(log_text) - used - 2);
	strcat(log_text, "\n");
}

/* Has that been said since this was asked last? The log is written by a signal handler. */
static bool is_said(const char *text)
{
	bool said;

	__asm__ volatile("" : : : "memory");
	said = strstr(log_text, text);
	log_text[0] = '\0';
	return said;
}

/* A page that was made accessible is hidden again, and later owners do not see writes to it. */
static void check_shown_pages(struct kunit *test)
{
	volatile char *object, *first, *page;

	slab_debug_hooks.line = log_line;
	first = kmalloc(64, GFP_KERNEL);
	page = (char *)((unsigned long)first & PAGE_MASK);
	for (unsigned int i = 0; i < 2; i++) {
		page[4096] = 1;
		KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: out-of-bounds write in "));
		page[4096] = 1;
		KUNIT_EXPECT_FALSE(test, is_said("BUG: KFENCE:"));
		kfree((void *)first);
		first[5] = 0x5a;
		KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: use-after-free write in "));
		for (unsigned int n = 0; n < SLAB_GUARD_SLOTS; n++) {
			object = kmalloc(64, GFP_KERNEL);
			if (((unsigned long)object & PAGE_MASK) == (unsigned long)page)
				break;
			kfree((void *)object);
		}
		KUNIT_ASSERT_EQ(test, (unsigned long)object & PAGE_MASK, (unsigned long)page);
		KUNIT_EXPECT_TRUE(test, is_zero((const char *)object, 64));
		first = object;
	}
	kfree((void *)first);
	KUNIT_EXPECT_FALSE(test, is_said("BUG: KFENCE:"));
}

/* --- Readers ---------------------------------------------------------------------------- */

static void *rcu_head;
static void (*rcu_function)(void *head);

static void call_later(void *head, void (*function)(void *head))
{
	rcu_head = head;
	rcu_function = function;
}

static void wait_for_nobody(void)
{
}

static void check_readers(struct kunit *test)
{
	struct slab_cache_request request = {
		.name = "guard_rcu", .size = 64, .flags = SLAB_TYPESAFE_BY_RCU,
	};
	struct kmem_cache *cache;
	volatile char *object;

	slab_debug_hooks.line = log_line;
	slab_rcu_hooks.call = call_later;
	slab_rcu_hooks.barrier = wait_for_nobody;
	cache = slab_cache_create(&request);
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, slab_kfence_owns((void *)object));
	object[5] = 0x5a;
	kmem_cache_free(cache, (void *)object);
	KUNIT_ASSERT_NOT_NULL(test, rcu_head);
	KUNIT_EXPECT_EQ(test, object[5], 0x5a);
	KUNIT_EXPECT_FALSE(test, is_said("BUG: KFENCE:"));
	kmem_cache_free(cache, (void *)object);
	KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: invalid free in "));
	rcu_function(rcu_head);
	KUNIT_EXPECT_EQ(test, object[5], 0x5a);
	KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: use-after-free read in "));
	kmem_cache_destroy(cache);
}

/* Reported, and the program goes on. */
static void check_going_on(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("guard_a", 64, 0, 0, NULL);
	struct kmem_cache *other = kmem_cache_create("guard_b", 64, 0, 0, NULL);
	volatile char *object = kmem_cache_alloc(cache, GFP_KERNEL);

	slab_debug_hooks.line = log_line;
	kmem_cache_free(other, (void *)object);		/* a warning, and it is freed */
	object[5] = 1;
	KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: use-after-free write in "));
	kmem_cache_free(cache, (void *)object);
	KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: invalid free in "));
	object = kmem_cache_alloc(cache, GFP_KERNEL);
	object[4096] = 1;
	KUNIT_EXPECT_TRUE(test, is_said("BUG: KFENCE: out-of-bounds write in "));
	/* The object is still in use, so the cache reports it. */
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_TRUE(test, is_said("guard_a"));
	/* Freeing it later is right, or is reported. */
	kmem_cache_free(other, (void *)object);
	KUNIT_EXPECT_TRUE(test, is_said("guard_b but object is from guard_a"));
	kmem_cache_destroy(other);
}

/* Caches come and go while others' objects take the slots that theirs leave. */
static void come_and_go(struct test_thread *thread)
{
	static const char *const names[] = { "guard_0", "guard_1", "guard_2", "guard_3" };

	for (unsigned int i = 0; i < TEST_STEPS(2000); i++) {
		struct kmem_cache *cache = kmem_cache_create(names[thread->index % 4], 64, 0,
							     SLAB_NO_MERGE, NULL);
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(thread->test, object);
		kmem_cache_free(cache, object);
		kmem_cache_destroy(cache);
	}
}

static void check_destroying(struct kunit *test)
{
	slab_debug_hooks.line = log_line;
	test_threads_run(test, 4, come_and_go, NULL);
	KUNIT_EXPECT_FALSE(test, is_said("still has objects"));
	KUNIT_EXPECT_FALSE(test, is_said("Wrong slab cache"));
}

static void kernel_sources_go_on(struct kunit *test)
{
	zones_run(test, GUARD_ALL, check_going_on);
	zones_run(test, GUARD_ALL ":slab_debug", check_going_on);
	zones_run(test, GUARD_ALL, check_destroying);
	zones_run(test, GUARD_ALL, check_shown_pages);
	zones_run(test, GUARD_ALL, check_readers);
}

/* --- Counting ------------------------------------------------------------------------------ */

#define RATE 1000000
#define RATE_OPTION "kfence_sample=1000000"
/* Instructions of a function that counts, more than it has. */
#define STEPS 60

static struct {
	unsigned int wanted, nr;
} steps;

/* Allocates all objects up to the next guarded one, and that one. */
static void count_out(unsigned long address)
{
	(void)address;
	if (++steps.nr == steps.wanted)
		while (!slab_kfence_is_due())
			;
}

static void pass(void *unused)
{
	(void)unused;
	if (slab_kfence_passes())
		slab_kfence_unpass();
}

static void ask(void *unused)
{
	(void)unused;
	slab_kfence_is_due();
}

static void check_counting(struct kunit *test)
{
	static void (*const calls[])(void *) = { pass, ask };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		for (uint32_t left = 1; left <= 3; left++)
			for (steps.wanted = 1; steps.wanted < STEPS; steps.wanted++) {
				steps.nr = 0;
				slab_kfence_countdown = left;
				stepping_run(calls[i], NULL, count_out);
				KUNIT_EXPECT_LT_MSG(test, slab_kfence_countdown, 2 * RATE,
						    "%u left, call %zu, step %u", left, i,
						    steps.wanted);
			}
}

/* A thread that counts does not miss its turn because of a handler that has counted meanwhile. */
static void handlers_count(struct kunit *test)
{
	if (RSEQ_IN_C || !STEPPING_SINGLE)
		kunit_skip(test, "a program cannot step itself here");
	zones_run(test, RATE_OPTION, check_counting);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(guarded_objects),
	KUNIT_CASE(nothing_is_guarded_by_itself),
	KUNIT_CASE(kernel_sources_go_on),
	KUNIT_CASE(handlers_count),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-kfence", .test_cases = cases };

kunit_test_suite(suite);
