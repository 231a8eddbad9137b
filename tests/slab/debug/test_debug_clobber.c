/* SPDX-License-Identifier: MIT */
/*
 * Overwrites every byte of an object and around it, and compares the errors that validation counts
 * and repairs with a model of the layout. Errors are counted as slub_kunit counts them: one for a
 * report, one for mending.
 */
#include <kunit/resource.h>

#include "slab/debug/debug.h"
#include "slab/small_slab.h"
#include "support/kernel.h"
#include "support/threads.h"

#define F SLAB_CONSISTENCY_CHECKS
#define Z SLAB_RED_ZONE
#define P SLAB_POISON
#define U SLAB_STORE_USER

static struct kunit_resource resource;
static int slab_errors;

static int count_errors(struct kunit *test)
{
	slab_errors = 0;
	return kunit_add_named_resource(test, NULL, NULL, &resource, "slab_errors", &slab_errors);
}

static int errors_of_validation(struct kmem_cache *cache)
{
	slab_errors = 0;
	validate_slab_cache(cache);
	return slab_errors;
}

static void construct(void *object)
{
	memset(object, 0x33, 4);
}

struct layout {
	unsigned int size, align, asked;	/* asked: of kmalloc's; 0: none of those */
	bool has_ctor;
};

static const struct layout layouts[] = {
	{ 64, 0, 0, false }, { 61, 0, 0, false }, { 8, 0, 0, false }, { 3, 0, 0, false },
	{ 1, 0, 0, false }, { 100, 64, 0, false }, { 48, 0, 0, true }, { 45, 32, 0, true },
	{ 64, 0, 50, false }, { 64, 0, 64, false }, { 32, 32, 1, false }, { 3000, 0, 0, false },
};

static const slab_flags_t flag_sets[] = {
	F, Z, P, U, F | Z, F | P, F | U, Z | P, Z | U, P | U, F | Z | P, F | Z | U, F | P | U,
	Z | P | U, F | Z | P | U,
};

static struct kmem_cache *make(struct kunit *test, const struct layout *layout, slab_flags_t flags)
{
	struct slab_cache_request request = {
		.name = "clobbered", .size = layout->size, .align = layout->align,
		.flags = flags | SLAB_NO_USER_FLAGS | (layout->asked ? SLAB_KMALLOC : 0),
		.ctor = layout->has_ctor ? construct : NULL,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static u8 *get(struct kunit *test, const struct layout *layout, struct kmem_cache *cache)
{
	u8 *object = layout->asked ? usermm_kmalloc_cache(cache, GFP_KERNEL, layout->asked) :
				     kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

/* The model: the use of each byte, counted from the object's start. */
struct model {
	const struct layout *layout;
	slab_flags_t flags;
	int left, right, link, tracks, asked, padding, end;
	bool link_outside, poisons;
};

static struct model describe(const struct layout *layout, slab_flags_t flags)
{
	int words = (int)((layout->size + 7) / 8 * 8);
	struct model model = { .layout = layout, .flags = flags };
	int align = layout->align > 8 ? (int)layout->align : 8, size;

	model.poisons = (flags & P) && !layout->has_ctor;
	model.right = words + ((flags & Z) && words == (int)layout->size ? 8 : 0);
	model.link_outside = (flags & P) || layout->has_ctor ||
			     ((flags & Z) && (layout->size < 8 || (layout->asked && (flags & U))));
	model.link = model.link_outside ? model.right : (int)layout->size / 2 / 8 * 8;
	model.tracks = model.right + (model.link_outside ? 8 : 0);
	model.asked = model.tracks + ((flags & U) ? 64 : 0);
	model.padding = model.asked + ((flags & U) && layout->asked ? 8 : 0);
	model.left = (flags & Z) ? align : 0;
	size = model.padding + ((flags & Z) ? 8 + model.left : 0);
	model.end = (size + align - 1) / align * align - model.left;
	return model;
}

static int errors_inside(const struct model *model, int byte, bool in_use)
{
	if (in_use && (model->flags & Z) && (model->flags & U) && model->layout->asked &&
	    byte >= (int)model->layout->asked)
		return 2;
	return !in_use && model->poisons ? 2 : 0;
}

/* -1: not tried here. */
static int expected_errors(const struct model *model, int byte, bool in_use)
{
	bool is_link = byte >= model->link && byte < model->link + 8;

	if (byte < 0)
		return 2;
	if (is_link && !in_use)
		return -1;
	if (is_link && model->link_outside)
		return 1;
	if (byte < (int)model->layout->size)
		return errors_inside(model, byte, in_use);
	if (byte < model->right)
		return (model->flags & (Z | P)) ? 2 : 0;
	if (byte >= model->asked && byte < model->padding)
		return in_use ? -1 : 0;
	return byte >= model->padding && (model->flags & P) ? 2 : 0;
}

/* Deep inside a large object all bytes are alike: the quick flavours take some of them. */
static int next_byte(const struct model *model, int byte)
{
	int step = (int)test_divisor;
	bool deep_inside = byte >= 64 && byte + step < (int)model->layout->size - 64;

	return byte + (deep_inside ? step : 1);
}

static void clobber(struct kunit *test, const struct model *model, struct kmem_cache *cache,
		    u8 *object, bool in_use)
{
	for (int byte = -model->left; byte < model->end; byte = next_byte(model, byte)) {
		int expected = expected_errors(model, byte, in_use);
		u8 before = object[byte];

		if (expected < 0)
			continue;
		object[byte] = (u8)~before;
		KUNIT_EXPECT_EQ_MSG(test, errors_of_validation(cache), expected,
				    "size %u, flags 0x%x, %s, byte %d", model->layout->size,
				    model->flags, in_use ? "in use" : "free", byte);
		KUNIT_EXPECT_EQ_MSG(test, errors_of_validation(cache), 0,
				    "mended: size %u, flags 0x%x, %s, byte %d",
				    model->layout->size, model->flags,
				    in_use ? "in use" : "free", byte);
		if (expected == 2)
			KUNIT_EXPECT_EQ_MSG(test, object[byte], before, "restored: byte %d", byte);
		object[byte] = before;
	}
}

static void check_layout(struct kunit *test, const struct model *model,
			 const struct kmem_cache *cache)
{
	KUNIT_EXPECT_EQ(test, cache->object_size, model->layout->size);
	KUNIT_EXPECT_EQ(test, cache->red_left_pad, model->left);
	KUNIT_EXPECT_EQ(test, cache->inuse, model->right);
	KUNIT_EXPECT_EQ(test, cache->offset, model->link);
	KUNIT_EXPECT_EQ_MSG(test, cache->size, model->end + model->left, "size %u, flags 0x%x",
			    model->layout->size, model->flags);
}

static void test_debug_every_byte(struct kunit *test)
{
	for (unsigned int l = 0; l < ARRAY_SIZE(layouts); l++)
		for (unsigned int k = 0; k < ARRAY_SIZE(flag_sets); k++) {
			struct model model = describe(&layouts[l], flag_sets[k]);
			struct kmem_cache *cache = make(test, &layouts[l], flag_sets[k]);
			u8 *first = get(test, &layouts[l], cache);
			u8 *second = get(test, &layouts[l], cache);

			check_layout(test, &model, cache);
			KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
			clobber(test, &model, cache, second, true);
			kmem_cache_free(cache, second);
			KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
			clobber(test, &model, cache, second, false);
			kmem_cache_free(cache, first);
			kmem_cache_destroy(cache);
		}
}

/*
 * The link of a free object: the list is cut there, and the objects behind are missing. They count
 * as in use from then on, and each validation repairs one of them.
 */
static void clobber_link(struct kunit *test, const struct layout *layout, slab_flags_t flags,
			 int byte)
{
	struct kmem_cache *cache = make(test, layout, flags);
	u8 *first = get(test, layout, cache), *second = get(test, layout, cache);
	bool is_last = virt_to_page(second)->objects == 2;
	unsigned int rounds = 0;
	int errors;

	kmem_cache_free(cache, second);
	second[cache->offset + (unsigned int)byte] ^= 0xff;
	errors = errors_of_validation(cache);
	if (is_last)
		KUNIT_EXPECT_EQ(test, errors, 1);
	else if (flags & Z)
		KUNIT_EXPECT_GE(test, errors, 3 + 4);
	else
		KUNIT_EXPECT_EQ_MSG(test, errors, 3, "size %u, flags 0x%x, byte %d of the link",
				    layout->size, flags, byte);
	while (errors_of_validation(cache) && rounds < cache->objects)
		rounds++;
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	/* The cache goes on: it hands out the remaining objects, then a new slab's. */
	KUNIT_EXPECT_PTR_EQ(test, get(test, layout, cache), second);
	KUNIT_EXPECT_NE(test, get(test, layout, cache), first);
	KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	kmem_cache_destroy(cache);
}

static void test_debug_every_byte_of_link(struct kunit *test)
{
	for (unsigned int l = 0; l < ARRAY_SIZE(layouts); l++)
		for (unsigned int k = 0; k < ARRAY_SIZE(flag_sets); k++)
			for (int byte = 0; byte < 8; byte++)
				clobber_link(test, &layouts[l], flag_sets[k], byte);
}

/* The room behind the last object is padding, too. */
static void test_debug_tail_of_slab(struct kunit *test)
{
	static const struct layout layout = { 200, 0, 0, false };
	struct kmem_cache *cache = make(test, &layout, P | Z);
	u8 *object = get(test, &layout, cache);
	u8 *base = page_address(slab_of(cache, object));
	size_t used = (size_t)cache->objects * cache->size, end = slab_mask_of(cache) + 1;

	KUNIT_ASSERT_LT(test, used, end);
	for (size_t byte = used; byte < end; byte += (end - used) / 3) {
		base[byte] = 0xa7;
		/* The report itself is not counted, as in Linux. */
		KUNIT_EXPECT_EQ_MSG(test, errors_of_validation(cache), 1, "byte %zu", byte);
		KUNIT_EXPECT_EQ(test, base[byte], 0x5a);
		KUNIT_EXPECT_EQ(test, errors_of_validation(cache), 0);
	}
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

/* Without checks at each call, an overwritten object is allocated and freed unnoticed. */
static void test_debug_found_by_calls(struct kunit *test)
{
	static const struct layout layout = { 64, 0, 0, false };

	for (unsigned int checked = 0; checked < 2; checked++) {
		struct kmem_cache *cache = make(test, &layout, Z | P | (checked ? F : 0));
		u8 *object = get(test, &layout, cache), *other = get(test, &layout, cache);

		slab_errors = 0;
		object[64] = 1;
		kmem_cache_free(cache, object);		/* not freed, if it was looked at */
		KUNIT_EXPECT_EQ(test, slab_errors, checked ? 3 : 0);
		slab_errors = 0;
		if (checked)
			kmem_cache_free(cache, object);	/* it has been mended */
		KUNIT_EXPECT_EQ(test, slab_errors, 0);
		object[5] = 1;
		KUNIT_EXPECT_EQ(test, get(test, &layout, cache) != object, checked);
		/* The report, the restoring, and that the slab is left alone. */
		KUNIT_EXPECT_EQ(test, slab_errors, checked ? 3 : 0);
		slab_errors = 0;
		kmem_cache_free(cache, other);		/* of a slab that is left alone */
		KUNIT_EXPECT_EQ(test, slab_errors, checked ? 2 : 0);
		kmem_cache_destroy(cache);
	}
}

static struct kunit_case debug_clobber_cases[] = {
	KUNIT_CASE(test_debug_every_byte),
	KUNIT_CASE(test_debug_every_byte_of_link),
	KUNIT_CASE(test_debug_tail_of_slab),
	KUNIT_CASE(test_debug_found_by_calls),
	{ 0 },
};

static struct kunit_suite debug_clobber_suite = {
	.name = "slab-debug-clobber",
	.init = count_errors,
	.test_cases = debug_clobber_cases,
};

kunit_test_suite(debug_clobber_suite);
