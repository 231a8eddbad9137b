/* SPDX-License-Identifier: MIT */
/* mallocx() and its family: jemalloc's own calls, on the heap that malloc() and free() have. */
#include <errno.h>
#include <malloc.h>

#include "child.h"
#include "usermm/mallocx.h"

#pragma weak mallocx
#pragma weak rallocx
#pragma weak xallocx
#pragma weak sallocx
#pragma weak dallocx
#pragma weak sdallocx
#pragma weak nallocx

#define NR_SLOTS 64
#define NR_STEPS 40000
#define LG_ALIGN_MAX 16
#define SMALL_MAX (3 * KIB)
#define LARGE_MAX (9 * MIB)
#define KEPT_ERRNO 4321
#define REST_KEPT_MIN (128 * KIB)

static const size_t sizes[] = {
	1, 15, 16, 17, 100, 129, 1000, 1025, 4095, 4096, 4097, 12300, 32767, 32768, 32769, 70000,
	131071, 131073, 1000001, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 9 * MIB + 5,
};

static bool has_option(const char *option)
{
	const char *options = getenv("USERMM_OPTIONS");

	return options && strstr(options, option);
}

static bool is_hardened(void)
{
	return has_option("hardened=1");
}

/* Caches with debugging flags keep their own checks, and give all of an object. */
static bool sizes_are_exact(void)
{
	return is_hardened() && !has_option("slab_debug=");
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_aligned(const void *block, size_t align)
{
	return !((uintptr_t)block & (align - 1));
}

/* The place of the first byte with another value; `bytes` if there is none. */
static size_t differs_at(const unsigned char *block, size_t from, size_t bytes, unsigned char value)
{
	for (; from < bytes; from++)
		if (block[from] != value)
			return from;
	return bytes;
}

/*
 * Fills memory and frees it, so that the next block would show old contents if it were not cleared.
 */
static void leave_dirt(size_t size)
{
	void *blocks[8];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = mallocx(opaque_size(size), 0);
		REQUIRE(blocks[i]);
		memset(blocks[i], 0xd1, sallocx(blocks[i], 0));
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		dallocx(blocks[i], 0);
}

static void one_library_has_them_all(void)
{
	static const char *const names[] = {
		"mallocx", "rallocx", "xallocx", "sallocx", "dallocx", "sdallocx", "nallocx",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!strcmp(library_of(names[i]), library_of("malloc")), "; %s is in %s",
		      names[i], library_of(names[i]));
}

static void check_block(size_t size, int flags, size_t align)
{
	size_t real = nallocx(size, flags);
	unsigned char *block = mallocx(opaque_size(size), flags);

	REQUIRE(block);
	CHECK(is_aligned(block, align), "; %zu, %#x", size, (unsigned int)flags);
	CHECK(real >= size && sallocx(block, flags) >= real, "; %zu: %zu of %zu", size,
	      sallocx(block, flags), real);
	CHECK(malloc_usable_size(block) == sallocx(block, 0));
	CHECK(is_hardened() ? real == size : real <= 2 * max_size(size, align) + 16, "; %zu: %zu",
	      size, real);
	CHECK(!sizes_are_exact() || sallocx(block, 0) == size, "; %zu", size);
	if (flags & MALLOCX_ZERO)
		CHECK(differs_at(block, 0, sallocx(block, 0), 0) == sallocx(block, 0), "; %zu",
		      size);
	memset(block, 0x77, real);	/* all of it is the program's */
	sdallocx(block, size, flags);
}

static void blocks_are_as_was_asked(void)
{
	const int others = MALLOCX_TCACHE_NONE | MALLOCX_ARENA(3);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned int lg = 0; lg <= LG_ALIGN_MAX; lg += 4)
			for (unsigned int flavour = 0; flavour < 4; flavour++) {
				int flags = MALLOCX_LG_ALIGN(lg);

				flags |= flavour & 1 ? MALLOCX_ZERO : 0;
				flags |= flavour & 2 ? others : 0;
				if (flags & MALLOCX_ZERO)
					leave_dirt(sizes[i]);
				check_block(sizes[i], flags, (size_t)1 << lg);
			}
}

/*
 * nallocx() of its own result is the same number, so a program may ask for it. The result grows
 * with the size.
 */
static void nallocx_says_a_real_size(void)
{
	size_t last = 0, real;

	for (size_t size = 1; size < 6 * MIB; size += size / 37 + 1) {
		real = nallocx(size, 0);
		CHECK(nallocx(real, 0) == real && real >= last, "; %zu: %zu", size, real);
		last = real;
	}
	CHECK(nallocx(100, MALLOCX_ALIGN(4096)) >= 100);
	errno = KEPT_ERRNO;
	CHECK(!nallocx((size_t)PTRDIFF_MAX + 1, 0) && !nallocx(SIZE_MAX, MALLOCX_ZERO));
	CHECK(!nallocx(1, MALLOCX_LG_ALIGN(63)) && nallocx(PTRDIFF_MAX / 2, 0));
	CHECK(errno == KEPT_ERRNO, "; %d", errno);
}

/* jemalloc leaves it undefined; programs do it all the same. */
static void no_bytes_are_one(void)
{
	char *block = mallocx(opaque_size(0), MALLOCX_ZERO);

	REQUIRE(block && nallocx(0, 0) == nallocx(1, 0) && sallocx(block, 0) >= 1 && !*block);
	*block = 'x';
	block = rallocx(block, opaque_size(0), 0);
	REQUIRE(block && *block == 'x');
	CHECK(xallocx(block, 0, 0, 0) >= 1 && *block == 'x');
	sdallocx(block, 0, 0);
	dallocx(NULL, 0);
	sdallocx(NULL, 10, 0);
	CHECK(!sallocx(NULL, 0) && !xallocx(NULL, 10, 10, 0));
	block = rallocx(NULL, 100, MALLOCX_ZERO);
	CHECK(block && differs_at((unsigned char *)block, 0, 100, 0) == 100);
	free(block);
}

static void too_much_is_refused(void)
{
	static const size_t wrong[] = { (size_t)PTRDIFF_MAX + 1, SIZE_MAX, SIZE_MAX - 4096,
					(size_t)PTRDIFF_MAX, (size_t)1 << 60 };
	unsigned char *block = mallocx(100, 0);

	REQUIRE(block);
	memset(block, 3, 100);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		for (int flags = 0; flags <= MALLOCX_ZERO; flags += MALLOCX_ZERO / 2 + 1) {
			errno = 0;
			CHECK(!mallocx(opaque_size(wrong[i]), flags) && errno == ENOMEM);
			errno = 0;
			CHECK(!rallocx(block, opaque_size(wrong[i]), flags) && errno == ENOMEM);
			errno = KEPT_ERRNO;
			CHECK(xallocx(block, wrong[i], 0, flags) == sallocx(block, 0) &&
			      xallocx(block, 100, wrong[i], flags) == sallocx(block, 0) &&
			      errno == KEPT_ERRNO, "; %d", errno);
		}
	CHECK(!mallocx(1, MALLOCX_LG_ALIGN(63)) && !mallocx(1, MALLOCX_LG_ALIGN(62)));
	CHECK(differs_at(block, 0, 100, 3) == 100);
	dallocx(block, 0);
}

static void errno_is_left_alone(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *block;

		errno = KEPT_ERRNO;
		block = mallocx(sizes[i], MALLOCX_ZERO);
		block = rallocx(block, 2 * sizes[i], MALLOCX_ALIGN(64));
		xallocx(block, 3 * sizes[i], sizes[i], 0);
		block = rallocx(block, sizes[i] / 2 + 1, 0);
		sallocx(block, 0);
		dallocx(block, 0);
		CHECK(errno == KEPT_ERRNO, "; %zu: %d", sizes[i], errno);
	}
}

/* Both families take each other's blocks. */
static void families_mix(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i];

		dallocx(malloc(size), 0);
		sdallocx(malloc(size), size, 0);
		sdallocx(calloc(1, size), size, MALLOCX_TCACHE_NONE);
		sdallocx(aligned_alloc(256, size), size, MALLOCX_ALIGN(256));
		free(mallocx(size, 0));
		free(rallocx(malloc(size), size + 100, 0));
		dallocx(realloc(mallocx(size, 0), size + 100), 0);
		sdallocx(mallocx(size, 0), nallocx(size, 0), 0);
		sdallocx(rallocx(mallocx(1, 0), size, 0), size, 0);
	}
}

/* --- Against a model -------------------------------------------------------------------------- */

struct slot {
	unsigned char *block;
	size_t size;		/* asked for last; or xallocx()'s result */
	size_t real;
	unsigned char value;	/* of all its bytes up to real */
};

static uint64_t random_state = 88172645463325252u;

static size_t random_number(size_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/*
 * A new mapping also gets the rest of a freed one behind it, if the rest is too small to be kept.
 */
static size_t most_real(size_t bytes)
{
	size_t real = max_size(nallocx(bytes, 0), whole_pages(bytes));

	return real > REST_KEPT_MIN ? real + REST_KEPT_MIN : real;
}

static size_t random_size(void)
{
	switch (random_number(16)) {
	case 0:
		return random_number(LARGE_MAX) + 1;
	case 1:
	case 2:
		return random_number(200 * KIB) + 1;
	default:
		return random_number(SMALL_MAX) + 1;
	}
}

static int random_flags(void)
{
	int flags = random_number(2) ? MALLOCX_LG_ALIGN(random_number(LG_ALIGN_MAX + 1)) : 0;

	flags |= random_number(2) ? MALLOCX_ZERO : 0;
	return flags | (random_number(2) ? MALLOCX_TCACHE(5) : 0);
}

/* The ends, and some of what is between. */
static void check_value(const struct slot *slot, size_t from, size_t to, unsigned char value)
{
	size_t step = (to - from) / 256 + 1;

	for (size_t i = from; i < to; i += step)
		if (!CHECK(slot->block[i] == value, "; byte %zu of %zu: %u, not %u", i, to,
			   slot->block[i], value))
			return;
	if (to > from)
		CHECK(slot->block[to - 1] == value, "; the last of %zu: %u", to,
		      slot->block[to - 1]);
}

/* After a call that left kept bytes of the old ones. */
static void settle(struct slot *slot, size_t kept, int flags, size_t size)
{
	size_t old_real = slot->real;

	slot->real = sallocx(slot->block, flags);
	slot->size = size;
	CHECK(slot->real >= size && is_aligned(slot->block, (size_t)1 << (flags & 63)));
	check_value(slot, 0, kept, slot->value);
	if (flags & MALLOCX_ZERO && slot->real > old_real)
		check_value(slot, old_real, slot->real, 0);
	slot->value = (unsigned char)random_number(255) + 1;
	memset(slot->block, slot->value, slot->real);
}

static void make(struct slot *slot)
{
	size_t size = random_size();
	int flags = random_flags();

	slot->block = mallocx(size, flags);
	slot->real = 0;
	REQUIRE(slot->block);
	CHECK(sallocx(slot->block, 0) >= nallocx(size, flags));
	settle(slot, 0, flags, size);
}

static void reallocate(struct slot *slot)
{
	size_t size = random_number(2) ? random_size() : slot->size + random_number(slot->size + 1);
	int flags = random_flags();

	slot->block = rallocx(slot->block, size, flags);
	REQUIRE(slot->block);
	CHECK(sallocx(slot->block, 0) >= nallocx(size, flags));
	settle(slot, size < slot->real ? size : slot->real, flags, size);
}

static void resize_in_place(struct slot *slot)
{
	size_t old = slot->real, extra = random_number(3) ? 0 : random_number(MIB);
	size_t size = random_number(2) ? random_size() : old + random_number(old + 1);
	int flags = random_flags() & (MALLOCX_ZERO | MALLOCX_TCACHE(5));
	size_t real = xallocx(slot->block, size, extra, flags);

	CHECK(real == sallocx(slot->block, 0), "; %zu", real);
	CHECK(real <= max_size(old, most_real(size + extra)), "; %zu: %zu + %zu gave %zu", old,
	      size, extra, real);
	CHECK(!sizes_are_exact() || real == old || real == size || real == size + extra);
	settle(slot, min_size(min_size(old, real), size + extra), flags, min_size(real, size));
	/* A sized free must name one of two sizes; without the option either is accepted. */
	slot->size = is_hardened() ? real : slot->size;
}

static void unmake(struct slot *slot)
{
	check_value(slot, 0, slot->real, slot->value);
	if (random_number(2))
		sdallocx(slot->block, slot->size, 0);
	else
		dallocx(slot->block, 0);
	slot->block = NULL;
}

static void run_model(size_t nr_steps)
{
	static struct slot slots[NR_SLOTS];

	for (size_t step = 0; step < nr_steps; step++) {
		struct slot *slot = &slots[random_number(NR_SLOTS)];

		if (!slot->block)
			make(slot);
		else if (random_number(3) == 0)
			unmake(slot);
		else if (random_number(2))
			reallocate(slot);
		else
			resize_in_place(slot);
	}
	for (size_t i = 0; i < NR_SLOTS; i++)
		if (slots[i].block)
			unmake(&slots[i]);
}

static void all_agree_with_a_model(void)
{
	run_model(NR_STEPS / test_divisor());
}

/* --- In place --------------------------------------------------------------------------------- */

static void mappings_are_cut_in_place(void)
{
	unsigned char *block = mallocx(32 * MIB, 0);
	size_t before, real;

	REQUIRE(block);
	memset(block, 1, 32 * MIB);
	before = resident_bytes();
	real = xallocx(block, 16 * MIB, 0, 0);
	CHECK(real >= 16 * MIB && real < 17 * MIB && sallocx(block, 0) == real, "; %zu", real);
	CHECK(resident_bytes() < before - 15 * MIB);
	CHECK(differs_at(block, 0, 16 * MIB, 1) == 16 * MIB);
	/* Behind it there is room now. With guard pages there is none. */
	real = xallocx(block, 16 * MIB + 1, 8 * MIB, MALLOCX_ZERO);
	if (is_hardened() || skip_with("limit=", "mappings are counted"))
		CHECK(real >= 16 * MIB);
	else
		CHECK(real >= 24 * MIB && differs_at(block, 16 * MIB + 4096, real, 0) == real,
		      "; %zu", real);
	CHECK(differs_at(block, 0, 16 * MIB, 1) == 16 * MIB);
	dallocx(block, 0);
}

/* --- Every option ----------------------------------------------------------------------------- */

static int run_all(void)
{
	blocks_are_as_was_asked();
	no_bytes_are_one();
	families_mix();
	run_model(NR_STEPS / 10 / test_divisor());
	errno_is_left_alone();
	mappings_are_cut_in_place();
	return harness_status();
}

static void options_change_nothing(void)
{
	static const char *const options[] = {
		"hardened=1", "slab_debug=FZPU", "slab_debug=FZPU:hardened=1", "kfence_sample=1",
		"kfence_sample=1:hardened=1", "profile=64K", "profile=64K:hardened=1",
		"init_on_free=1", "slab_cpu_cache=slab",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--all", options[i]);
}

/* --- Misuse ----------------------------------------------------------------------------------- */

static int free_with_wrong_size(void)
{
	sdallocx(mallocx(100, 0), opaque_size(60), 0);
	return 0;
}

static int free_with_large_size(void)
{
	sdallocx(mallocx(100000, 0), opaque_size(200000), 0);
	return 0;
}

static int free_twice(void)
{
	void *block = mallocx(100, 0);

	dallocx(block, 0);
	dallocx(opaque(block), 0);
	return 0;
}

static int free_inside(void)
{
	dallocx((char *)opaque(mallocx(100000, 0)) + 64, 0);
	return 0;
}

static int resize_inside(void)
{
	xallocx((char *)opaque(mallocx(100000, 0)) + 64, 1000, 0, 0);
	return 0;
}

static const struct mistake {
	const char *name, *options, *told;
	int (*make)(void);
} mistakes[] = {
	{ "--wrong-size", "hardened=1", "wrong size", free_with_wrong_size },
	{ "--large-size", "", "wrong size", free_with_large_size },
	{ "--twice", "", "double free", free_twice },
	{ "--inside", "", "invalid pointer", free_inside },
	{ "--resize-inside", "", "invalid pointer", resize_inside },
};

static void mistakes_are_told(void)
{
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct child_again again = { mistakes[i].name, NULL, mistakes[i].options, 0 };

		child_run(&result, child_exec_again, &again);
		CHECK(child_died_by(result.status, SIGABRT) &&
		      strstr(result.err, mistakes[i].told), "; %s: %#x, %s", mistakes[i].name,
		      (unsigned int)result.status, result.err);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "one_library_has_them_all", one_library_has_them_all, true },
		{ "blocks_are_as_was_asked", blocks_are_as_was_asked, true },
		{ "nallocx_says_a_real_size", nallocx_says_a_real_size, true },
		{ "no_bytes_are_one", no_bytes_are_one, true },
		{ "too_much_is_refused", too_much_is_refused, true },
		{ "errno_is_left_alone", errno_is_left_alone, true },
		{ "families_mix", families_mix, true },
		{ "all_agree_with_a_model", all_agree_with_a_model, true },
		{ "mappings_are_cut_in_place", mappings_are_cut_in_place, true },
		{ "options_change_nothing", options_change_nothing, true },
		{ "mistakes_are_told", mistakes_are_told, true },
	};
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "--all"))
		return run_all();
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(mode, mistakes[i].name))
			return mistakes[i].make();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
