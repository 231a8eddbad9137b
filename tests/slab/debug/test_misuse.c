/* SPDX-License-Identifier: MIT */
/* Wrong frees of objects: one line on stderr that names the pointer, then SIGABRT. */
#include <sys/mman.h>

#include "slab/small_slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "support/threads.h"
#include "usermm/fault.h"

static const size_t sizes[] = { 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
				16384, 100000, KMALLOC_MAX_SIZE };

static void describe_size(const size_t *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%zu bytes", *size);
}

KUNIT_ARRAY_PARAM(size, sizes, describe_size);

static char in_bss[4096];

struct victim {
	char *object;
	size_t size;
	struct kmem_cache *cache;	/* NULL: kmalloc's */
};

static void give(const struct victim *victim, void *object)
{
	if (victim->cache)
		kmem_cache_free(victim->cache, object);
	else
		kfree(object);
}

static void *get(const struct victim *victim)
{
	return victim->cache ? kmem_cache_alloc(victim->cache, GFP_KERNEL) :
			       kmalloc(victim->size, GFP_KERNEL);
}

static void free_twice(struct kunit *test, void *arg)
{
	struct victim *victim = arg;

	(void)test;
	give(victim, victim->object);
	give(victim, victim->object);
}

static void free_a_b_a(struct kunit *test, void *arg)
{
	struct victim *victim = arg;
	void *b = get(victim);

	KUNIT_ASSERT_NOT_NULL(test, b);
	give(victim, victim->object);
	give(victim, b);
	give(victim, victim->object);
}

/* So many other frees in between that the object is back in its slab. */
static void free_delayed(struct kunit *test, void *arg)
{
	struct victim *victim = arg;
	void *others[500];
	unsigned int nr = victim->size <= 8192 ? 500 : 5;

	for (unsigned int i = 0; i < nr; i++) {
		others[i] = get(victim);
		KUNIT_ASSERT_NOT_NULL(test, others[i]);
	}
	give(victim, victim->object);
	for (unsigned int i = 0; i < nr; i++)
		give(victim, others[i]);
	give(victim, victim->object);
}

static void free_interior(struct kunit *test, void *arg)
{
	struct victim *victim = arg;

	(void)test;
	give(victim, victim->object + victim->size / 2);
}

static void free_at(struct kunit *test, void *arg)
{
	struct victim *victim = arg;

	(void)test;
	give(victim, victim->object);
}

static void free_misaligned(struct kunit *test, void *arg)
{
	struct victim *victim = arg;

	(void)test;
	give(victim, victim->object + 1);
}

/* Every page of it, the last one too, is known as the object's. */
static void check_interior(struct kunit *test, struct victim *victim)
{
	char where[100];

	for (size_t inside = PAGE_SIZE; inside < victim->size; inside += PAGE_SIZE) {
		struct victim part = { victim->object + inside, victim->size, victim->cache };

		snprintf(where, sizeof(where), "invalid pointer: %zu bytes inside object %s",
			 inside, child_hex(victim->object));
		CHILD_EXPECT_DEATH(test, free_at, &part, where);
	}
}

static void check_misuse(struct kunit *test, struct victim *victim)
{
	const char *hex = child_hex(victim->object);

	CHILD_EXPECT_DEATH(test, free_twice, victim, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_a_b_a, victim, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_delayed, victim, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_interior, victim, "usermm: ",
			   child_hex(victim->object + victim->size / 2));
	CHILD_EXPECT_DEATH(test, free_misaligned, victim, "usermm: ",
			   child_hex(victim->object + 1));
}

static void test_misuse_interior_pages(struct kunit *test)
{
	for (size_t pages = 2; pages <= 8; pages += 3) {
		struct victim victims[4];
		struct kmem_cache *cache = kmem_cache_create("large", (unsigned int)(pages *
							     PAGE_SIZE), 0, 0, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		for (unsigned int i = 0; i < ARRAY_SIZE(victims); i++) {
			victims[i] = (struct victim){ kmem_cache_alloc(cache, GFP_KERNEL),
						      pages * PAGE_SIZE, cache };
			KUNIT_ASSERT_NOT_NULL(test, victims[i].object);
			check_interior(test, &victims[i]);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(victims); i++)
			kmem_cache_free(cache, victims[i].object);
		kmem_cache_destroy(cache);
	}
}

static void test_misuse_kmalloc(struct kunit *test)
{
	struct victim victim = { .size = *(const size_t *)test->param_value };

	victim.object = kmalloc(victim.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, victim.object);
	check_misuse(test, &victim);
	kfree(victim.object);
}

static void construct(void *object)
{
	memset(object, 0x11, 40);
}

static void do_nothing(void *object)
{
	(void)object;
}

static void test_misuse_cache(struct kunit *test)
{
	for (unsigned int ctor = 0; ctor < 2; ctor++) {
		struct victim victim = { .size = 40 };

		victim.cache = kmem_cache_create("misused", 40, 0, 0, ctor ? construct : NULL);
		KUNIT_ASSERT_NOT_NULL(test, victim.cache);
		victim.object = kmem_cache_alloc(victim.cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, victim.object);
		check_misuse(test, &victim);
		kmem_cache_free(victim.cache, victim.object);
		kmem_cache_destroy(victim.cache);
	}
}

static void free_address(struct kunit *test, void *arg)
{
	(void)test;
	kfree(arg);
}

static void cache_free_address(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = kmem_cache_create("any", 64, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	kmem_cache_free(cache, arg);
}

static void ksize_address(struct kunit *test, void *arg)
{
	KUNIT_EXPECT_EQ(test, ksize(arg), 0);
}

static void expect_bad(struct kunit *test, void *addr)
{
	CHILD_EXPECT_DEATH(test, free_address, addr, "usermm: ", child_hex(addr));
	CHILD_EXPECT_DEATH(test, cache_free_address, addr, "usermm: ", child_hex(addr));
	CHILD_EXPECT_DEATH(test, ksize_address, addr, "usermm: ", child_hex(addr));
}

static void test_misuse_foreign_addresses(struct kunit *test)
{
	char on_stack[64] = "";
	char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *from_libc = malloc(100);

	KUNIT_ASSERT_PTR_NE(test, mapped, MAP_FAILED);
	expect_bad(test, on_stack);
	expect_bad(test, in_bss);
	expect_bad(test, (void *)(((unsigned long)in_bss + 4095) & ~4095UL));
	expect_bad(test, mapped);
	expect_bad(test, from_libc);
	expect_bad(test, (void *)17);
	expect_bad(test, (void *)-16L);
	expect_bad(test, (void *)(usermm_memmap.base - 64));
	munmap(mapped, 4096);
	free(from_libc);
}

/* Pages that are whole, free, or somebody else's. */
static void test_misuse_pages(struct kunit *test)
{
	struct page *plain = alloc_pages(GFP_KERNEL, 2);
	struct page *gone = alloc_pages(GFP_KERNEL | __GFP_COMP, 4);
	char *block = kmalloc(3 * 8192, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, gone);
	KUNIT_ASSERT_NOT_NULL(test, block);
	__free_pages(gone, 4);
	expect_bad(test, page_address(plain));
	expect_bad(test, (char *)page_address(plain) + PAGE_SIZE);
	expect_bad(test, page_address(gone));
	expect_bad(test, (char *)page_address(gone) + 3 * PAGE_SIZE);
	expect_bad(test, block + PAGE_SIZE);
	expect_bad(test, block + 64);
	kfree(block);
	expect_bad(test, block);
	__free_pages(plain, 2);
}

/* Behind the last object that fits a slab, there may be room but no object. */
static void test_misuse_unused_end_of_slab(struct kunit *test)
{
	static const size_t odd[] = { 96, 192 };

	for (unsigned int i = 0; i < ARRAY_SIZE(odd); i++) {
		char *object = kmalloc(odd[i], GFP_KERNEL), *end;
		const struct kmem_cache *cache;

		KUNIT_ASSERT_NOT_NULL(test, object);
		cache = cache_of(object);
		KUNIT_ASSERT_NOT_NULL(test, cache);
		end = page_address(slab_of(cache, object));
		end += (size_t)cache->objects * cache->size;
		if ((unsigned long)end & slab_mask_of(cache))
			CHILD_EXPECT_DEATH(test, free_address, end, "usermm: ", child_hex(end));
		kfree(object);
	}
}

/* Objects of a slab that nobody has asked for yet, wherever they are kept. */
static void test_misuse_never_handed_out(struct kunit *test)
{
	static const unsigned int object_sizes[] = { 8, 16, 40, 96, 700, 3000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(object_sizes); i++)
		for (unsigned int ctor = 0; ctor < 2; ctor++) {
			struct kmem_cache *cache = kmem_cache_create("fresh", object_sizes[i], 0,
								     0, ctor ? do_nothing : NULL);
			char *object, *base;

			KUNIT_ASSERT_NOT_NULL(test, cache);
			object = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, object);
			base = page_address(slab_of(cache, object));
			for (unsigned int k = 0; k < cache->objects; k += 1 + cache->objects / 8) {
				char *other = base + (size_t)k * cache->size;

				if (other != object)
					CHILD_EXPECT_DEATH(test, free_address, other, "usermm: ",
							   child_hex(other));
			}
			kmem_cache_free(cache, object);
			kmem_cache_destroy(cache);
		}
}

/* Objects that have been through a slab's freelist and are free on this CPU. */
static void test_misuse_cached_objects(struct kunit *test)
{
	static const unsigned int object_sizes[] = { 8, 16, 64, 512 };
	static void *objects[2000];

	test_pin(0);
	for (unsigned int i = 0; i < ARRAY_SIZE(object_sizes); i++) {
		struct kmem_cache *cache = kmem_cache_create("cached", object_sizes[i], 0, 0, NULL);
		static void *cached[SLAB_OBJECTS_MAX];
		unsigned int nr, nr_cached;

		KUNIT_ASSERT_NOT_NULL(test, cache);
		for (unsigned int k = 0; k < 2000; k++)
			objects[k] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned int k = 0; k < 2000; k++)
			kmem_cache_free(cache, objects[k]);
		/*
		 * Takes all objects that the CPU has; the next allocation refills it from
		 * freelists.
		 */
		nr = cache->own_sheaf ? cache->sheaf_room_max + 2u : cache->objects + 1u;
		for (unsigned int k = 0; k < nr; k++)
			objects[k] = kmem_cache_alloc(cache, GFP_KERNEL);
		nr_cached = test_cpu_objects(cache, cached, ARRAY_SIZE(cached));
		KUNIT_EXPECT_GT(test, nr_cached, 0);
		for (unsigned int k = 0; k < nr_cached; k += 7)
			CHILD_EXPECT_DEATH(test, free_address, cached[k], "usermm: ",
					   child_hex(cached[k]));
		for (unsigned int k = 0; k < nr; k++)
			kmem_cache_free(cache, objects[k]);
		kmem_cache_destroy(cache);
	}
	test_unpin();
}

/*
 * The mark of 8 bytes is in the word that links share. So a second free is found wherever
 * the object is, and content that looks like a link is no second free.
 */
static void test_misuse_smallest_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("smallest", 8, 0, 0, NULL);
	static void **objects[2000];
	unsigned int nr = ARRAY_SIZE(objects);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test_pin(0);
	for (unsigned int i = 0; i < nr; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned int i = 0; i < nr; i++) {
		*objects[i] = objects[(i + 1) % nr];
		KUNIT_EXPECT_EQ(test, ksize(objects[i]), 8);
	}
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_ASSERT_PTR_EQ(test, *objects[i], (void *)objects[(i + 1) % nr]);
		kmem_cache_free(cache, objects[i]);
	}
	for (unsigned int i = 0; i < nr; i += nr / 10)
		CHILD_EXPECT_DEATH(test, free_address, objects[i], "usermm: ",
				   child_hex(objects[i]));
	/* After some rounds many of them wait in a barn, if there are any. */
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < nr; i++)
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned int i = 0; i < nr; i++)
			kmem_cache_free(cache, objects[i]);
	}
	for (unsigned int i = 0; i < nr; i += nr / 20)
		CHILD_EXPECT_DEATH(test, free_address, objects[i], "usermm: ",
				   child_hex(objects[i]));
	test_unpin();
	kmem_cache_destroy(cache);
}

static void ksize_of_freed(struct kunit *test, void *arg)
{
	kfree(arg);
	KUNIT_EXPECT_EQ(test, ksize(arg), 0);
}

static void test_misuse_ksize_of_freed(struct kunit *test)
{
	void *object = kmalloc(100, GFP_KERNEL), *block = kmalloc(20000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_NOT_NULL(test, block);
	CHILD_EXPECT_DEATH(test, ksize_of_freed, object, "usermm: ", child_hex(object));
	CHILD_EXPECT_DEATH(test, ksize_of_freed, block, "usermm: ", child_hex(block));
	kfree(object);
	kfree(block);
}

/* The slab itself has gone back to the page allocator. */
static void free_after_its_slab(struct kunit *test, void *arg)
{
	enum { NR = 400 };
	static void *objects[NR];

	(void)arg;
	for (unsigned int i = 0; i < NR; i++) {
		objects[i] = kmalloc(4096, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = 0; i < NR; i++)
		kfree(objects[i]);
	for (unsigned int i = 0; i < NR; i++)
		if (!cache_of(objects[i])) {
			fprintf(stderr, "%p ", objects[i]);
			kfree(objects[i]);
		}
}

static void test_misuse_after_slab_is_gone(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, free_after_its_slab, NULL, "usermm: kfree(");
}

struct mixup {
	struct kmem_cache *right, *wrong;
	void *object;
};

static void free_to_wrong_cache(struct kunit *test, void *arg)
{
	struct mixup *mixup = arg;
	void *again;

	kmem_cache_free(mixup->wrong, mixup->object);
	again = kmem_cache_alloc(mixup->right, GFP_KERNEL);
	KUNIT_EXPECT_PTR_EQ_MSG(test, again, mixup->object, "it belongs to its real cache");
}

static void test_misuse_wrong_cache(struct kunit *test)
{
	struct mixup mixup = {
		.right = kmem_cache_create("right", 64, 0, 0, NULL),
		.wrong = kmem_cache_create("wrong", 64, 0, 0, NULL),
	};

	KUNIT_ASSERT_NOT_NULL(test, mixup.right);
	KUNIT_ASSERT_NOT_NULL(test, mixup.wrong);
	mixup.object = kmem_cache_alloc(mixup.right, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mixup.object);
	CHILD_EXPECT_SUCCESS(test, free_to_wrong_cache, &mixup,
			     "usermm: cache_from_obj: Wrong slab cache. wrong but object is from "
			     "right\n", child_hex(mixup.object));
	kmem_cache_free(mixup.right, mixup.object);
	kmem_cache_destroy(mixup.right);
	kmem_cache_destroy(mixup.wrong);
}

/* All objects of one slab except the first are back in it, and not in any CPU's sheaf. */
struct slab_full_of_free {
	struct kmem_cache *cache;
	unsigned int nr;
	unsigned long *objects[600];
	unsigned long *victim;
	unsigned long word;	/* index of the one that is written */
	unsigned long value;
};

static void write_after_free(struct kunit *test, void *arg)
{
	struct slab_full_of_free *slab = arg;

	slab->victim[slab->word] = slab->value;
	for (unsigned int i = 0; i < 2 * slab->nr; i++)
		KUNIT_EXPECT_NOT_NULL(test, kmem_cache_alloc(slab->cache, GFP_KERNEL));
}

static void check_written(struct kunit *test, struct slab_full_of_free *slab)
{
	unsigned long values[] = {
		0x4141414141414141, 1, (unsigned long)slab->objects[0], (unsigned long)in_bss,
		(unsigned long)slab->victim + 4, (unsigned long)slab->victim ^ 8,
		(unsigned long)slab->objects[0] ^ (slab_mask_of(slab->cache) + 1),
	};

	/* The second word is a small object's mark. */
	for (slab->word = 0; slab->word < (slab->cache->byte_marks ? 1 : 2); slab->word++)
		for (unsigned int i = 0; i < ARRAY_SIZE(values); i++) {
			slab->value = values[i];
			/*
			 * With objects of 8 bytes, the neighbour may be the next object of the
			 * list.
			 */
			if (slab->value == slab->victim[slab->word])
				continue;
			CHILD_EXPECT_DEATH(test, write_after_free, slab,
					   "usermm: BUG written: Freechain corrupt",
					   child_hex(page_address(slab_of(slab->cache,
									  slab->victim))));
		}
}

/* After a link or a mark was overwritten, only free objects are handed out. */
static void test_misuse_write_after_free(struct kunit *test)
{
	static const unsigned int object_sizes[] = { 8, 24, 64, 1000 };

	for (unsigned int k = 0; k < ARRAY_SIZE(object_sizes); k++) {
		struct slab_full_of_free slab = {
			.cache = kmem_cache_create("written", object_sizes[k], 0, 0, NULL),
		};

		KUNIT_ASSERT_NOT_NULL(test, slab.cache);
		if (slab.cache->own_cpu_slab) {
			kmem_cache_destroy(slab.cache);
			kunit_skip(test, "a CPU takes the list of a slab without a look at it");
		}
		slab.nr = slab.cache->objects;
		for (unsigned int i = 0; i < slab.nr; i++) {
			slab.objects[i] = kmem_cache_alloc(slab.cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, slab.objects[i]);
		}
		for (unsigned int i = 1; i < slab.nr; i++)
			kmem_cache_free(slab.cache, slab.objects[i]);
		KUNIT_ASSERT_EQ(test, kmem_cache_shrink(slab.cache), 1);
		slab.victim = slab.objects[slab.nr / 2];
		check_written(test, &slab);
		kmem_cache_free(slab.cache, slab.objects[0]);
		kmem_cache_destroy(slab.cache);
	}
}

static void clear_constructed(struct kunit *test, void *arg)
{
	struct kmem_cache *caches[2];
	void *object;

	(void)arg;
	for (unsigned int k = 0; k < 2; k++) {
		caches[k] = kmem_cache_create(k ? "second" : "first", 40, 0, 0, construct);
		KUNIT_ASSERT_NOT_NULL(test, caches[k]);
		for (unsigned int i = 0; i < 300; i++) {
			object = kmem_cache_zalloc(caches[k], GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, object);
			KUNIT_EXPECT_NULL(test, memchr(object, 0x11, 40));
		}
	}
}

/* A constructor and __GFP_ZERO: reported once, and the object is cleared all the same. */
static void test_misuse_ctor_and_zero(struct kunit *test)
{
	struct child_result *result = calloc(1, sizeof(*result));
	const char *text;

	KUNIT_ASSERT_NOT_NULL(test, result);
	child_run(test, clear_constructed, NULL, result);
	KUNIT_EXPECT_EQ(test, result->status, 0);
	text = strstr(result->err, "WARNING: objects of cache first are constructed");
	KUNIT_EXPECT_NOT_NULL(test, text);
	KUNIT_EXPECT_NULL(test, text ? strstr(text, "second") : NULL);
	KUNIT_EXPECT_PTR_EQ(test, strchr(result->err, '\n'), strrchr(result->err, '\n'));
	free(result);
}

static void take_without_memory(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = kmem_cache_create("hungry", 100, 0, 0, NULL);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, cache);
	usermm_arm_faults();
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_nth(1);
	KUNIT_EXPECT_NULL(test, kmem_cache_alloc(cache, GFP_KERNEL));
	usermm_fail_nth(1);
	KUNIT_EXPECT_NULL_MSG(test, kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN), "quiet");
	usermm_fail_nth(0);
}

/* The report about a cache that can get no memory. */
static void test_misuse_out_of_memory(struct kunit *test)
{
	struct child_result result;
	char request[64];
	const char *text;

	child_run(test, take_without_memory, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	text = strstr(result.err, "usermm: SLUB: Unable to allocate memory on CPU ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", result.err);
	snprintf(request, sizeof(request), ") on node -1, gfp=%#x(GFP_KERNEL)\n", GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, request), "%s", text);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, "  cache: hungry, object size: 100, "
				  "buffer size: 104, default order: "), "%s", text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "  node 0: slabs: 0, objs: 0, free: 0\n"));
	KUNIT_EXPECT_NULL(test, strstr(text + strlen("usermm: SLUB: Unable"), "Unable"));
}

/*
 * Impossible sizes: for 0 there is a pointer that may be freed; too large a size is reported, and
 * gives NULL.
 */
static void odd_sizes(struct kunit *test, void *arg)
{
	volatile size_t most = KMALLOC_MAX_SIZE;

	(void)arg;
	KUNIT_EXPECT_PTR_EQ(test, kmalloc(0, GFP_KERNEL), ZERO_SIZE_PTR);
	KUNIT_EXPECT_PTR_EQ(test, kzalloc(most - most, GFP_KERNEL), ZERO_SIZE_PTR);
	kfree(ZERO_SIZE_PTR);
	kfree(ZERO_SIZE_PTR);
	kfree(NULL);
	KUNIT_EXPECT_NULL(test, kmalloc(most + 1, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, kmalloc(most * 1000, GFP_ATOMIC));
	KUNIT_EXPECT_NULL(test, kmalloc(most * 1000, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kmalloc(most - most - 1, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, kcalloc(most, most << 20, GFP_KERNEL));
}

static void test_misuse_sizes(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, odd_sizes, NULL,
			     "usermm: WARNING: request of order 20, more than 10");
}

static struct kunit_case misuse_cases[] = {
	KUNIT_CASE(test_misuse_interior_pages),
	KUNIT_CASE_PARAM(test_misuse_kmalloc, size_gen_params),
	KUNIT_CASE(test_misuse_cache),
	KUNIT_CASE(test_misuse_foreign_addresses),
	KUNIT_CASE(test_misuse_pages),
	KUNIT_CASE(test_misuse_unused_end_of_slab),
	KUNIT_CASE(test_misuse_never_handed_out),
	KUNIT_CASE(test_misuse_cached_objects),
	KUNIT_CASE(test_misuse_smallest_objects),
	KUNIT_CASE(test_misuse_ksize_of_freed),
	KUNIT_CASE(test_misuse_after_slab_is_gone),
	KUNIT_CASE(test_misuse_wrong_cache),
	KUNIT_CASE(test_misuse_write_after_free),
	KUNIT_CASE(test_misuse_ctor_and_zero),
	KUNIT_CASE(test_misuse_sizes),
	KUNIT_CASE(test_misuse_out_of_memory),
	{ 0 },
};

static struct kunit_suite misuse_suite = { .name = "slab_misuse", .test_cases = misuse_cases };

kunit_test_suite(misuse_suite);
