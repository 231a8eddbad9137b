/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1: each mistake ends the process with one line that says what was done
 * to which block, or with a SIGSEGV where there are guard pages; and whoever makes none
 * notices nothing. Every trial is this program again, with the option.
 */
#include "child.h"

#include <dlfcn.h>
#include <malloc.h>

#include "locked.h"
#include "support/prng.h"

/* A mistake is made with a block of this size. */
static size_t size;

static char *block_of_size(void)
{
	return opaque(malloc(opaque_size(size)));
}

/* Until what was freed before has been handed out again, or looked at. */
static void reuse_all(void)
{
	static void *blocks[2000];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(opaque(malloc(opaque_size(size))));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = malloc(opaque_size(size));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

static void overflow_by_a_zero(void)
{
	char *block = block_of_size();

	block[size] = 0;
	free(block);
}

/* One bit is another one than before, whatever was there. */
static void overflow_by_a_bit(void)
{
	char *block = block_of_size();

	block[size] ^= 0x40;
	free(block);
}

static void overflow_by_eight(void)
{
	char *block = block_of_size();

	memset(block + size, 0, 8);
	free(block);
}

static void overflow_found_by_realloc(void)
{
	char *block = block_of_size();

	block[size] = 0;
	block = realloc(block, opaque_size(size + 1));
}

static void overflow_found_by_usable_size(void)
{
	char *block = block_of_size();

	block[size] = 0;
	malloc_usable_size(block);
}

static void overflow_of_resized(void)
{
	char *block = opaque(realloc(block_of_size(), opaque_size(size - 1)));

	block[size - 1] = 0;
	free(block);
}

static void overflow_of_cleared(void)
{
	char *block = opaque(calloc(1, opaque_size(size)));

	block[size] = 0;
	free(block);
}

static void overflow_of_aligned(void)
{
	char *block = opaque(aligned_alloc(64, opaque_size(size)));

	CHECK((uintptr_t)block % 64 == 0);
	block[size] = 0;
	free(block);
}

static void write_after_free_first(void)
{
	char *block = block_of_size();

	free(block);
	*block = 1;
	reuse_all();
}

static void write_after_free_last(void)
{
	char *block = block_of_size();

	free(block);
	block[size - 1] = 1;
	reuse_all();
}

static void free_twice(void)
{
	char *block = block_of_size();

	free(block);
	free(opaque(block));
}

static void free_a_b_a(void)
{
	char *a = block_of_size(), *b = block_of_size();

	free(a);
	free(b);
	free(opaque(a));
}

/* Fewer others than the quarantine has room for. */
static void free_later(void)
{
	char *block = block_of_size();

	free(block);
	for (unsigned int i = 0; i < 10; i++)
		free(block_of_size());
	free(opaque(block));
}

static void resize_freed(void)
{
	char *block = block_of_size();

	free(block);
	block = realloc(opaque(block), opaque_size(size + 100));
}

static void size_of_freed(void)
{
	char *block = block_of_size();

	free(block);
	malloc_usable_size(opaque(block));
}

static void free_inside(void)
{
	free(opaque(block_of_size() + 1));
}

static void call_sized(const char *name, void *block, size_t wrong)
{
	void (*sized)(void *, size_t) = (void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT,
										 name);

	if (!sized)		/* a library without C++ */
		sized = (void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "free_sized");
	REQUIRE(sized);
	sized(block, wrong);
}

static void free_with_more(void)
{
	call_sized("free_sized", block_of_size(), size + 1);
}

static void free_with_less(void)
{
	call_sized("free_sized", block_of_size(), size - 1);
}

static void delete_with_less(void)
{
	call_sized("_ZdlPvm", block_of_size(), size - 1);
}

/* --- Blocks with guard pages --------------------------------------------------------- */

static void touch_page_behind(void)
{
	char *block = block_of_size();

	block[(size + 4095) & ~4095UL] = 1;
}

static void touch_in_front(void)
{
	block_of_size()[-1] = 1;
}

static void read_after_free(void)
{
	volatile char *block = block_of_size(), byte;

	*block = 1;
	free((void *)block);
	byte = *block;
	CHECK(byte == 1);
}

/* --- Trials ------------------------------------------------------------------------------ */

struct mistake {
	const char *name, *text;	/* NULL: SIGSEGV */
	void (*make)(void);
	bool at_large, at_small;
};

#define MISTAKE(function, text, at_large, at_small) \
	{ #function, text, function, at_large, at_small }

static const struct mistake mistakes[] = {
	MISTAKE(overflow_by_a_zero, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_by_a_bit, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_by_eight, "heap overflow: ", true, true),
	MISTAKE(overflow_found_by_realloc, "realloc(", true, true),
	MISTAKE(overflow_found_by_usable_size, "malloc_usable_size(", false, true),
	MISTAKE(overflow_of_resized, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_of_cleared, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_of_aligned, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(write_after_free_first, "write after free: byte 0 of ", false, true),
	MISTAKE(write_after_free_last, "write after free: byte ", false, true),
	MISTAKE(free_twice, "double free", true, true),
	MISTAKE(free_a_b_a, "double free", true, true),
	MISTAKE(free_later, "double free", true, true),
	MISTAKE(resize_freed, "double free", true, true),
	MISTAKE(size_of_freed, "double free", true, true),
	MISTAKE(free_inside, "1 bytes inside ", true, true),
	MISTAKE(free_with_more, "wrong size: the block was allocated with ", true, true),
	MISTAKE(free_with_less, "wrong size: the block was allocated with ", true, true),
	MISTAKE(delete_with_less, "wrong size: the block was allocated with ", true, true),
	MISTAKE(touch_page_behind, NULL, true, false),
	MISTAKE(touch_in_front, NULL, true, false),
	MISTAKE(read_after_free, NULL, true, false),
};

static int make_mistake(const char *what)
{
	char name[64];

	REQUIRE(sscanf(what, "%63[^,],%zu", name, &size) == 2);
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(mistakes[i].name, name))
			mistakes[i].make();
	return 0;
}

static void try(const struct mistake *mistake, size_t bytes)
{
	struct child_again again = { "--mistake", NULL, "hardened=1", 0 };
	struct child_result result;
	char what[96];

	snprintf(what, sizeof(what), "%s,%zu", mistake->name, bytes);
	again.arg = what;
	child_run(&result, child_exec_again, &again);
	if (!mistake->text) {
		CHECK(child_died_by(result.status, SIGSEGV), "; %s: wait status %#x %s", what,
		      result.status, result.err);
		return;
	}
	CHECK(child_died_by(result.status, SIGABRT), "; %s: wait status %#x %s", what,
	      result.status, result.err);
	CHECK(strstr(result.err, mistake->text) && count_lines(result.err) == 1, "; %s: %s", what,
	      result.err);
}

static void small_blocks(void)
{
	/* With a fence of 0, 1, 7, 8, 9 and more bytes; the last one leaves room for the seal. */
	static const size_t sizes[] = { 8, 24, 71, 65, 64, 63, 100, 1016, 3000, 32760 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; mistakes[i].at_small && k < ARRAY_SIZE(sizes); k++)
			try(&mistakes[i], sizes[k]);
}

static void large_blocks(void)
{
	static const size_t sizes[] = { 32800, 40 * KIB - 9, 300001, 9000001 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; mistakes[i].at_large && k < ARRAY_SIZE(sizes); k++)
			try(&mistakes[i], sizes[k]);
}

/* --- Programs without mistakes ----------------------------------------------------------- */

struct held {
	unsigned char *block;
	size_t size;
	unsigned char byte;
};

static void check_content(const struct held *held)
{
	for (size_t k = 0; held->block && k < held->size; k += 1 + held->size / 50)
		REQUIRE(held->block[k] == held->byte);
}

static void make_one(struct prng *prng, struct held *held, size_t bytes)
{
	if (held->block) {
		held->block = realloc(held->block, bytes);
	} else if (prng_one_in(prng, 3)) {
		held->block = aligned_alloc(16UL << prng_below(prng, 10), bytes);
	} else {
		held->block = calloc(1, bytes);
		for (size_t k = 0; held->block && k < bytes; k++)
			REQUIRE(!held->block[k]);
	}
	REQUIRE(held->block != NULL);
	REQUIRE(malloc_usable_size(held->block) == bytes);
}

static int behave(void)
{
	static struct held held[200];
	struct prng prng = { 3 };

	for (unsigned int step = 0; step < 20000; step++) {
		struct held *one = &held[prng_below(&prng, ARRAY_SIZE(held))];

		check_content(one);
		if (one->block && prng_one_in(&prng, 2)) {
			call_sized("free_sized", one->block, one->size);
			one->block = NULL;
			continue;
		}
		one->size = 1 + prng_below(&prng, 1UL << prng_range(&prng, 1, 17));
		make_one(&prng, one, one->size);
		one->byte = (unsigned char)step;
		memset(one->block, one->byte, one->size);
	}
	return harness_status();
}

/* What was freed stays away for as many frees as half of a quarantine holds, at least. */
static int wait_for_reuse(void)
{
	static const size_t sizes[] = { 16, 100, 500 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int delays[200], differ = 0;

		for (size_t trial = 0; trial < ARRAY_SIZE(delays); trial++) {
			void *first = opaque(malloc(sizes[i])), *next = NULL;

			free(first);
			for (delays[trial] = 0; next != first && delays[trial] < 100000;
			     delays[trial]++) {
				next = opaque(malloc(sizes[i]));
				free(next);
			}
			CHECK(delays[trial] >= 30, "; %u of %zu bytes", delays[trial], sizes[i]);
			differ += trial && delays[trial] != delays[trial - 1];
		}
		CHECK(differ > ARRAY_SIZE(delays) / 2, "; %u of %zu bytes", differ, sizes[i]);
	}
	return harness_status();
}

/* Neighbours in time are hardly ever neighbours in memory. */
static int look_at_places(void)
{
	unsigned int in_order = 0;
	char *last = NULL;

	for (unsigned int i = 0; i < 1000; i++) {
		char *next = opaque(malloc(40));

		in_order += next - last == 48;
		last = next;
	}
	CHECK(in_order < 60, "; %u", in_order);
	return harness_status();
}

/* More blocks than there may be mappings: the rest has no guards. */
static int hold_many(void)
{
	static void *blocks[40000];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(33000);
		REQUIRE(blocks[i]);
		*(char *)blocks[i] = 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	return harness_status();
}

static void expect_quiet(const char *mode, const char *options)
{
	struct child_again again = { mode, NULL, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s %s: wait status %#x %s", mode,
	      options, result.status, result.err);
}

static void good_programs_notice_nothing(void)
{
	expect_quiet("--behave", "hardened=1");
	expect_quiet("--behave", "hardened=1:init_on_alloc=1:init_on_free=1");
	expect_quiet("--behave", "hardened=1:slab_stats=1");
	expect_quiet("--behave", "hardened=1:page_poison=1");
	expect_quiet("--behave", "hardened=1:limit=256M");
}

static void debugging_goes_first(void)
{
	struct child_again again = {
		"--mistake", "overflow_by_a_zero,60", "hardened=1:slab_debug=FZU,malloc-80", 0
	};
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && strstr(result.err, "[kmalloc Redzone overwritten]"),
	      "; wait status %#x %s", result.status, result.err);
}

static void mistakes_and_none(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (mistakes[i].at_small)
			try(&mistakes[i], 100);
		if (mistakes[i].at_large)
			try(&mistakes[i], 300001);
	}
	expect_quiet("--behave", "hardened=1");
}

/* What may not be taken back, nor be without memory, is cleared and cannot be touched. */
static void in_locked_memory(void)
{
	check_in_locked_memory(mistakes_and_none);
}

static void reuse_is_delayed_and_random(void)
{
	expect_quiet("--wait", "hardened=1");
}

static void places_are_random(void)
{
	expect_quiet("--places", "hardened=1");
}

static void many_large_blocks(void)
{
	expect_quiet("--many", "hardened=1");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "small_blocks", small_blocks, true },
		{ "large_blocks", large_blocks, true },
		{ "good_programs_notice_nothing", good_programs_notice_nothing, true },
		{ "in_locked_memory", in_locked_memory, true },
		{ "debugging_goes_first", debugging_goes_first, true },
		{ "reuse_is_delayed_and_random", reuse_is_delayed_and_random, true },
		{ "places_are_random", places_are_random, true },
		{ "many_large_blocks", many_large_blocks, true },
	};
	static const struct {
		const char *mode;
		int (*run)(void);
	} modes[] = {
		{ "--behave", behave }, { "--wait", wait_for_reuse },
		{ "--places", look_at_places }, { "--many", hold_many },
	};

	lock_memory_if_told();
	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(argv[2]);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].mode))
			return modes[i].run();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
