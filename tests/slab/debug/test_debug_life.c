/* SPDX-License-Identifier: MIT */
/*
 * Caches with debugging flags in ordinary use: correct threads and signal handlers cause no report.
 */
#include <kunit/resource.h>

#include "slab/debug/debug.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "support/threads.h"

#define ALL_FLAGS (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)
#define NR_OBJECTS 300

static struct kunit_resource resource;
static int slab_errors;

static int count_errors(struct kunit *test)
{
	slab_errors = 0;
	return kunit_add_named_resource(test, NULL, NULL, &resource, "slab_errors", &slab_errors);
}

static struct kmem_cache *make(struct kunit *test, unsigned int size, unsigned int align,
			       slab_flags_t flags, void (*ctor)(void *))
{
	struct slab_cache_request request = {
		.name = "watched", .size = size, .align = align,
		.flags = flags | SLAB_NO_USER_FLAGS, .ctor = ctor,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* An object in use, and the byte that its user wrote all over it. */
struct held {
	u8 *object;
	size_t size;
	u8 byte;
};

static void fill(struct held *held, u8 byte)
{
	held->byte = byte;
	memset(held->object, byte, held->size);
}

static bool is_filled(const struct held *held, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (held->object[i] != held->byte)
			return false;
	return true;
}

static void alloc_one(struct kunit *test, struct kmem_cache *cache, struct held *held,
		      struct prng *prng)
{
	bool zeroed = !cache->ctor && prng_one_in(prng, 3);
	gfp_t gfp = zeroed ? GFP_KERNEL | __GFP_ZERO : GFP_KERNEL;

	held->size = cache->flags & SLAB_KMALLOC ? prng_range(prng, 1, cache->object_size) :
						   cache->object_size;
	held->object = usermm_kmalloc_cache(cache, gfp, held->size);
	KUNIT_ASSERT_NOT_NULL(test, held->object);
	KUNIT_ASSERT_EQ(test, (unsigned long)held->object % cache->align, 0);
	held->byte = 0;
	if (zeroed)
		KUNIT_ASSERT_TRUE(test, is_filled(held, held->size));
	fill(held, (u8)prng_u64(prng));
}

static void resize_one(struct kunit *test, struct kmem_cache *cache, struct held *held,
		       struct prng *prng)
{
	size_t size = prng_range(prng, 1, cache->object_size), kept = held->size;

	held->object = krealloc(held->object, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, held->object);
	KUNIT_ASSERT_TRUE(test, is_filled(held, kept < size ? kept : size));
	held->size = size;
	fill(held, (u8)prng_u64(prng));
}

static void one_step(struct kunit *test, struct kmem_cache *cache, struct held *held,
		     struct prng *prng)
{
	if (!held->object) {
		alloc_one(test, cache, held, prng);
		return;
	}
	KUNIT_ASSERT_TRUE(test, is_filled(held, held->size));
	if ((cache->flags & SLAB_KMALLOC) && prng_one_in(prng, 3)) {
		resize_one(test, cache, held, prng);
	} else if (!cache->ctor && prng_one_in(prng, 8)) {
		held->size = ksize(held->object);
		fill(held, 0x99);
	} else {
		kmem_cache_free(cache, held->object);
		held->object = NULL;
	}
}

static void do_nothing(void *object)
{
	(void)object;
}

static void live(struct kunit *test, struct prng *prng)
{
	static const unsigned int sizes[] = { 1, 7, 8, 9, 24, 64, 100, 255, 1000, 4096, 5000 };
	static struct held held[NR_OBJECTS];
	slab_flags_t flags = ALL_FLAGS & ((slab_flags_t)prng_u64(prng) | SLAB_CONSISTENCY_CHECKS);
	unsigned int align = 8u << prng_below(prng, 5), nr = 0;
	struct kmem_cache *cache;

	flags |= prng_one_in(prng, 2) ? SLAB_KMALLOC : 0;
	cache = make(test, sizes[prng_below(prng, ARRAY_SIZE(sizes))], align, flags,
		     prng_one_in(prng, 4) ? do_nothing : NULL);
	memset(held, 0, sizeof(held));
	for (unsigned int i = 0; i < TEST_STEPS(3000); i++) {
		one_step(test, cache, &held[prng_below(prng, NR_OBJECTS)], prng);
		if (prng_one_in(prng, 300))
			validate_slab_cache(cache);
	}
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		nr += held[i].object != NULL;
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), nr);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		if (held[i].object)
			kmem_cache_free(cache, held[i].object);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	KUNIT_EXPECT_LE(test, slab_nr_slabs(cache), cache->min_partial);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_EQ_MSG(test, slab_errors, 0, "flags 0x%x", flags);
}

static void test_debug_random_life(struct kunit *test)
{
	struct prng prng = { 20 };

	for (unsigned int round = 0; round < 60; round++)
		live(test, &prng);
}

struct shared {
	struct kmem_cache *cache;
	unsigned long *shelves[64];	/* Sync: atomic exchange */
};

static void swap_thread(struct test_thread *thread)
{
	struct shared *shared = thread->arg;

	for (unsigned int i = 0; i < TEST_STEPS(20000); i++) {
		unsigned int shelf = prng_below(&thread->prng, ARRAY_SIZE(shared->shelves));
		unsigned long *object = kmem_cache_alloc(shared->cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(thread->test, object);
		object[0] = object[11] = (unsigned long)object;
		object = __atomic_exchange_n(&shared->shelves[shelf], object, __ATOMIC_ACQ_REL);
		if (object) {
			KUNIT_ASSERT_EQ(thread->test, object[0], (unsigned long)object);
			KUNIT_ASSERT_EQ(thread->test, object[11], (unsigned long)object);
			kmem_cache_free(shared->cache, object);
		}
		if (prng_one_in(&thread->prng, 1000))
			validate_slab_cache(shared->cache);
	}
}

/* In a child, where errors are printed: in other threads no KUnit case would count them. */
static void swap_objects(struct kunit *test, void *arg)
{
	static struct shared shared;

	(void)arg;
	shared.cache = make(test, 96, 0, ALL_FLAGS, NULL);
	test_threads_run(test, 4, swap_thread, &shared);
	for (unsigned int i = 0; i < ARRAY_SIZE(shared.shelves); i++)
		if (shared.shelves[i])
			kmem_cache_free(shared.cache, shared.shelves[i]);
	kmem_cache_destroy(shared.cache);
}

static void test_debug_threads(struct kunit *test)
{
	struct child_result result;

	child_run(test, swap_objects, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_STREQ(test, result.err, "");
}

struct interrupted {
	struct kunit *test;
	struct kmem_cache *cache;
	void *objects[NR_OBJECTS];
	bool twice, inside;
};

static void free_all(void *arg)
{
	struct interrupted *state = arg;

	KUNIT_EXPECT_NULL(state->test, kmem_cache_alloc(state->cache, GFP_KERNEL));
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(state->cache, state->objects[i]);
	if (state->twice)
		kmem_cache_free(state->cache, state->objects[NR_OBJECTS / 2]);
	if (state->inside)
		kmem_cache_free(state->cache, (char *)state->objects[NR_OBJECTS / 2] + 24);
}

/*
 * A handler above a holder of the lock: objects that it frees go back later, and are checked then.
 */
static void interrupt_holder(struct kunit *test, slab_flags_t flags, bool twice, bool inside)
{
	static struct interrupted state;

	state = (struct interrupted){ .test = test, .twice = twice, .inside = inside };
	state.cache = make(test, 100, 0, flags, NULL);
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		state.objects[i] = kmem_cache_alloc(state.cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, state.objects[i]);
	}
	lock_acquire(&state.cache->first_node.lock);
	run_in_handler(free_all, &state);
	lock_release(&state.cache->first_node.lock);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(state.cache), NR_OBJECTS);
	validate_slab_cache(state.cache);
}

static void test_debug_signal(struct kunit *test)
{
	static const slab_flags_t flags[] = {
		SLAB_CONSISTENCY_CHECKS, SLAB_RED_ZONE, SLAB_POISON, SLAB_STORE_USER,
		SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE, ALL_FLAGS,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		struct kmem_cache *cache;

		interrupt_holder(test, flags[i], false, false);
		cache = list_last_entry(&slab_caches, struct kmem_cache, caches);
		KUNIT_EXPECT_EQ(test, slab_errors, 0);
		KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
		kmem_cache_destroy(cache);
	}
}

static void free_twice_in_handler(struct kunit *test, void *arg)
{
	interrupt_holder(test, *(const slab_flags_t *)arg, true, false);
}

static void test_debug_signal_double_free(struct kunit *test)
{
	static const slab_flags_t checked = ALL_FLAGS, unchecked = SLAB_RED_ZONE;

	CHILD_EXPECT_SUCCESS(test, free_twice_in_handler, (void *)&checked, "Object already free",
			     "not freed");
	CHILD_EXPECT_DEATH(test, free_twice_in_handler, (void *)&unchecked, "double free");
}

static void free_inside_in_handler(struct kunit *test, void *arg)
{
	interrupt_holder(test, *(const slab_flags_t *)arg, false, true);
}

/*
 * The mistake is reported at once: the link of a deferred object would lie in another owner's
 * object.
 */
static void test_debug_signal_free_inside(struct kunit *test)
{
	static const slab_flags_t checked = ALL_FLAGS;
	static const slab_flags_t unchecked[] = { SLAB_RED_ZONE, SLAB_POISON };

	CHILD_EXPECT_SUCCESS(test, free_inside_in_handler, (void *)&checked,
			     "Invalid object pointer", "not freed");
	for (unsigned int i = 0; i < ARRAY_SIZE(unchecked); i++)
		CHILD_EXPECT_DEATH(test, free_inside_in_handler, (void *)&unchecked[i],
				   "kmem_cache_free(", "24 bytes inside object");
}

/*
 * A signal handler above a call that has the lock: T makes the call print, so the handler frees
 * there.
 */
static struct {
	struct kmem_cache *cache;
	void *object;		/* NULL: none comes */
} above_call;

static void free_above_call(void *object)
{
	kmem_cache_free(above_call.cache, object);
}

static void interrupt_call(const char *line)
{
	void *object = above_call.object;

	above_call.object = NULL;
	if (object && strstr(line, "TRACE "))
		run_in_handler(free_above_call, object);
}

/* A handler that is right, and one that frees what the first has freed. */
static void free_twice_above_call(struct kunit *test, void *arg)
{
	slab_flags_t flags = *(const slab_flags_t *)arg | SLAB_TRACE;
	struct kmem_cache *cache = make(test, 100, 0, flags, NULL);
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);
	void *other = kmem_cache_alloc(cache, GFP_KERNEL);

	above_call.cache = cache;
	above_call.object = other;
	kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
	validate_slab_cache(cache);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 1);
	KUNIT_EXPECT_EQ(test, slab_errors, 0);

	above_call.object = other;
	kmem_cache_free(cache, object);
	KUNIT_EXPECT_TRUE_MSG(test, flags & SLAB_CONSISTENCY_CHECKS, "the handler went on");
	validate_slab_cache(cache);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	/*
	 * The report says that the object is free already; it is not freed, and the list of free
	 * objects is unchanged.
	 */
	KUNIT_EXPECT_EQ(test, slab_errors, 2);
	kmem_cache_destroy(cache);
}

/* It is reported before a link is written into it: the interrupted call follows the links. */
static void test_debug_signal_double_free_above_call(struct kunit *test)
{
	static const slab_flags_t unchecked[] = { 0, SLAB_RED_ZONE, SLAB_POISON, SLAB_STORE_USER };
	static const slab_flags_t checked = ALL_FLAGS;
	void (*line)(const char *text) = slab_debug_hooks.line;

	slab_debug_hooks.line = interrupt_call;
	for (unsigned int i = 0; i < ARRAY_SIZE(unchecked); i++)
		CHILD_EXPECT_DEATH(test, free_twice_above_call, (void *)&unchecked[i],
				   "double free");
	free_twice_above_call(test, (void *)&checked);
	slab_debug_hooks.line = line;
}

static struct kunit_case debug_life_cases[] = {
	KUNIT_CASE(test_debug_random_life),
	KUNIT_CASE(test_debug_threads),
	KUNIT_CASE(test_debug_signal),
	KUNIT_CASE(test_debug_signal_double_free),
	KUNIT_CASE(test_debug_signal_free_inside),
	KUNIT_CASE(test_debug_signal_double_free_above_call),
	{ 0 },
};

static struct kunit_suite debug_life_suite = {
	.name = "slab-debug-life",
	.init = count_errors,
	.test_cases = debug_life_cases,
};

kunit_test_suite(debug_life_suite);
