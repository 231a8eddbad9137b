/* SPDX-License-Identifier: MIT */
/* The bytes of hardened objects, one by one; the order in which they leave the quarantine. */
#include "slab/hardened/hardened_object.h"
#include "slab/random.h"
#include "support/kernel.h"
#include "support/threads.h"

#define BYTES_MAX 1152

static const size_t object_bytes[] = {
	16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 512,
	SLAB_HARDENED_PAIRS_MAX * 16, BYTES_MAX,
};

static void clear(void *object, size_t bytes)
{
	if (slab_hardened_is_long(bytes))
		memset(object, 0, bytes);
	else
		slab_hardened_clear_short(object, bytes);
}

/* Between others' bytes, which stay. */
static struct {
	char before[64], object[BYTES_MAX], behind[64];
} area __aligned(64);

static void set_up(void)
{
	slab_hardened_set_keys(0x9f3c5a71e8d2b641, 0xa7);
	memset(&area, 0x5c, sizeof(area));
}

static bool others_stayed(size_t bytes)
{
	const char *all = (const char *)&area;

	for (size_t i = 0; i < sizeof(area); i++)
		if ((i < sizeof(area.before) || i >= sizeof(area.before) + bytes) &&
		    all[i] != 0x5c)
			return false;
	return true;
}

static void test_hardened_object_free(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(object_bytes); i++) {
		size_t bytes = object_bytes[i];

		set_up();
		KUNIT_EXPECT_FALSE(test, slab_hardened_is_clear(area.object, bytes));
		clear(area.object, bytes);
		KUNIT_EXPECT_TRUE(test, others_stayed(bytes));
		KUNIT_EXPECT_TRUE(test, slab_hardened_is_clear(area.object, bytes));
		for (size_t k = 0; k < bytes; k++)
			KUNIT_ASSERT_EQ(test, area.object[k], 0);
		for (size_t bit = 0; bit < 8 * bytes; bit++) {
			area.object[bit / 8] ^= (char)(1 << bit % 8);
			KUNIT_ASSERT_FALSE(test, slab_hardened_is_clear(area.object, bytes));
			area.object[bit / 8] ^= (char)(1 << bit % 8);
		}
		KUNIT_EXPECT_TRUE(test, slab_hardened_is_clear(area.object, bytes));
	}
}

/* Each bit behind the requested bytes is checked, and no bit of the requested bytes is. */
static void check_bits(struct kunit *test, size_t bytes, size_t asked)
{
	for (size_t bit = 0; bit < 8 * bytes; bit++) {
		area.object[bit / 8] ^= (char)(1 << bit % 8);
		KUNIT_ASSERT_EQ(test, slab_hardened_is_whole(area.object, bytes),
				bit < 8 * asked);
		area.object[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void check_whole(struct kunit *test, size_t bytes, size_t asked, char content)
{
	size_t room = bytes - SLAB_SEAL_BYTES - asked;

	KUNIT_ASSERT_TRUE(test, others_stayed(bytes));
	for (size_t k = 0; k < asked; k++)
		KUNIT_ASSERT_EQ(test, area.object[k], content);
	KUNIT_ASSERT_TRUE(test, slab_hardened_is_whole(area.object, bytes));
	KUNIT_ASSERT_TRUE(test, slab_hardened_is_whole_up_to(area.object, bytes, room));
	if (room > 8)
		KUNIT_ASSERT_FALSE(test, slab_hardened_is_whole_up_to(area.object, bytes,
								      room - 1));
	KUNIT_ASSERT_EQ(test, slab_hardened_asked(area.object, bytes), asked);
	/* The byte that a text overwrites which is one byte too long is not 0. */
	KUNIT_ASSERT_NE(test, area.object[asked], 0);
}

static void test_hardened_object_in_use(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(object_bytes); i++) {
		size_t bytes = object_bytes[i];

		for (size_t asked = 0; asked <= bytes - SLAB_SEAL_BYTES; asked++) {
			set_up();
			memset(area.object, 0, bytes);
			slab_hardened_enclose(area.object, bytes, asked);
			check_whole(test, bytes, asked, 0);
			memset(area.object, 0x5c, asked);
			check_whole(test, bytes, asked, 0x5c);
			if (bytes <= 160 || asked % 37 == 0)
				check_bits(test, bytes, asked);
		}
	}
}

/* The bytes in front of the seal, and in front of the object, look like a fence. */
static bool is_whole_with_seal_of(size_t bytes, size_t twice)
{
	set_up();
	memset(&area, 0xa7, sizeof(area));
	slab_put_word(area.object + bytes - SLAB_SEAL_BYTES,
		      slab_hardened_seal_base(area.object) ^ twice * (SLAB_SEAL_FACTOR / 2));
	return slab_hardened_is_whole(area.object, bytes);
}

/* A seal that names more bytes than there are, or an impossible number. */
static void test_hardened_object_forged(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(object_bytes); i++) {
		size_t bytes = object_bytes[i], most = bytes - SLAB_SEAL_BYTES;

		for (size_t room = 0; room <= most; room++)
			KUNIT_ASSERT_TRUE(test, is_whole_with_seal_of(bytes, 2 * room));
		for (size_t room = most + 1; room <= most + 32; room++)
			KUNIT_ASSERT_FALSE(test, is_whole_with_seal_of(bytes, 2 * room));
		for (size_t room = 8; room <= most; room++)
			KUNIT_ASSERT_FALSE(test, is_whole_with_seal_of(bytes, 2 * room + 1));
	}
}

/* realloc() in place. */
static void test_hardened_object_resized(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(object_bytes); i++) {
		size_t bytes = object_bytes[i];

		for (size_t asked = 0; asked <= bytes - SLAB_SEAL_BYTES; asked++) {
			set_up();
			slab_hardened_enclose_used(area.object, bytes, asked);
			check_whole(test, bytes, asked, 0x5c);
			if (asked % 37 == 0)
				check_bits(test, bytes, asked);
		}
	}
}

/* The seal of one object is wrong for another one, and wrong once the object is free. */
static void test_hardened_object_elsewhere(struct kunit *test)
{
	set_up();
	slab_hardened_enclose_used(area.object, 64, 50);
	memcpy(area.object + 64, area.object, 64);
	KUNIT_EXPECT_FALSE(test, slab_hardened_is_whole(area.object + 64, 64));
	clear(area.object, 64);
	KUNIT_EXPECT_FALSE(test, slab_hardened_is_whole(area.object, 64));
	slab_hardened_enclose(area.object, 64, 50);
	slab_hardened_keys.seal ^= 0x10000;
	KUNIT_EXPECT_FALSE(test, slab_hardened_is_whole(area.object, 64));
}

#define SHUFFLED_MAX SLAB_RANDOM_ORDER_MAX

static void shuffle(void **to, void **objects, unsigned int n)
{
	struct percpu_order order;

	slab_random_order(&order, n);
	for (unsigned int i = 0; i < n; i++)
		to[i] = objects[order.place[i] ^ order.turned];
}

#define SHUFFLES TEST_STEPS(20000)

/* Every object leaves once, and in each place about equally often. */
static void check_shuffle(struct kunit *test, unsigned int n)
{
	static unsigned int times[SHUFFLED_MAX][SHUFFLED_MAX];
	static char bytes[SHUFFLED_MAX];
	void *objects[SHUFFLED_MAX], *shuffled[SHUFFLED_MAX];
	unsigned int expected = SHUFFLES / n;

	memset(times, 0, sizeof(times));
	for (unsigned int run = 0; run < SHUFFLES; run++) {
		bool seen[SHUFFLED_MAX] = { false };

		for (unsigned int i = 0; i < n; i++)
			objects[i] = &bytes[i];
		shuffle(shuffled, objects, n);
		for (unsigned int i = 0; i < n; i++) {
			size_t which = (size_t)((char *)shuffled[i] - bytes);

			KUNIT_ASSERT_LT(test, which, (size_t)n);
			KUNIT_ASSERT_FALSE(test, seen[which]);
			seen[which] = true;
			times[which][i]++;
		}
	}
	/* More than eight times the standard deviation, and at least some, off. */
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < n; k++) {
			unsigned int times_here = times[i][k];
			unsigned int off = times_here > expected ? times_here - expected :
								   expected - times_here;

			KUNIT_ASSERT_LT(test, off * off, 64 * expected + 64);
		}
}

static void test_hardened_object_order(struct kunit *test)
{
	/* By one order each, which is made once. */
	for (int i = 0; i < 3; i++) {
		slab_random_make_orders();
		for (unsigned int n = 1; n <= SHUFFLED_MAX; n *= 2)
			check_shuffle(test, n);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_hardened_object_free),
	KUNIT_CASE(test_hardened_object_in_use),
	KUNIT_CASE(test_hardened_object_resized),
	KUNIT_CASE(test_hardened_object_forged),
	KUNIT_CASE(test_hardened_object_elsewhere),
	KUNIT_CASE(test_hardened_object_order),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-hardened-object", .test_cases = cases };

kunit_test_suite(suite);
