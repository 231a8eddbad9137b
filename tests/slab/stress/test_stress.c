/* SPDX-License-Identifier: MIT */
/*
 * Everything at once, for long: threads that change CPUs allocate from caches of all kinds,
 * write a stamp over the whole object, and free what others allocated, while caches are
 * shrunk, validated, made and destroyed. An object with two owners breaks a stamp; the counts show
 * a lost object, or a slab that was left behind.
 */
#include "percpu/percpu.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "usermm/stats.h"

#define NR_THREADS 6
#define NR_SHELVES 256
#define BATCH 16
#define MANY (BATCH * 8)
#define STEPS TEST_STEPS(120000)

static const struct kind {
	const char *name;
	unsigned int size;
	slab_flags_t flags;
	bool has_ctor;
} kinds[] = {
	{ "stress-8", 8, 0, false },
	{ "stress-72", 72, 0, false },
	{ "stress-512", 512, 0, false },
	{ "stress-3000", 3000, 0, false },
	{ "stress-ctor", 200, 0, true },
	{ "stress-watched", 100, SLAB_DEBUG_DEFAULT, false },
};

#define NR_KINDS ARRAY_SIZE(kinds)

/* Any thread may take an object from a shelf and free it. */
struct parcel {
	void *object;
	unsigned int kind;
	u64 owner;
};

struct world {
	struct kmem_cache *caches[NR_KINDS];
	pthread_mutex_t locks[NR_SHELVES];
	struct parcel shelves[NR_SHELVES];	/* Sync: locks */
};

#define CONSTRUCTED 0xc0ffee0000000000UL

/* The constructor's contents stay in free objects. */
static void construct(void *object)
{
	*(u64 *)object = CONSTRUCTED ^ (unsigned long)object;
}

static struct kmem_cache *make(struct kunit *test, const struct kind *kind)
{
	struct slab_cache_request request = {
		.name = kind->name, .size = kind->size,
		.flags = kind->flags | SLAB_NO_USER_FLAGS,
		.ctor = kind->has_ctor ? construct : NULL,
	};
	struct kmem_cache *cache = slab_cache_create(&request);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static struct parcel stamp(struct test_thread *thread, void *object, unsigned int kind)
{
	struct parcel parcel = {
		.object = object, .kind = kind, .owner = prng_u64(&thread->prng),
	};

	KUNIT_ASSERT_NOT_NULL(thread->test, parcel.object);
	if (kinds[kind].has_ctor)
		KUNIT_EXPECT_EQ(thread->test, *(u64 *)parcel.object,
				CONSTRUCTED ^ (unsigned long)parcel.object);
	shadow_stamp(parcel.object, kinds[kind].size, parcel.owner);
	return parcel;
}

static struct parcel pack(struct test_thread *thread, struct world *world, unsigned int kind)
{
	return stamp(thread, kmem_cache_alloc(world->caches[kind], GFP_KERNEL), kind);
}

/* Checks that a parcel is unchanged; returns its object in the state in which it may be freed. */
static void *look_at(struct kunit *test, const struct parcel *parcel)
{
	const struct kind *kind = &kinds[parcel->kind];

	KUNIT_EXPECT_TRUE_MSG(test, shadow_stamp_holds(parcel->object, kind->size, parcel->owner),
			      "%s at %p", kind->name, parcel->object);
	if (kind->has_ctor)
		construct(parcel->object);
	return parcel->object;
}

static void unpack(struct kunit *test, struct world *world, struct parcel *parcel)
{
	if (!parcel->object)
		return;
	kmem_cache_free(world->caches[parcel->kind], look_at(test, parcel));
	parcel->object = NULL;
}

/* One parcel for another, through a shelf. */
static void trade(struct test_thread *thread, struct world *world, struct parcel *mine)
{
	unsigned int shelf = prng_below(&thread->prng, NR_SHELVES);
	struct parcel other;

	pthread_mutex_lock(&world->locks[shelf]);
	other = world->shelves[shelf];
	world->shelves[shelf] = *mine;
	pthread_mutex_unlock(&world->locks[shelf]);
	*mine = other;
}

/* The same for a parcel of the same kind, if one lies there. */
static void trade_kind(struct test_thread *thread, struct world *world, struct parcel *mine)
{
	unsigned int shelf = prng_below(&thread->prng, NR_SHELVES);
	struct parcel other = *mine;

	pthread_mutex_lock(&world->locks[shelf]);
	if (world->shelves[shelf].object && world->shelves[shelf].kind == mine->kind) {
		other = world->shelves[shelf];
		world->shelves[shelf] = *mine;
	}
	pthread_mutex_unlock(&world->locks[shelf]);
	*mine = other;
}

/* All or none. */
static void pack_many(struct test_thread *thread, struct world *world, struct parcel *parcels,
		      unsigned int kind, unsigned int nr)
{
	void *objects[MANY];

	KUNIT_ASSERT_EQ(thread->test, kmem_cache_alloc_bulk(world->caches[kind], GFP_KERNEL, nr,
							    objects), nr);
	for (unsigned int i = 0; i < nr; i++)
		parcels[i] = stamp(thread, objects[i], kind);
}

static void unpack_many(struct kunit *test, struct world *world, struct parcel *parcels,
			unsigned int nr)
{
	unsigned int kind = parcels[0].kind;
	void *objects[MANY];

	for (unsigned int i = 0; i < nr; i++)
		objects[i] = look_at(test, &parcels[i]);
	kmem_cache_free_bulk(world->caches[kind], nr, objects);
}

/* More than a CPU keeps comes and goes in one run, one by one or with one call. */
static void take_and_give_many(struct test_thread *thread, struct world *world)
{
	unsigned int kind = prng_below(&thread->prng, NR_KINDS);
	struct parcel parcels[MANY];
	unsigned int nr = prng_range(&thread->prng, BATCH, MANY);

	if (prng_one_in(&thread->prng, 2))
		pack_many(thread, world, parcels, kind, nr);
	else
		for (unsigned int i = 0; i < nr; i++)
			parcels[i] = pack(thread, world, kind);
	if (prng_one_in(&thread->prng, 2))
		test_pin(prng_below(&thread->prng, test_nr_cpus()));
	/*
	 * Some pass to other threads, so that one call frees objects that several CPUs have
	 * allocated.
	 */
	for (unsigned int i = 0; i < nr; i += 1 + prng_below(&thread->prng, BATCH))
		trade_kind(thread, world, &parcels[i]);
	if (prng_one_in(&thread->prng, 2))
		unpack_many(thread->test, world, parcels, nr);
	else
		for (unsigned int i = 0; i < nr; i++)
			unpack(thread->test, world, &parcels[i]);
}

static void make_and_destroy(struct test_thread *thread)
{
	struct kind kind = {
		.name = "stress-churn", .size = prng_range(&thread->prng, 8, 2000),
		.flags = prng_one_in(&thread->prng, 4) ? SLAB_DEBUG_DEFAULT : 0,
	};
	struct kmem_cache *cache = make(thread->test, &kind);
	void *objects[BATCH];

	for (unsigned int i = 0; i < BATCH; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(thread->test, objects[i]);
		shadow_stamp(objects[i], kind.size, i);
	}
	for (unsigned int i = 0; i < BATCH; i++) {
		KUNIT_EXPECT_TRUE(thread->test, shadow_stamp_holds(objects[i], kind.size, i));
		kmem_cache_free(cache, objects[i]);
	}
	kmem_cache_destroy(cache);
}

static void disturb(struct test_thread *thread, struct world *world)
{
	unsigned int kind = prng_below(&thread->prng, NR_KINDS);

	switch (prng_below(&thread->prng, 4)) {
	case 0:
		KUNIT_EXPECT_EQ(thread->test, usermm_write_slab_attribute(kinds[kind].name,
									  "shrink", "1"), 0);
		break;
	case 1:
		validate_slab_cache(world->caches[kind]);
		break;
	case 2:
		make_and_destroy(thread);
		break;
	default:
		take_and_give_many(thread, world);
	}
}

static void live(struct test_thread *thread)
{
	struct world *world = thread->arg;
	struct parcel held[40] = { { 0 } };

	for (unsigned int step = 0; step < STEPS; step++) {
		struct parcel *mine = &held[prng_below(&thread->prng, ARRAY_SIZE(held))];

		if (step % 100 == 0)
			test_pin(prng_below(&thread->prng, test_nr_cpus()));
		if (prng_one_in(&thread->prng, 200))
			disturb(thread, world);
		else if (!mine->object)
			*mine = pack(thread, world, prng_below(&thread->prng, NR_KINDS));
		else if (prng_one_in(&thread->prng, 2))
			trade(thread, world, mine);
		else
			unpack(thread->test, world, mine);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(held); i++)
		unpack(thread->test, world, &held[i]);
}

static unsigned long attribute(struct kunit *test, const struct kmem_cache *cache,
			       const char *name)
{
	size_t length = strlen(name);
	unsigned long value = ~0UL;
	FILE *file = tmpfile();
	char line[200];

	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_ASSERT_EQ(test, usermm_print_slab_attributes(fileno(file), cache->name), 0);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ' ')
			value = strtoul(line + length, NULL, 10);
	fclose(file);
	KUNIT_ASSERT_NE(test, value, ~0UL);
	return value;
}

/*
 * Slabs in excess of the objects in use: those whose objects CPUs keep, and empty ones that the
 * cache may keep.
 */
static unsigned long slabs_kept(struct kunit *test, const struct kmem_cache *cache)
{
	/* At worst each object that a CPU keeps is the only one out of its slab. */
	return slab_cached_objects(cache) + percpu_nr_slots() +
	       attribute(test, cache, "min_partial") + 1;
}

static void run_world(struct kunit *test, void *unused)
{
	static struct world world;

	(void)unused;
	world = (struct world){ 0 };
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		pthread_mutex_init(&world.locks[i], NULL);
	for (unsigned int i = 0; i < NR_KINDS; i++)
		world.caches[i] = make(test, &kinds[i]);
	test_threads_run(test, NR_THREADS, live, &world);
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		unpack(test, &world, &world.shelves[i]);
	for (unsigned int i = 0; i < NR_KINDS; i++) {
		struct kmem_cache *cache = world.caches[i];

		KUNIT_EXPECT_EQ_MSG(test, attribute(test, cache, "objects"),
				    slab_cached_objects(cache), "%s: lost or doubled",
				    kinds[i].name);
		KUNIT_EXPECT_LE_MSG(test, attribute(test, cache, "slabs"), slabs_kept(test, cache),
				    "%s", kinds[i].name);
		kmem_cache_destroy(cache);
	}
}

/* In a child, since reports of caches with debugging go to stderr: there must be none. */
static void test_stress_everything(struct kunit *test)
{
	static struct child_result result;

	child_run(test, run_world, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_STREQ(test, result.err, "");
}

/* --- Nothing is left behind ------------------------------------------------------- */

#define NR_LIVE 2000
#define IN_FLIGHT 500

struct flight {
	struct kmem_cache *cache;
	pthread_barrier_t turn;
	void *objects[2][IN_FLIGHT];	/* Sync: turn */
};

/* Each thread fills one side while the other one empties the one filled before. */
static void fly(struct test_thread *thread)
{
	struct flight *flight = thread->arg;
	unsigned int size = kmem_cache_size(flight->cache);

	for (unsigned int round = 0; round < TEST_STEPS(600); round++) {
		void **mine = flight->objects[(thread->index + round) % 2];

		test_pin(thread->index + round / 7);
		for (unsigned int i = 0; i < IN_FLIGHT; i++) {
			if (mine[i]) {
				KUNIT_EXPECT_TRUE(thread->test,
						  shadow_stamp_holds(mine[i], size, i));
				kmem_cache_free(flight->cache, mine[i]);
			}
			mine[i] = kmem_cache_alloc(flight->cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, mine[i]);
			shadow_stamp(mine[i], size, i);
		}
		if (thread->index && round % 50 == 0)
			usermm_write_slab_attribute(flight->cache->name, "shrink", "1");
		pthread_barrier_wait(&flight->turn);
	}
}

static void bound_slabs(struct kunit *test, const struct kind *kind)
{
	static struct flight flight;
	static void *live_objects[NR_LIVE];
	unsigned long per_slab, slabs, bound;

	flight = (struct flight){ .cache = make(test, kind) };
	pthread_barrier_init(&flight.turn, NULL, 2);
	for (unsigned int i = 0; i < NR_LIVE; i++) {
		live_objects[i] = kmem_cache_alloc(flight.cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, live_objects[i]);
		shadow_stamp(live_objects[i], kind->size, i);
	}
	test_threads_run(test, 2, fly, &flight);
	for (unsigned int i = 0; i < 2 * IN_FLIGHT; i++)
		kmem_cache_free(flight.cache, flight.objects[i / IN_FLIGHT][i % IN_FLIGHT]);

	per_slab = attribute(test, flight.cache, "objs_per_slab");
	slabs = attribute(test, flight.cache, "slabs");
	bound = DIV_ROUND_UP(NR_LIVE, per_slab) + slabs_kept(test, flight.cache);
	kunit_info(test, "%s: %lu slabs for %u objects (bound %lu)", kind->name, slabs, NR_LIVE,
		   bound);
	KUNIT_EXPECT_LE(test, slabs, bound);
	for (unsigned int i = 0; i < NR_LIVE; i++) {
		KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(live_objects[i], kind->size, i));
		kmem_cache_free(flight.cache, live_objects[i]);
	}
	slabs = attribute(test, flight.cache, "slabs");
	KUNIT_EXPECT_LE_MSG(test, slabs, slabs_kept(test, flight.cache), "%s", kind->name);
	kmem_cache_destroy(flight.cache);
	pthread_barrier_destroy(&flight.turn);
}

static void test_stress_bound(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_KINDS; i++)
		if (!kinds[i].has_ctor)
			bound_slabs(test, &kinds[i]);
}

static struct kunit_case slab_stress_cases[] = {
	KUNIT_CASE_SLOW(test_stress_everything),
	KUNIT_CASE_SLOW(test_stress_bound),
	{ 0 },
};

static struct kunit_suite slab_stress_suite = {
	.name = "slab-stress",
	.test_cases = slab_stress_cases,
};

kunit_test_suite(slab_stress_suite);
