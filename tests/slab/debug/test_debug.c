/* SPDX-License-Identifier: MIT */
/* Reports of slab debugging, and that the program goes on after them. */
#include <signal.h>
#include <sys/wait.h>

#include "slab/debug/debug.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/slabs.h"

#define F SLAB_CONSISTENCY_CHECKS
#define Z SLAB_RED_ZONE
#define P SLAB_POISON
#define U SLAB_STORE_USER
#define OBJECT_BYTES 60		/* leaves room for padding */

/* One mistake, made in a child; the texts that its report must have. */
struct mistake {
	const char *name;
	slab_flags_t flags;
	void (*make)(struct kunit *test, struct kmem_cache *cache);
	const char *texts[8];
};

static u8 *get(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

static u8 *get_freed(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get(test, cache);

	get(test, cache);	/* the slab stays */
	kmem_cache_free(cache, object);
	return object;
}

static struct page *slab_with_object(struct kunit *test, struct kmem_cache *cache)
{
	return slab_of(cache, get(test, cache));
}

static void overflow(struct kunit *test, struct kmem_cache *cache)
{
	u8 *first = get(test, cache), *object = get(test, cache);

	kmem_cache_free(cache, first);
	object[OBJECT_BYTES] = 0x12;
	kmem_cache_free(cache, object);
}

static void underflow(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get(test, cache);

	object[-1] = 0x12;
	object[-2] = 0x13;
	kmem_cache_free(cache, object);
}

static void overflow_of_asked(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = usermm_kmalloc_cache(cache, GFP_KERNEL, 18);

	KUNIT_ASSERT_NOT_NULL(test, object);
	object[18] = 0xab;
	kmem_cache_free(cache, object);
}

static void far_overflow(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get(test, cache);

	object[cache->size - cache->red_left_pad - 1] = 0;
	kmem_cache_free(cache, object);
}

static void write_after_free(struct kunit *test, struct kmem_cache *cache)
{
	get_freed(test, cache)[50] = 0x9a;
	get(test, cache);
}

static void write_last_byte_after_free(struct kunit *test, struct kmem_cache *cache)
{
	get_freed(test, cache)[OBJECT_BYTES - 1] = 0x9a;
	get(test, cache);
}

static void write_all_after_free(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get_freed(test, cache);

	memset(object, 0x77, OBJECT_BYTES);
	validate_slab_cache(cache);
}

static void overwrite_link(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get_freed(test, cache);

	object[cache->offset] ^= 0xff;
	get(test, cache);
}

static void overwrite_chain(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get_freed(test, cache);

	object[cache->offset + 3] ^= 0xff;
	validate_slab_cache(cache);
}

static void overwrite_freelist(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = slab_with_object(test, cache);

	slab->freelist = (char *)slab->freelist + 1;
	validate_slab_cache(cache);
	get(test, cache);
}

static void allocate_from_bad_freelist(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = slab_with_object(test, cache);

	slab->freelist = (char *)slab->freelist + 1;
	get(test, cache);
}

static void make_circle(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get_freed(test, cache);

	memcpy(object + cache->offset, &object, sizeof(object));
	validate_slab_cache(cache);
}

static void free_twice(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get_freed(test, cache);

	kmem_cache_free(cache, object);
}

static void free_a_b_a(struct kunit *test, struct kmem_cache *cache)
{
	u8 *a = get(test, cache), *b = get(test, cache);

	get(test, cache);
	kmem_cache_free(cache, a);
	kmem_cache_free(cache, b);
	kfree(a);
}

static void free_inside(struct kunit *test, struct kmem_cache *cache)
{
	kmem_cache_free(cache, get(test, cache) + 8);
}

static void free_red_zone(struct kunit *test, struct kmem_cache *cache)
{
	kfree(get(test, cache) - 8);
}

static void free_no_slab(struct kunit *test, struct kmem_cache *cache)
{
	static char elsewhere[64];

	(void)test;
	kmem_cache_free(cache, elsewhere);
}

static void too_many_objects(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = slab_with_object(test, cache);

	slab->objects++;
	validate_slab_cache(cache);
	slab->objects--;
}

static void too_few_objects(struct kunit *test, struct kmem_cache *cache)
{
	slab_with_object(test, cache)->objects--;
	validate_slab_cache(cache);
}

static void too_many_in_use(struct kunit *test, struct kmem_cache *cache)
{
	struct page *slab = slab_with_object(test, cache);
	u16 inuse = slab->inuse;

	slab->inuse = (u16)(slab->objects + 1);
	validate_slab_cache(cache);
	slab->inuse = inuse;
}

static void wrong_count(struct kunit *test, struct kmem_cache *cache)
{
	slab_with_object(test, cache)->inuse += 2;
	validate_slab_cache(cache);
}

static void free_to_disabled_slab(struct kunit *test, struct kmem_cache *cache)
{
	u8 *object = get(test, cache), *freed = get(test, cache);

	kmem_cache_free(cache, freed);
	freed[3] = 1;
	KUNIT_EXPECT_PTR_NE(test, get(test, cache), freed);
	kmem_cache_free(cache, object);
}

static void free_to_other_cache(struct kunit *test, struct kmem_cache *cache)
{
	struct kmem_cache *other = kmem_cache_create("other", 64, 0, F, NULL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	kmem_cache_free(other, get(test, cache));
	KUNIT_EXPECT_EQ_MSG(test, test_slab_inuse(cache), 0, "back where it came from");
}

static void trace_calls(struct kunit *test, struct kmem_cache *cache)
{
	kmem_cache_free(cache, memset(get(test, cache), 'q', OBJECT_BYTES));
}

static void leave_objects(struct kunit *test, struct kmem_cache *cache)
{
	KUNIT_ASSERT_NOT_NULL(test, get(test, cache));
	kmem_cache_destroy(cache);
}

static const struct mistake mistakes[] = {
	{ "right red zone", F | Z, overflow,
	  { "[Right Redzone overwritten] ", "First byte 0x12 instead of 0xcc",
	    "BUG broken (Not tainted): Object corrupt", "Redzone  ", "Object   ",
	    "FIX broken: Restoring Right Redzone ", "=0xcc", "FIX broken: Object at " } },
	{ "left red zone", F | Z, underflow,
	  { "[Left Redzone overwritten] ", "First byte 0x13 instead of 0xcc",
	    "FIX broken: Restoring Left Redzone " } },
	{ "kmalloc red zone", F | Z | U | SLAB_KMALLOC, overflow_of_asked,
	  { "[kmalloc Redzone overwritten] ", "First byte 0xab instead of 0xcc",
	    "Allocated in ", "FIX broken: Restoring kmalloc Redzone " } },
	{ "alignment padding", F | P, overflow,
	  { "[Alignment padding overwritten] ", "First byte 0x12 instead of 0x5a",
	    "Bytes b4 ", "FIX broken: Restoring Alignment padding " } },
	{ "object padding", F | Z | P, far_overflow,
	  { "[Object padding overwritten] ", "First byte 0x0 instead of 0x5a", "Padding  ",
	    "FIX broken: Restoring Object padding " } },
	{ "poison", F | P, write_after_free,
	  { "[Poison overwritten] ", "@offset=", "First byte 0x9a instead of 0x6b",
	    "FIX broken: Restoring Poison ", "FIX broken: Marking all objects used" } },
	{ "end of poison", F | P, write_last_byte_after_free,
	  { "[End Poison overwritten] ", "First byte 0x9a instead of 0xa5",
	    "FIX broken: Restoring End Poison " } },
	{ "all of an object", P | U, write_all_after_free,
	  { "[Poison overwritten] ", "[End Poison overwritten] ", "Allocated in ", "Freed in ",
	    " age=", " cpu=", " pid=", "wwwwwwwwwwwwwwww" } },
	{ "link", F | P, overwrite_link,
	  { "BUG broken (Not tainted): Freepointer corrupt", "Slab ", " objects=", " used=",
	    " fp=", "FIX broken: Marking all objects used" } },
	{ "chain", P, overwrite_chain,
	  { "BUG broken (Not tainted): Freechain corrupt",
	    "BUG broken (Tainted: G    B): Wrong object count. Counter is 1 but counted were ",
	    "FIX broken: Object count adjusted" } },
	{ "freelist", F, overwrite_freelist,
	  { "BUG broken (Not tainted): Freepointer corrupt", "FIX broken: Freelist cleared" } },
	{ "freelist at allocation", F, allocate_from_bad_freelist,
	  { "Freelist Pointer check fails", "Invalid pointer ",
	    "FIX broken: Marking all objects used" } },
	{ "circle", P, make_circle,
	  { "Freelist cycle detected", "FIX broken: Freelist cleared" } },
	{ "double free", F, free_twice,
	  { "BUG broken (Not tainted): Object already free", "FIX broken: Object at ",
	    " not freed" } },
	{ "double free, a-b-a", F | Z | P | U, free_a_b_a,
	  { "Object already free", "Freed in ", " not freed" } },
	{ "free inside an object", F | Z, free_inside,
	  { "BUG broken (Not tainted): Invalid object pointer ", "FIX broken: Object at " } },
	{ "free of a red zone", F | Z, free_red_zone, { "Invalid object pointer " } },
	{ "free of what is no slab", F, free_no_slab,
	  { "virt_to_cache: Object is not a Slab page!" } },
	{ "objects", F, too_many_objects, { "): objects ", " > max " } },
	{ "fewer objects", F, too_few_objects,
	  { "Wrong number of objects. Found ", " but should be ",
	    "FIX broken: Number of objects adjusted" } },
	{ "inuse", F, too_many_in_use, { "): inuse ", " > max " } },
	{ "count", F, wrong_count,
	  { "Wrong object count. Counter is 3 but counted were 1",
	    "FIX broken: Object count adjusted" } },
	{ "disabled slab", F | P, free_to_disabled_slab,
	  { "FIX broken: Marking all objects used",
	    "Slab disabled since SLUB metadata consistency check failed", " not freed" } },
	{ "wrong cache", F | U, free_to_other_cache,
	  { "cache_from_obj: Wrong slab cache. other but object is from broken",
	    "Allocated in " } },
	{ "trace", SLAB_TRACE, trace_calls,
	  { "TRACE broken alloc ", "inuse=1 fp=", "TRACE broken free ", "Object ",
	    "qqqqqqqqqqqqqqqq" } },
	{ "leak", U, leave_objects,
	  { "BUG broken (Not tainted): Objects remaining on __kmem_cache_shutdown()",
	    "Object ", "@offset=", "Allocated in ",
	    "kmem_cache_destroy broken: Slab cache still has objects when called from " } },
};

static void describe_mistake(const struct mistake *mistake, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", mistake->name);
}

KUNIT_ARRAY_PARAM(mistake, mistakes, describe_mistake);

static struct kmem_cache *make_cache(struct kunit *test, unsigned int size, slab_flags_t flags)
{
	struct slab_cache_request request = {
		.name = "broken", .size = size, .flags = flags | SLAB_NO_USER_FLAGS,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static void run_mistake(struct kunit *test, void *arg)
{
	const struct mistake *mistake = arg;
	struct kmem_cache *cache = make_cache(test, OBJECT_BYTES, mistake->flags), *other;
	void *objects[200];

	mistake->make(test, cache);
	/* The program goes on, with this cache as well. */
	if (mistake->make == leave_objects)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i] = get(test, cache);
		memset(objects[i], 0xee, mistake->flags & SLAB_KMALLOC ? 18 : OBJECT_BYTES);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		kmem_cache_free(cache, objects[i]);
	other = make_cache(test, OBJECT_BYTES, mistake->flags);
	kmem_cache_free(other, get(test, other));
	kmem_cache_destroy(other);
}

static void test_debug_mistake(struct kunit *test)
{
	const struct mistake *mistake = test->param_value;
	struct child_result result;

	child_run(test, run_mistake, (void *)mistake, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	for (unsigned int i = 0; i < ARRAY_SIZE(mistake->texts) && mistake->texts[i]; i++)
		KUNIT_EXPECT_TRUE_MSG(test, strstr(result.err, mistake->texts[i]),
				      "no \"%s\" in\n%s", mistake->texts[i], result.err);
}

/* Without consistency checks wrong frees end the process, as in other caches. */
static void free_twice_unchecked(struct kunit *test, void *arg)
{
	free_twice(test, arg);
}

static void free_inside_unchecked(struct kunit *test, void *arg)
{
	free_inside(test, arg);
}

/* If it is known who had the object, this follows the line. */
static void expect_owner_told(struct kunit *test, struct kmem_cache *cache)
{
	struct child_result result;

	child_run(test, free_twice_unchecked, cache, &result);
	KUNIT_EXPECT_TRUE(test, WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGABRT);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(result.err, "double free") &&
			      strstr(result.err, "Allocated in ") &&
			      strstr(result.err, "Freed in "), "%s", result.err);
}

static void test_debug_unchecked_free(struct kunit *test)
{
	static const slab_flags_t flags[] = { Z, P };
	struct kmem_cache *users = make_cache(test, OBJECT_BYTES, U);

	expect_owner_told(test, users);
	kmem_cache_destroy(users);
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		struct kmem_cache *cache = make_cache(test, OBJECT_BYTES, flags[i]);

		CHILD_EXPECT_DEATH(test, free_twice_unchecked, cache, "usermm: ", "double free");
		CHILD_EXPECT_DEATH(test, free_inside_unchecked, cache, "usermm: ",
				   "8 bytes inside object");
		kmem_cache_destroy(cache);
	}
}

/* Bytes that ksize() and krealloc() promise are no red zone. */
static void test_debug_sizes(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, 64, F | Z | P | U | SLAB_KMALLOC);
	u8 *object = usermm_kmalloc_cache(cache, GFP_KERNEL | __GFP_ZERO, 48);

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (unsigned int i = 0; i < 48; i++)
		KUNIT_EXPECT_EQ(test, object[i], 0);
	KUNIT_EXPECT_EQ(test, object[48], 0xcc);
	memset(object, 0xff, 48);
	/* Smaller, then larger again: the bytes that are gained are zero. */
	KUNIT_ASSERT_PTR_EQ(test, krealloc(object, 40, GFP_KERNEL | __GFP_ZERO), object);
	for (unsigned int i = 40; i < 64; i++)
		KUNIT_EXPECT_EQ(test, object[i], 0xcc);
	KUNIT_ASSERT_PTR_EQ(test, krealloc(object, 56, GFP_KERNEL | __GFP_ZERO), object);
	for (unsigned int i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, object[i], i < 40 ? 0xff : i < 56 ? 0 : 0xcc);
	KUNIT_EXPECT_EQ(test, ksize(object), 64);
	memset(object, 0xee, 64);	/* all of it is ours since then */
	KUNIT_EXPECT_EQ(test, validate_slab_cache(cache), 1);
	object = krealloc(object, 200, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, object);
	for (unsigned int i = 0; i < 200; i++)
		KUNIT_EXPECT_EQ(test, object[i], i < 64 ? 0xee : 0);
	kfree(object);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0);
	kmem_cache_destroy(cache);
}

/* cf. Linux slab_ksize(). A block that fits stays in place, and one that moves loses nothing. */
static void test_debug_ksize(struct kunit *test)
{
	static const struct {
		slab_flags_t flags;
		unsigned int bytes;
	} rows[] = {
		{ F, 64 }, { Z, 60 }, { P, 60 }, { U, 64 }, { U | Z, 60 },
		{ SLAB_TYPESAFE_BY_RCU, 64 }, { 0, 64 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_cache *cache = make_cache(test, 60, rows[i].flags);
		void *object = get(test, cache);
		u8 *moved;

		KUNIT_EXPECT_EQ_MSG(test, ksize(object), rows[i].bytes, "flags 0x%x",
				    rows[i].flags);
		KUNIT_EXPECT_PTR_EQ_MSG(test, krealloc(object, rows[i].bytes, GFP_KERNEL), object,
					"flags 0x%x", rows[i].flags);
		memset(object, 0x29, rows[i].bytes);
		moved = krealloc(object, rows[i].bytes + 1, GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, moved);
		for (unsigned int k = 0; k <= rows[i].bytes; k++)
			KUNIT_EXPECT_EQ_MSG(test, moved[k], k < rows[i].bytes ? 0x29 : 0,
					    "flags 0x%x, byte %u", rows[i].flags, k);
		kfree(moved);
		kmem_cache_destroy(cache);
	}
}

static unsigned int nr_constructed;

static void construct(void *object)
{
	nr_constructed++;
	memset(object, 0x44, OBJECT_BYTES);
}

/* Objects with a state of their own are not poisoned; it stays through free and alloc. */
static void test_debug_ctor_keeps_state(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("stateful", OBJECT_BYTES, 0, F | Z | P | U,
						     construct);
	u8 *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int round = 0; round < 3; round++) {
		object = get(test, cache);
		for (unsigned int i = 0; i < OBJECT_BYTES; i++)
			KUNIT_ASSERT_EQ(test, object[i], 0x44);
		kmem_cache_free(cache, object);
	}
	KUNIT_EXPECT_EQ(test, nr_constructed, cache->objects);
	kmem_cache_destroy(cache);
}

/* Full slabs are looked at only where their users are known. */
static void test_debug_validate_counts_slabs(struct kunit *test)
{
	for (unsigned int known = 0; known < 2; known++) {
		struct kmem_cache *cache = make_cache(test, 1000, Z | (known ? U : 0));
		void *objects[200];
		unsigned int nr = 3u * cache->objects + 1;

		KUNIT_ASSERT_LE(test, nr, ARRAY_SIZE(objects));
		for (unsigned int i = 0; i < nr; i++)
			objects[i] = get(test, cache);
		KUNIT_EXPECT_EQ(test, validate_slab_cache(cache), known ? 4 : 1);
		for (unsigned int i = 0; i < nr; i++)
			kmem_cache_free(cache, objects[i]);
		KUNIT_EXPECT_EQ(test, validate_slab_cache(cache), slab_nr_slabs(cache));
		KUNIT_EXPECT_LE(test, slab_nr_slabs(cache), cache->min_partial);
		kmem_cache_destroy(cache);
	}
}

/* The cache has no per-CPU objects, so every call is checked; other caches keep theirs. */
static void test_debug_leaves_fast_path(struct kunit *test)
{
	static const slab_flags_t flags[] = { F, Z, P, U, SLAB_TRACE };
	struct kmem_cache *plain = make_cache(test, 64, 0);

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		struct kmem_cache *cache = make_cache(test, 64, flags[i]);

		KUNIT_EXPECT_FALSE(test, test_cache_is_fast(cache));
		kmem_cache_destroy(cache);
	}
	KUNIT_EXPECT_TRUE(test, test_cache_is_fast(plain));
	kmem_cache_destroy(plain);
}

static struct kunit_case debug_cases[] = {
	KUNIT_CASE_PARAM(test_debug_mistake, mistake_gen_params),
	KUNIT_CASE(test_debug_unchecked_free),
	KUNIT_CASE(test_debug_sizes),
	KUNIT_CASE(test_debug_ksize),
	KUNIT_CASE(test_debug_ctor_keeps_state),
	KUNIT_CASE(test_debug_validate_counts_slabs),
	KUNIT_CASE(test_debug_leaves_fast_path),
	{ 0 },
};

static struct kunit_suite debug_suite = {
	.name = "slab-debug",
	.test_cases = debug_cases,
};

kunit_test_suite(debug_suite);
