// SPDX-License-Identifier: MIT
/* A cache that frees its least recently used objects: a shrinker over lists of mm/list_lru.c. */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/list_lru.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/vmstat.h>

enum { OBJECTS = 1000 };

struct object {
	struct list_head lru;
	bool referenced, locked;
	char text[200];
};

static struct kmem_cache *objects;
static struct list_lru lru;
static struct shrinker *shrinker;
static unsigned long nr_freed;	/* Sync: atomic; reclaim may be in any thread */

/*
 * An object that was used goes to the end of the list once more; a locked one stays in its place.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static enum lru_status isolate(struct list_head *item, struct list_lru_one *list,
			       spinlock_t *lock, void *disposed)
#else
static enum lru_status isolate(struct list_head *item, struct list_lru_one *list, void *disposed)
#endif
{
	struct object *object = container_of(item, struct object, lru);

	if (object->locked)
		return LRU_SKIP;
	if (object->referenced) {
		object->referenced = false;
		return LRU_ROTATE;
	}
	list_lru_isolate_move(list, item, disposed);
	return LRU_REMOVED;
}

static void free_all(struct list_head *disposed)
{
	struct object *object, *next;

	list_for_each_entry_safe(object, next, disposed, lru) {
		list_del(&object->lru);
		kmem_cache_free(objects, object);
		__atomic_fetch_add(&nr_freed, 1, __ATOMIC_RELAXED);
	}
}

static unsigned long count(struct shrinker *unused, struct shrink_control *sc)
{
	return list_lru_shrink_count(&lru, sc);
}

static unsigned long scan(struct shrinker *unused, struct shrink_control *sc)
{
	LIST_HEAD(disposed);
	unsigned long nr = list_lru_shrink_walk(&lru, sc, isolate, &disposed);

	free_all(&disposed);
	return nr;
}

static int client_init(struct kunit *test)
{
	objects = KMEM_CACHE(object, SLAB_RECLAIM_ACCOUNT);
	KUNIT_ASSERT_NOT_NULL(test, objects);
	KUNIT_ASSERT_EQ(test, list_lru_init(&lru), 0);
	shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE, "client_list_lru");
	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker_register(shrinker);
	nr_freed = 0;
	return 0;
}

static void client_exit(struct kunit *test)
{
	LIST_HEAD(disposed);

	shrinker_free(shrinker);
	list_lru_walk(&lru, isolate, &disposed, ULONG_MAX);
	list_lru_walk(&lru, isolate, &disposed, ULONG_MAX);	/* those that were referenced */
	free_all(&disposed);
	KUNIT_EXPECT_EQ(test, list_lru_count(&lru), 0UL);
	list_lru_destroy(&lru);
	kmem_cache_destroy(objects);
}

static struct object *new_object(struct kunit *test)
{
	struct object *object = kmem_cache_zalloc(objects, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	INIT_LIST_HEAD(&object->lru);
	KUNIT_EXPECT_TRUE(test, list_lru_add_obj(&lru, &object->lru));
	return object;
}

/* On a list once, by the node of its memory. */
static void adding_and_deleting(struct kunit *test)
{
	struct object *object = new_object(test);
	int nid = page_to_nid(virt_to_page(object));

	KUNIT_EXPECT_FALSE(test, list_lru_add_obj(&lru, &object->lru));
	KUNIT_EXPECT_EQ(test, list_lru_count(&lru), 1UL);
	KUNIT_EXPECT_EQ(test, list_lru_count_node(&lru, nid), 1UL);
	KUNIT_EXPECT_EQ(test, list_lru_count_one(&lru, nid, NULL), 1UL);
	KUNIT_EXPECT_TRUE(test, list_lru_del_obj(&lru, &object->lru));
	KUNIT_EXPECT_FALSE(test, list_lru_del_obj(&lru, &object->lru));
	KUNIT_EXPECT_EQ(test, list_lru_count(&lru), 0UL);
	kmem_cache_free(objects, object);
}

static unsigned long shrink_node(int nid, unsigned long nr)
{
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nid = nid, .nr_to_scan = nr };

	return shrinker->scan_objects(shrinker, &sc);
}

/* Of every ten objects one is locked and two were used: these are freed at second sight. */
static void passes(struct kunit *test)
{
	struct object *locked[OBJECTS / 10];
	unsigned long nr = 0;
	int nid;

	for (unsigned int i = 0; i < OBJECTS; i++) {
		struct object *object = new_object(test);

		object->locked = i % 10 == 0;
		object->referenced = i % 10 == 1 || i % 10 == 2;
		if (object->locked)
			locked[i / 10] = object;
	}
	/* One look at each: more would meet those again that went to the end. */
	for_each_node_state(nid, N_NORMAL_MEMORY)
		nr += shrink_node(nid, list_lru_count_node(&lru, nid));
	KUNIT_EXPECT_EQ(test, nr, 7UL * OBJECTS / 10);
	KUNIT_EXPECT_EQ(test, nr_freed, nr);
	KUNIT_EXPECT_EQ(test, list_lru_count(&lru), 3UL * OBJECTS / 10);
	for_each_node_state(nid, N_NORMAL_MEMORY)
		nr += shrink_node(nid, list_lru_count_node(&lru, nid));
	KUNIT_EXPECT_EQ(test, nr, 9UL * OBJECTS / 10);
	for (unsigned int i = 0; i < OBJECTS / 10; i++)
		locked[i]->locked = false;
}

/* The oldest are freed first, and no more are looked at than were asked for. */
static void oldest_first(struct kunit *test)
{
	struct object *kept = NULL;
	int nid;

	for (unsigned int i = 0; i < OBJECTS; i++)
		kept = new_object(test);
	nid = page_to_nid(virt_to_page(kept));
	for (unsigned int i = 0; i < 10 && list_lru_count_node(&lru, nid) > 20; i++)
		KUNIT_EXPECT_EQ(test, shrink_node(nid, 10), 10UL);
	KUNIT_EXPECT_FALSE(test, list_empty(&kept->lru));
	KUNIT_EXPECT_TRUE(test, list_lru_del_obj(&lru, &kept->lru));
	kmem_cache_free(objects, kept);
}

#ifdef CONFIG_USERMM
/* Memory running short: the request's own reclaim asks the shrinker. */
static void under_pressure(struct kunit *test)
{
	int before = min_free_kbytes;
	unsigned int tries = 0;
	struct page *page;

	for (unsigned int i = 0; i < OBJECTS; i++)
		new_object(test);
	drain_all_pages(NULL);
	min_free_kbytes = (int)((global_zone_page_state(NR_FREE_PAGES) + 64) <<
				(PAGE_SHIFT - 10));
	setup_per_zone_wmarks();
	do {
		page = alloc_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY, 0);
		if (page)
			__free_pages(page, 0);
	} while (!READ_ONCE(nr_freed) && ++tries < 100);
	min_free_kbytes = before;
	setup_per_zone_wmarks();
	KUNIT_EXPECT_GT(test, READ_ONCE(nr_freed), 0UL);
	KUNIT_EXPECT_EQ(test, READ_ONCE(nr_freed) + list_lru_count(&lru), (unsigned long)OBJECTS);
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(adding_and_deleting),
	KUNIT_CASE(passes),
	KUNIT_CASE(oldest_first),
#ifdef CONFIG_USERMM
	KUNIT_CASE(under_pressure),
#endif
	{}
};

static struct kunit_suite suite = {
	.name = "client_list_lru", .test_cases = cases, .init = client_init, .exit = client_exit
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
