/* SPDX-License-Identifier: MIT */
/* kmem_cache_alloc_bulk(), kmem_cache_free_bulk(): all or nothing, and each object checked. */
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/slab_fast.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "usermm/fault.h"

enum { MOST = 700, STAMPS_MAX = 1500 };
#define BUDGET_BYTES (16UL << 20)
/* More bytes than the code of the function below, whose calls appear in reports. */
#define FUNCTION_BYTES 1024

struct kind {
	const char *name;
	unsigned int size;
	slab_flags_t flags;
	bool ctor;
};

#define ALL_DEBUG (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)

static const struct kind kinds[] = {
	{ "8", 8, 0, false },		{ "72", 72, 0, false },
	{ "700", 700, 0, false },	{ "5000", 5000, 0, false },
	{ "72, ctor", 72, 0, true },	{ "72, debug", 72, ALL_DEBUG, false },
	{ "8, checks", 8, SLAB_CONSISTENCY_CHECKS, false },
};

static void describe_kind(const struct kind *kind, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", kind->name);
}

KUNIT_ARRAY_PARAM(kind, kinds, describe_kind);

static void construct(void *object)
{
	memset(object, 0x5c, 72);
}

static struct kmem_cache *cache_of_kind(struct kunit *test, const struct kind *kind)
{
	struct kmem_cache *cache = kmem_cache_create("bulk", kind->size, 0, kind->flags,
						     kind->ctor ? construct : NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* --- A random sequence against a model: objects that are out, each with its stamp ---------- */

struct model {
	struct kunit *test;
	struct kmem_cache *cache;
	unsigned int size, nr;
	struct shadow shadow;
	struct {
		void *object;
		u64 stamp;
	} out[STAMPS_MAX];
	u64 next_stamp;
};

static void model_gets(struct model *model, void *object)
{
	KUNIT_ASSERT_NOT_NULL(model->test, object);
	KUNIT_ASSERT_EQ(model->test, shadow_claim(&model->shadow, object, model->size), 0);
	shadow_stamp(object, model->size, ++model->next_stamp);
	model->out[model->nr].object = object;
	model->out[model->nr++].stamp = model->next_stamp;
}

static void *model_gives(struct model *model, struct prng *prng)
{
	unsigned int i = prng_below(prng, model->nr);
	void *object = model->out[i].object;

	KUNIT_ASSERT_TRUE(model->test, shadow_stamp_holds(object, model->size,
							  model->out[i].stamp));
	KUNIT_ASSERT_EQ(model->test, shadow_release(&model->shadow, object, model->size), 0);
	model->out[i] = model->out[--model->nr];
	return object;
}

static void step(struct model *model, struct prng *prng)
{
	void *objects[MOST];
	unsigned int n = prng_one_in(prng, 4) ? prng_below(prng, MOST) : prng_below(prng, 40);

	if (prng_one_in(prng, 2) && model->nr + n <= STAMPS_MAX) {
		KUNIT_ASSERT_EQ(model->test, (int)n,
				kmem_cache_alloc_bulk(model->cache, GFP_KERNEL, n, objects));
		for (unsigned int i = 0; i < n; i++)
			model_gets(model, objects[i]);
	} else if (prng_one_in(prng, 8) && model->nr < STAMPS_MAX) {
		model_gets(model, kmem_cache_alloc(model->cache, GFP_KERNEL));
	} else if (prng_one_in(prng, 8) && model->nr) {
		kmem_cache_free(model->cache, model_gives(model, prng));
	} else {
		n = n < model->nr ? n : model->nr;
		for (unsigned int i = 0; i < n; i++)
			objects[i] = model_gives(model, prng);
		kmem_cache_free_bulk(prng_one_in(prng, 2) ? model->cache : NULL, n, objects);
	}
}

static void test_bulk_property(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct model *model = calloc(1, sizeof(*model));
	struct prng prng = { 5 };

	KUNIT_ASSERT_NOT_NULL(test, model);
	model->test = test;
	model->size = kind->size;
	model->cache = cache_of_kind(test, kind);
	KUNIT_ASSERT_TRUE(test, shadow_init(&model->shadow, SHADOW_GRANULE_SHIFT, 40000));
	for (unsigned int i = 0; i < TEST_STEPS(300u); i++)
		step(model, &prng);
	while (model->nr)
		kmem_cache_free(model->cache, model_gives(model, &prng));
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(model->cache), 0);
	kmem_cache_destroy(model->cache);
	shadow_destroy(&model->shadow);
	free(model);
}

static void hammer(struct test_thread *thread)
{
	struct kmem_cache *cache = thread->arg;
	void *objects[100];

	for (unsigned int round = 0; round < TEST_STEPS(2000u); round++) {
		unsigned int n = prng_below(&thread->prng, 100);
		u64 stamp = (u64)thread->index << 32 | round;

		KUNIT_ASSERT_EQ(thread->test,
				kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, objects), (int)n);
		for (unsigned int i = 0; i < n; i++)
			shadow_stamp(objects[i], 72, stamp + i);
		for (unsigned int i = 0; i < n; i++)
			KUNIT_ASSERT_TRUE(thread->test,
					  shadow_stamp_holds(objects[i], 72, stamp + i));
		kmem_cache_free_bulk(cache, n, objects);
	}
}

static void test_bulk_threads(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_kind(test, &kinds[1]);

	test_threads_run(test, 4, hammer, cache);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* --- Clearing, construction -------------------------------------------------------------- */

static void test_bulk_zero(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct kmem_cache *cache = cache_of_kind(test, kind);
	void *objects[MOST];

	for (unsigned int round = 0; round < 2; round++) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, MOST, objects),
				MOST);
		for (unsigned int i = 0; i < MOST; i++)
			memset(objects[i], 0xee, kind->size);
		kmem_cache_free_bulk(cache, MOST, objects);
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, MOST,
							    objects), MOST);
		for (unsigned int i = 0; i < MOST; i++)
			KUNIT_EXPECT_TRUE(test, shadow_all_bytes(objects[i], kind->size, 0));
		kmem_cache_free_bulk(cache, MOST, objects);
	}
	kmem_cache_destroy(cache);
}

static void test_bulk_constructed(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_kind(test, &kinds[4]);
	void *objects[MOST];

	for (unsigned int round = 0; round < 3; round++) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, MOST, objects),
				MOST);
		for (unsigned int i = 0; i < MOST; i++)
			KUNIT_EXPECT_TRUE(test, shadow_all_bytes(objects[i], 72, 0x5c));
		kmem_cache_free_bulk(cache, MOST, objects);
	}
	kmem_cache_destroy(cache);
}

/* --- Failure ------------------------------------------------------------------------------- */

/* Fault injection counts a bulk request as one call, whatever its number of objects. */
static void fail_on_purpose(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = cache_of_kind(test, arg);
	void *objects[200];

	usermm_fail_nth(2);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_NOWAIT | __GFP_NOWARN, 0, objects),
			0);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 2);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 200, objects), 200);
	kmem_cache_free_bulk(cache, 200, objects);
	usermm_fail_nth(1);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_NOWAIT | __GFP_NOWARN, 10, objects),
			0);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
	usermm_fail_nth(2);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_NOWAIT | __GFP_NOWARN, 10, objects),
			10);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 1);
	kmem_cache_free_bulk(cache, 10, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

static void test_bulk_fails_on_purpose(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, fail_on_purpose, (void *)test->param_value);
}

/* More than there is memory for: nothing is kept, and a bulk that fits is served. */
static void test_bulk_all_or_nothing(struct kunit *test)
{
	const struct kind *kind = test->param_value;
	struct kmem_cache *cache = cache_of_kind(test, kind);
	size_t nr = BUDGET_BYTES / kind->size;
	void **objects;

	/* Millions of objects only in flavours that have the time. */
	if (test_divisor > 1 && kind->size < 64) {
		kmem_cache_destroy(cache);
		kunit_skip(test, "a part of the steps only");
	}
	objects = calloc(nr, sizeof(*objects));
	KUNIT_ASSERT_NOT_NULL(test, objects);
	for (unsigned int round = 0; round < 2; round++)
		KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_NOWARN, nr,
							    objects), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 1000, objects), 1000);
	kmem_cache_free_bulk(cache, 1000, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
	free(objects);
}

/* --- Mistakes -------------------------------------------------------------------------------- */

struct array {
	struct kmem_cache *cache;	/* the text of the free's report */
	unsigned int nr;
	void *objects[8];
};

static void free_array(struct kunit *test, void *arg);

static void name_caller(const void *address, char *text, size_t size)
{
	unsigned long offset = (unsigned long)address - (unsigned long)free_array;

	snprintf(text, size, "%s", offset < FUNCTION_BYTES ? "free_array" : "elsewhere");
}

static void free_array(struct kunit *test, void *arg)
{
	struct array *array = arg;

	(void)test;
	os_describe_hook = name_caller;
	if (array->cache)
		kmem_cache_free_bulk(array->cache, array->nr, array->objects);
	else
		kfree_bulk(array->nr, array->objects);
	array->nr = 0;		/* or the last call would be a jump, and its caller another */
}

static void expect_death(struct kunit *test, struct array *array, unsigned int at, void *wrong)
{
	void *right = array->objects[at];

	array->objects[at] = wrong;
	CHILD_EXPECT_DEATH(test, free_array, array, "usermm: kmem_cache_free_bulk(",
			   child_hex(wrong), "; called from free_array");
	array->objects[at] = right;
}

/* Whatever cache the call names, and wherever in the array the mistake is. */
static void test_bulk_wrong_entries(struct kunit *test)
{
	static const unsigned int sizes[] = { 8, 72, 700 };
	char on_stack[64];

	for (unsigned int k = 0; k < 2 * ARRAY_SIZE(sizes); k++) {
		struct kmem_cache *cache = kmem_cache_create("bulk", sizes[k / 2], 0, 0, NULL);
		struct array array = { k % 2 ? cache : NULL, 8, { NULL } };
		void *freed;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		freed = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 8, array.objects),
				8);
		kmem_cache_free(cache, freed);
		expect_death(test, &array, 1, array.objects[0]);	/* twice in a row */
		expect_death(test, &array, 7, array.objects[2]);	/* and far apart */
		expect_death(test, &array, 3, freed);
		expect_death(test, &array, 0, (char *)array.objects[0] + 1);
		expect_death(test, &array, 5, (char *)array.objects[5] + sizes[k / 2] / 2);
		expect_death(test, &array, 6, on_stack);
		kmem_cache_free_bulk(cache, 8, array.objects);
		kmem_cache_destroy(cache);
	}
}

/* A bulk that was freed: each of its objects is known to be free. */
static void test_bulk_freed_objects_are_marked(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_kind(test, &kinds[1]);
	struct array array = { cache, 1, { NULL } };
	void *objects[200];

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 200, objects), 200);
	kmem_cache_free_bulk(cache, 200, objects);
	for (unsigned int i = 0; i < 200; i += 13)
		expect_death(test, &array, 0, objects[i]);
	kmem_cache_destroy(cache);
}

/* NULL is reported; the other objects are freed all the same. */
static size_t null_first, null_last;

static void free_with_null(struct kunit *test, void *arg)
{
	struct array *array = arg;
	struct kmem_cache *cache = cache_of(array->objects[0]);
	void *others[8];

	for (size_t i = null_first; i <= null_last; i++) {
		others[i] = array->objects[i];
		array->objects[i] = NULL;
	}
	kmem_cache_free_bulk(array->cache, array->nr, array->objects);
	for (size_t i = null_first; i <= null_last; i++)
		kmem_cache_free(cache, others[i]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
}

/* The first, one in the middle, the last, two in a row. */
static void test_bulk_null_entry(struct kunit *test)
{
	static const size_t places[][2] = { { 0, 0 }, { 4, 4 }, { 7, 7 }, { 0, 1 }, { 3, 4 } };

	for (unsigned int k = 0; k < 2 * ARRAY_SIZE(places); k++) {
		struct kmem_cache *cache = cache_of_kind(test, test->param_value);
		struct array array = { k & 1 ? cache : NULL, 8, { NULL } };

		null_first = places[k / 2][0];
		null_last = places[k / 2][1];
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 8, array.objects),
				8);
		CHILD_EXPECT_SUCCESS(test, free_with_null, &array,
				     "usermm: WARNING: kmem_cache_free_bulk", "NULL");
		kmem_cache_free_bulk(cache, 8, array.objects);
		kmem_cache_destroy(cache);
	}
}

struct strangers {
	struct kmem_cache *right, *wrong;
	void *objects[3];
};

static void free_strangers(struct kunit *test, void *arg)
{
	struct strangers *strangers = arg;

	kmem_cache_free_bulk(strangers->wrong, 3, strangers->objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(strangers->right), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(strangers->wrong), 0);
}

/* An object of another cache is reported, and goes back to its own cache. */
static void test_bulk_wrong_cache(struct kunit *test)
{
	struct strangers strangers = {
		.right = kmem_cache_create("right", 64, 0, 0, NULL),
		.wrong = kmem_cache_create("wrong", 64, 0, 0, NULL),
	};

	KUNIT_ASSERT_NOT_NULL(test, strangers.right);
	KUNIT_ASSERT_NOT_NULL(test, strangers.wrong);
	strangers.objects[0] = kmem_cache_alloc(strangers.wrong, GFP_KERNEL);
	strangers.objects[1] = kmem_cache_alloc(strangers.right, GFP_KERNEL);
	strangers.objects[2] = kmem_cache_alloc(strangers.wrong, GFP_KERNEL);
	CHILD_EXPECT_SUCCESS(test, free_strangers, &strangers, "usermm: ",
			     child_hex(strangers.objects[1]), "right", "wrong");
	kmem_cache_free_bulk(NULL, 3, strangers.objects);
	kmem_cache_destroy(strangers.right);
	kmem_cache_destroy(strangers.wrong);
}

static void free_debugged_twice(struct kunit *test, void *arg)
{
	struct array *array = arg;

	array->objects[3] = array->objects[1];
	kmem_cache_free_bulk(array->cache, array->nr, array->objects);
	KUNIT_EXPECT_EQ(test, validate_slab_cache(array->cache), 1);
}

/* With consistency checks the second free has a long report, and the program goes on. */
static void test_bulk_debugged_twice(struct kunit *test)
{
	struct kmem_cache *cache = cache_of_kind(test, &kinds[5]);
	struct array array = { cache, 8, { NULL } };

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 8, array.objects), 8);
	CHILD_EXPECT_SUCCESS(test, free_debugged_twice, &array, "BUG bulk (",
			     "Object already free", child_hex(array.objects[1]));
	kmem_cache_free_bulk(cache, 8, array.objects);
	kmem_cache_destroy(cache);
}

/*
 * More objects than a sheaf has room for: the others go to the barn and come from there, and the
 * slabs are left alone once the barn has grown.
 */
static void test_bulk_beyond_sheaf(struct kunit *test)
{
	static const unsigned int sizes[] = { 64, 300, 512 };
	unsigned long before = 0;
	void *objects[300];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *cache = kmem_cache_create("beyond", sizes[i], 0, 0, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		if (!cache->own_sheaf) {	/* slab_cpu_cache=slab */
			kmem_cache_destroy(cache);
			kunit_skip(test, "this mode has no sheaves");
		}
		for (unsigned int round = 0; round < 200; round++) {
			if (round == 100)
				before = cache->flushes;
			KUNIT_ASSERT_EQ(test, 300,
					kmem_cache_alloc_bulk(cache, GFP_KERNEL, 300, objects));
			kmem_cache_free_bulk(cache, 300, objects);
		}
		/* Time may pass, and the thread may be moved to another CPU, a few times. */
		KUNIT_EXPECT_LT_MSG(test, cache->flushes - before, 20, "size %u", sizes[i]);
		kmem_cache_destroy(cache);
	}
}

static struct kunit_case bulk_cases[] = {
	KUNIT_CASE_PARAM(test_bulk_property, kind_gen_params),
	KUNIT_CASE(test_bulk_threads),
	KUNIT_CASE_PARAM(test_bulk_zero, kind_gen_params),
	KUNIT_CASE(test_bulk_constructed),
	KUNIT_CASE_PARAM(test_bulk_fails_on_purpose, kind_gen_params),
	KUNIT_CASE(test_bulk_wrong_entries),
	KUNIT_CASE(test_bulk_freed_objects_are_marked),
	KUNIT_CASE_PARAM(test_bulk_null_entry, kind_gen_params),
	KUNIT_CASE(test_bulk_wrong_cache),
	KUNIT_CASE(test_bulk_debugged_twice),
	KUNIT_CASE_PARAM(test_bulk_all_or_nothing, kind_gen_params),
	KUNIT_CASE(test_bulk_beyond_sheaf),
	{ 0 },
};

static struct kunit_suite bulk_suite = {
	.name = "slab_bulk",
	.suite_init = test_set_small_budget,
	.test_cases = bulk_cases,
};

kunit_test_suite(bulk_suite);
