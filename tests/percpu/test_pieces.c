/* SPDX-License-Identifier: MIT */
/*
 * Pieces of the slots against a model, which has a byte for each unit and finds places by
 * looking at all of them.
 */
#include <stdint.h>
#include <stdlib.h>

#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

#define UNIT 64UL
#define NR_UNITS (PERCPU_SLOT_BYTES / UNIT)
#define PAGE_UNITS (4096 / UNIT)
#define NR_PIECES 400
#define NR_STEPS 4000
#define AREA ((size_t)-1)	/* no piece: the area was full */

struct piece {
	size_t first, n;	/* in units; n == 0: none */
	size_t bytes;
};

static bool in_use[NR_UNITS];
static uint64_t kept_apart;	/* units of a page, for every piece */
static struct piece pieces[NR_PIECES];

/* --- The model --------------------------------------------------------------------- */

static size_t units_of(size_t bytes)
{
	return bytes ? (bytes - 1) / UNIT + 1 : 1;
}

static uint64_t page_units_of(size_t address, size_t bytes)
{
	uint64_t units = 0;

	for (size_t unit = address / UNIT; unit <= (address + bytes - 1) / UNIT; unit++)
		units |= 1UL << unit % PAGE_UNITS;
	return units;
}

static bool is_place(size_t first, size_t n, uint64_t apart)
{
	if (first + n > NR_UNITS)
		return false;
	for (size_t unit = first; unit < first + n; unit++)
		if (in_use[unit] || (apart >> unit % PAGE_UNITS & 1))
			return false;
	return true;
}

static bool has_place(size_t n, size_t align_units, uint64_t apart)
{
	for (size_t first = 0; first + n <= NR_UNITS; first += align_units)
		if (is_place(first, n, apart))
			return true;
	return false;
}

static void mark(size_t first, size_t n, bool used)
{
	for (size_t unit = first; unit < first + n; unit++)
		in_use[unit] = used;
}

/* --- Pieces ------------------------------------------------------------------------ */

static size_t unit_of(const void *piece)
{
	return piece ? (size_t)piece / UNIT : AREA;
}

static void expect_zero(struct kunit *test, const void *piece, size_t bytes)
{
	unsigned int nr = percpu_nr_slots();

	for (unsigned int slot = 0; slot < nr; slot += max(nr - 1, 1u))
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes(percpu_ptr(piece, slot), bytes, 0));
}

/* A piece is where it may be, and nowhere else: NULL only where the model finds no place. */
static size_t take(struct kunit *test, size_t bytes, size_t align, const void *read,
		   size_t read_bytes)
{
	size_t n = units_of(bytes), align_units = align > UNIT ? align / UNIT : 1, first;
	uint64_t wish = kept_apart;
	void *piece;

	if (read) {
		wish |= page_units_of((size_t)read, read_bytes);
		piece = percpu_alloc_apart(bytes, align, read, read_bytes);
	} else {
		piece = percpu_alloc(bytes, align);
	}
	first = unit_of(piece);
	KUNIT_EXPECT_EQ(test, piece != NULL, has_place(n, align_units, 0));
	if (!piece)
		return AREA;
	KUNIT_EXPECT_EQ(test, (size_t)piece % align, 0);
	KUNIT_EXPECT_TRUE(test, is_place(first, n, 0));
	KUNIT_EXPECT_EQ(test, is_place(first, n, wish), has_place(n, align_units, wish));
	expect_zero(test, piece, min(bytes, 256UL));
	mark(first, n, true);
	return first;
}

static void give(size_t first, size_t bytes)
{
	percpu_free((void *)(first * UNIT), bytes);
	mark(first, units_of(bytes), false);
}

static void give_all(void)
{
	for (unsigned int i = 0; i < NR_PIECES; i++) {
		if (pieces[i].n)
			give(pieces[i].first, pieces[i].bytes);
		pieces[i].n = 0;
	}
}

/*
 * All free units can be allocated one by one: those that are kept apart come last, from the lowest
 * on.
 */
static int learn(struct kunit_suite *suite)
{
	size_t first, last = 0;
	bool apart = false;
	void *piece;

	(void)suite;
	if (percpu_init())
		return -1;
	mark(0, NR_UNITS, true);
	while ((piece = percpu_alloc(1, 1))) {
		first = unit_of(piece);
		apart |= first < last;
		last = first;
		in_use[first] = false;
		if (apart)
			kept_apart |= 1UL << first % PAGE_UNITS;
	}
	for (first = 0; first < NR_UNITS; first++)
		if (!in_use[first])
			percpu_free((void *)(first * UNIT), 1);
	return 0;
}

/* --- Cases ------------------------------------------------------------------------- */

static void test_pieces_library_leaves_most(struct kunit *test)
{
	size_t free_units = 0;

	for (size_t unit = 0; unit < NR_UNITS; unit++)
		free_units += !in_use[unit];
	KUNIT_EXPECT_GT(test, free_units, NR_UNITS / 2);
	KUNIT_EXPECT_TRUE(test, in_use[0]);
	KUNIT_EXPECT_NE(test, kept_apart, ~0UL);
}

static size_t random_bytes(struct prng *prng)
{
	if (prng_one_in(prng, 50))
		return 0;
	if (prng_one_in(prng, 100))
		return prng_range(prng, 1, PERCPU_SLOT_BYTES);
	return prng_range(prng, 1, 16 * 1024) >> prng_below(prng, 12);
}

/*
 * A request for some bytes that may lie at any offset of a page; now and then for more than there
 * is room.
 */
static size_t take_random(struct kunit *test, struct prng *prng, size_t bytes)
{
	size_t align = 1UL << prng_below(prng, 13);
	const char *read = (char *)(4096UL * 1000 + prng_below(prng, 4096));

	if (prng_one_in(prng, 2))
		return take(test, bytes, align, NULL, 0);
	return take(test, bytes, align, read, prng_one_in(prng, 10) ? 4096 :
							prng_range(prng, 1, 512));
}

static void step(struct kunit *test, struct prng *prng)
{
	struct piece *piece = &pieces[prng_below(prng, NR_PIECES)];

	if (piece->n) {
		memset(percpu_ptr((void *)(piece->first * UNIT), 0), 0xa5, piece->bytes);
		give(piece->first, piece->bytes);
		piece->n = 0;
		return;
	}
	piece->bytes = random_bytes(prng);
	piece->first = take_random(test, prng, piece->bytes);
	piece->n = piece->first == AREA ? 0 : units_of(piece->bytes);
}

static void test_pieces_as_model(struct kunit *test)
{
	struct prng prng = { 1 };
	static const char bytes[200] __aligned(64);

	for (unsigned int i = 0; i < NR_STEPS && !test->status; i++) {
		step(test, &prng);
		if (i == NR_STEPS / 2) {
			percpu_keep_apart(bytes, sizeof(bytes));
			kept_apart |= page_units_of((size_t)bytes, sizeof(bytes));
		}
	}
	give_all();
}

/* A freed place is the first to be used again, by pieces of its size and by smaller ones. */
static void test_pieces_first_fit_below(struct kunit *test)
{
	static const size_t sizes[] = { 1, 64, 65, 200, 2048, 5000, 20000 };

	for (unsigned int i = 0; i < NR_PIECES; i++) {
		pieces[i].bytes = sizes[i % ARRAY_SIZE(sizes)];
		pieces[i].first = take(test, pieces[i].bytes, 1, NULL, 0);
		pieces[i].n = pieces[i].first == AREA ? 0 : units_of(pieces[i].bytes);
	}
	for (unsigned int i = NR_PIECES; i-- > 0;) {
		size_t n = pieces[i].n, bytes = pieces[i].bytes, first = pieces[i].first, again;

		if (!n)
			continue;
		give(first, bytes);
		for (unsigned int half = 0; half < 2; half++) {
			size_t wanted = half ? bytes / 2 : bytes;

			bool suits = is_place(first, units_of(wanted), kept_apart) ||
				     !has_place(units_of(wanted), 1, kept_apart);

			again = take(test, wanted, 1, NULL, 0);
			if (suits)
				KUNIT_EXPECT_LE(test, again, first);
			give(again, wanted);
		}
		pieces[i].n = 0;
	}
}

/* The next free unit that is kept apart, or is not, at a multiple of `align`. */
static size_t next_free(size_t unit, bool apart, size_t align)
{
	while (unit < NR_UNITS && (in_use[unit] || unit % align ||
				   (kept_apart >> unit % PAGE_UNITS & 1) != apart))
		unit++;
	return unit;
}

/*
 * What is below where the last search ended is looked at before anything is taken that is kept
 * apart: three units are free, of these the lowest, and the last search ended at the highest.
 */
static void test_pieces_below_the_last_search(struct kunit *test)
{
	size_t low = next_free(0, true, 1), middle = next_free(low, false, 1);
	size_t high = next_free(middle + 1, kept_apart & 1, PAGE_UNITS), first, nr = 0;
	static size_t all[NR_UNITS];

	KUNIT_ASSERT_LT(test, high, NR_UNITS);
	while ((first = unit_of(percpu_alloc(1, 1))) != AREA)
		all[nr++] = first;
	for (size_t i = 0; i < nr; i++)
		mark(all[i], 1, true);
	give(low, 1);
	give(middle, 1);
	give(high, 1);
	KUNIT_EXPECT_EQ(test, take(test, 1, 4096, NULL, 0), high);
	KUNIT_EXPECT_EQ(test, take(test, 1, 1, NULL, 0), middle);
	KUNIT_EXPECT_EQ(test, take(test, 1, 1, NULL, 0), low);
	while (nr)
		give(all[--nr], 1);
}

/* When all is full, every request gets NULL; a piece that is freed is enough for one request. */
static void test_pieces_full_and_again(struct kunit *test)
{
	static const char read[64] __aligned(64);
	static size_t all[NR_UNITS];
	size_t first, nr = 0;

	while ((first = unit_of(percpu_alloc(UNIT, 1))) != AREA) {
		KUNIT_EXPECT_FALSE(test, in_use[first]);
		mark(first, 1, true);
		all[nr++] = first;
	}
	KUNIT_EXPECT_FALSE(test, has_place(1, 1, 0));
	KUNIT_EXPECT_EQ(test, take(test, 1, 1, read, sizeof(read)), AREA);
	for (size_t i = 0; i < nr; i += nr / 7) {
		give(all[i], UNIT);
		KUNIT_EXPECT_EQ(test, take(test, UNIT, 1, i % 2 ? NULL : read, sizeof(read)),
				all[i]);
		KUNIT_EXPECT_NULL(test, percpu_alloc(1, 1));
	}
	while (nr)
		give(all[--nr], UNIT);
}

static void test_pieces_sizes_at_the_ends(struct kunit *test)
{
	static const size_t too_large[] = {
		PERCPU_SLOT_BYTES, PERCPU_SLOT_BYTES + 1, 2 * PERCPU_SLOT_BYTES,
		SIZE_MAX / 2, SIZE_MAX - UNIT, SIZE_MAX - UNIT + 1, SIZE_MAX - 1, SIZE_MAX,
	};
	static size_t all[NR_UNITS];
	size_t free_units = 0;

	for (size_t i = 0; i < ARRAY_SIZE(too_large); i++)
		KUNIT_EXPECT_NULL(test, percpu_alloc(too_large[i], 1));
	/* Of no bytes: each is a piece of its own, and all of them can be had again. */
	for (size_t unit = 0; unit < NR_UNITS; unit++)
		free_units += !in_use[unit];
	for (unsigned int round = 0; round < 2; round++) {
		size_t first, nr = 0;

		while ((first = unit_of(percpu_alloc(0, 1))) != AREA && nr < free_units) {
			KUNIT_EXPECT_FALSE(test, in_use[first]);
			mark(first, 1, true);
			all[nr++] = first;
		}
		KUNIT_EXPECT_EQ(test, nr, free_units);
		while (nr)
			give(all[--nr], 0);
	}
}

static struct kunit_case pieces_cases[] = {
	KUNIT_CASE(test_pieces_library_leaves_most),
	KUNIT_CASE(test_pieces_as_model),
	KUNIT_CASE(test_pieces_first_fit_below),
	KUNIT_CASE(test_pieces_below_the_last_search),
	KUNIT_CASE(test_pieces_full_and_again),
	KUNIT_CASE(test_pieces_sizes_at_the_ends),
	{ 0 },
};

static struct kunit_suite pieces_suite = {
	.name = "pieces",
	.suite_init = learn,
	.test_cases = pieces_cases,
};

kunit_test_suite(pieces_suite);
