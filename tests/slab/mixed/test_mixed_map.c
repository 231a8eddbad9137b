/* SPDX-License-Identifier: MIT */
/* The map of a mixed slab, against a map with a number for each granule. */
#include "base/compiler.h"
#include "slab/mixed/mixed_map.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/threads.h"

#define GRANULES_MAX (MIXED_MAX_PAGES * (unsigned int)MIXED_PAGE_GRANULES)

/* Which block a granule belongs to: the number of its first granule, plus 1; 0: it is free. */
struct model {
	unsigned int nr;
	unsigned int owner[GRANULES_MAX];
};

static unsigned int run_of(const struct model *model, unsigned int at)
{
	unsigned int end = at;

	while (end < model->nr && !model->owner[end])
		end++;
	return end - at;
}

/* The result that mixed_map_find() must have. */
static unsigned int first_fit(const struct model *model, unsigned int nr, unsigned int align,
			      unsigned int *largest)
{
	unsigned int run;

	*largest = 0;
	for (unsigned int at = 0; at < model->nr; at += max(run, 1U)) {
		unsigned int aligned = ALIGN(at, align);

		run = run_of(model, at);
		if (aligned + nr <= at + run)
			return aligned;
		*largest = max(*largest, run);
	}
	return model->nr;
}

static void compare(struct kunit *test, const struct model *model, const struct mixed_map *map)
{
	for (unsigned int at = 0, nr; at < model->nr; at += nr) {
		unsigned int owner = model->owner[at], end;

		for (nr = 1; at + nr < model->nr && model->owner[at + nr] == owner; nr++)
			;
		KUNIT_ASSERT_EQ(test, mixed_map_block(map, at), owner ? nr : 0);
		KUNIT_ASSERT_EQ(test, mixed_map_block_around(map, at + nr - 1),
				owner ? at : model->nr);
		if (owner)
			continue;
		KUNIT_ASSERT_EQ(test, mixed_map_free_run(map, at + nr / 2, &end), at);
		KUNIT_ASSERT_EQ(test, end, at + nr);
	}
	for (unsigned int page = 0; page < model->nr / MIXED_PAGE_GRANULES; page++) {
		unsigned int at = page * (unsigned int)MIXED_PAGE_GRANULES;

		KUNIT_ASSERT_EQ(test, mixed_map_page_is_free(map, page),
				run_of(model, at) >= MIXED_PAGE_GRANULES);
	}
}

static void set(struct model *model, unsigned int at, unsigned int nr, unsigned int owner)
{
	for (unsigned int i = at; i < at + nr; i++)
		model->owner[i] = owner;
}

static void take_one(struct kunit *test, struct model *model, struct mixed_map *map,
		     struct prng *prng)
{
	unsigned int nr = 1 + prng_below(prng, 1UL << prng_below(prng, 10));
	unsigned int align = 1U << prng_below(prng, 9), largest, wanted_largest;
	unsigned int at = mixed_map_find(map, nr, align, &largest);

	KUNIT_ASSERT_EQ(test, at, first_fit(model, nr, align, &wanted_largest));
	if (at == model->nr) {
		KUNIT_ASSERT_EQ(test, largest, wanted_largest);
		return;
	}
	mixed_map_take(map, at, nr);
	set(model, at, nr, at + 1);
}

static void put_one(struct kunit *test, struct model *model, struct mixed_map *map,
		    struct prng *prng)
{
	unsigned int at = prng_below(prng, model->nr), owner = model->owner[at], nr;

	if (!owner)
		return;
	at = owner - 1;
	nr = mixed_map_block(map, at);
	for (unsigned int i = at; i < at + nr; i++)
		KUNIT_ASSERT_EQ(test, model->owner[i], owner);
	KUNIT_ASSERT_TRUE(test, at + nr == model->nr || model->owner[at + nr] != owner);
	mixed_map_put(map, at, nr);
	set(model, at, nr, 0);
}

static void random_blocks(struct kunit *test, unsigned int pages)
{
	static struct model model;
	static struct mixed_map map;
	struct prng prng = { pages };

	model = (struct model){ .nr = pages * (unsigned int)MIXED_PAGE_GRANULES };
	mixed_map_init(&map, model.nr);
	for (unsigned int i = 0; i < TEST_STEPS(3000); i++) {
		/* It fills up and becomes empty in turns. */
		if (prng_below(&prng, 100) < (i / 300 % 2 ? 80U : 30U))
			put_one(test, &model, &map, &prng);
		else
			take_one(test, &model, &map, &prng);
		if (i % 8 == 0)
			compare(test, &model, &map);
	}
}

static void test_mixed_map_random(struct kunit *test)
{
	for (unsigned int order = 0; order <= MIXED_MAX_ORDER; order++)
		random_blocks(test, 1U << order);
}

/* From end to end, and one granule at each end. */
static void test_mixed_map_edges(struct kunit *test)
{
	static struct mixed_map map;
	unsigned int largest, end;

	mixed_map_init(&map, GRANULES_MAX);
	KUNIT_EXPECT_EQ(test, mixed_map_find(&map, GRANULES_MAX, 1, &largest), 0);
	mixed_map_take(&map, 0, GRANULES_MAX);
	KUNIT_EXPECT_EQ(test, mixed_map_block(&map, 0), GRANULES_MAX);
	KUNIT_EXPECT_EQ(test, mixed_map_block(&map, 1), 0);
	KUNIT_EXPECT_EQ(test, mixed_map_block(&map, GRANULES_MAX), 0);
	KUNIT_EXPECT_EQ(test, mixed_map_block_around(&map, GRANULES_MAX - 1), 0);
	KUNIT_EXPECT_EQ(test, mixed_map_find(&map, 1, 1, &largest), GRANULES_MAX);
	KUNIT_EXPECT_EQ(test, largest, 0);
	mixed_map_put(&map, 0, GRANULES_MAX);
	mixed_map_take(&map, 0, 1);
	mixed_map_take(&map, GRANULES_MAX - 1, 1);
	KUNIT_EXPECT_EQ(test, mixed_map_block(&map, GRANULES_MAX - 1), 1);
	KUNIT_EXPECT_EQ(test, mixed_map_free_run(&map, 64, &end), 1);
	KUNIT_EXPECT_EQ(test, end, GRANULES_MAX - 1);
	KUNIT_EXPECT_FALSE(test, mixed_map_page_is_free(&map, 0));
	KUNIT_EXPECT_TRUE(test, mixed_map_page_is_free(&map, 1));
}

static struct kunit_case mixed_map_cases[] = {
	KUNIT_CASE(test_mixed_map_random),
	KUNIT_CASE(test_mixed_map_edges),
	{ 0 },
};

static struct kunit_suite mixed_map_suite = {
	.name = "slab-mixed-map",
	.test_cases = mixed_map_cases,
};

kunit_test_suite(mixed_map_suite);
