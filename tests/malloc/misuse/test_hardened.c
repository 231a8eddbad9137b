/* SPDX-License-Identifier: MIT */
/*
 * malloc with hardened=1: each mistake ends the process with one line that says what was done
 * to which block, or with a SIGSEGV where there are guard pages; and a correct program notices
 * nothing. Every trial is this program again, with the option.
 */
#include <dlfcn.h>

#include "behave.h"
#include "locked.h"
#include "mistakes.h"

static char *block_of(size_t size)
{
	return opaque(malloc(opaque_size(size)));
}

/*
 * Allocates and frees until the blocks that were freed before have been handed out again, or
 * checked.
 */
static void reuse_all(size_t size)
{
	static void *blocks[2000];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(opaque(malloc(opaque_size(size))));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = malloc(opaque_size(size));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

static void overflow_by_a_zero(size_t size)
{
	char *block = block_of(size);

	block[size] = 0;
	free(block);
}

/* Changes one bit, whatever its value. */
static void overflow_by_a_bit(size_t size)
{
	char *block = block_of(size);

	block[size] ^= 0x40;
	free(block);
}

static void overflow_by_eight(size_t size)
{
	char *block = block_of(size);

	memset(block + size, 0, 8);
	free(block);
}

/* For most sizes this clears the whole object, so that it looks free. */
static void overflow_of_all(size_t size)
{
	char *block = block_of(size);

	memset(block, 0, (size + 8 + 15) & ~15UL);
	free(block);
}

static void overflow_found_by_realloc(size_t size)
{
	char *block = block_of(size);

	block[size] = 0;
	block = realloc(block, opaque_size(size + 1));
}

static void overflow_found_by_usable_size(size_t size)
{
	char *block = block_of(size);

	block[size] = 0;
	malloc_usable_size(block);
}

static void overflow_of_resized(size_t size)
{
	char *block = opaque(realloc(block_of(size), opaque_size(size - 1)));

	block[size - 1] = 0;
	free(block);
}

static void overflow_of_cleared(size_t size)
{
	char *block = opaque(calloc(1, opaque_size(size)));

	block[size] = 0;
	free(block);
}

static void overflow_of_aligned(size_t size)
{
	char *block = opaque(aligned_alloc(64, opaque_size(size)));

	CHECK((uintptr_t)block % 64 == 0);
	block[size] = 0;
	free(block);
}

static void write_after_free_first(size_t size)
{
	char *block = block_of(size);

	free(block);
	*block = 1;
	reuse_all(size);
}

static void write_after_free_last(size_t size)
{
	char *block = block_of(size);

	free(block);
	block[size - 1] = 1;
	reuse_all(size);
}

/* It goes into its slab, which has others in use, before it is handed out again. */
static void write_after_free_before_trim(size_t size)
{
	static char *blocks[600];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = block_of(size);
	free(blocks[1]);
	blocks[1][size - 1] = 1;
	for (size_t i = 2; i < ARRAY_SIZE(blocks); i++)
		if (i % 4)
			free(blocks[i]);
	malloc_trim(0);
	reuse_all(size);
}

static void free_twice(size_t size)
{
	char *block = block_of(size);

	free(block);
	free(opaque(block));
}

static void free_twice_and_write_between(size_t size)
{
	char *block = block_of(size);

	free(block);
	*(char *)opaque(block) = 1;
	free(opaque(block));
}

static void free_a_b_a(size_t size)
{
	char *a = block_of(size), *b = block_of(size);

	free(a);
	free(b);
	free(opaque(a));
}

/* Fewer others than the quarantine has room for. */
static void free_later(size_t size)
{
	char *block = block_of(size);

	free(block);
	for (unsigned int i = 0; i < 10; i++)
		free(block_of(size));
	free(opaque(block));
}

static void resize_freed(size_t size)
{
	char *block = block_of(size);

	free(block);
	block = realloc(opaque(block), opaque_size(size + 100));
}

static void size_of_freed(size_t size)
{
	char *block = block_of(size);

	free(block);
	malloc_usable_size(opaque(block));
}

static void free_inside(size_t size)
{
	free(opaque(block_of(size) + 1));
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

static void free_sized_inside(size_t size)
{
	call_sized("free_sized", opaque(block_of(size) + 1), size);
}

/* The rest of the last page belongs to the block, too. */
static void free_behind(size_t size)
{
	free(opaque(block_of(size) + size));
}

static void free_with_more(size_t size)
{
	call_sized("free_sized", block_of(size), size + 1);
}

static void free_with_less(size_t size)
{
	call_sized("free_sized", block_of(size), size - 1);
}

static void delete_with_less(size_t size)
{
	call_sized("_ZdlPvm", block_of(size), size - 1);
}

/* --- Blocks with guard pages --------------------------------------------------------- */

static void touch_page_behind(size_t size)
{
	char *block = block_of(size);

	block[(size + 4095) & ~4095UL] = 1;
}

static void touch_in_front(size_t size)
{
	block_of(size)[-1] = 1;
}

static void read_after_free(size_t size)
{
	volatile char *block = block_of(size), byte;

	*block = 1;
	free((void *)block);
	byte = *block;
	CHECK(byte == 1);
}

/* --- Trials ------------------------------------------------------------------------------ */

#define CALLED "; called from /"
#define MISTAKE(function, text, at_large, at_small) \
	{ #function, (text) ? SIGABRT : SIGSEGV, { text, (text) ? CALLED : NULL }, function, \
	  at_large, at_small }
/* The allocation that finds the damage is not to blame. */
#define LATE_MISTAKE(function, text) \
	{ #function, SIGABRT, { text }, function, false, true }

static const struct mistake mistakes[] = {
	MISTAKE(overflow_by_a_zero, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_by_a_bit, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_by_eight, "heap overflow: ", true, true),
	MISTAKE(overflow_of_all, "heap overflow: ", false, true),
	MISTAKE(overflow_found_by_realloc, "realloc(", true, true),
	MISTAKE(overflow_found_by_usable_size, "malloc_usable_size(", false, true),
	MISTAKE(overflow_of_resized, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_of_cleared, "heap overflow: byte 0 behind the ", true, true),
	MISTAKE(overflow_of_aligned, "heap overflow: byte 0 behind the ", true, true),
	LATE_MISTAKE(write_after_free_first, "write after free: byte 0 of "),
	LATE_MISTAKE(write_after_free_last, "write after free: byte "),
	LATE_MISTAKE(write_after_free_before_trim, "write after free: byte "),
	MISTAKE(free_twice, "double free", true, true),
	MISTAKE(free_twice_and_write_between, "already free: double free", false, true),
	MISTAKE(free_a_b_a, "double free", true, true),
	MISTAKE(free_later, "double free", true, true),
	MISTAKE(resize_freed, "double free", true, true),
	MISTAKE(size_of_freed, "double free", true, true),
	MISTAKE(free_inside, "1 bytes inside ", true, true),
	MISTAKE(free_sized_inside, "1 bytes inside ", true, true),
	MISTAKE(free_behind, " bytes inside a mapping of ", true, false),
	MISTAKE(free_with_more, "wrong size: the block was allocated with ", true, true),
	MISTAKE(free_with_less, "wrong size: the block was allocated with ", true, true),
	MISTAKE(delete_with_less, "wrong size: the block was allocated with ", true, true),
	MISTAKE(touch_page_behind, NULL, true, false),
	MISTAKE(touch_in_front, NULL, true, false),
	MISTAKE(read_after_free, NULL, true, false),
};

static void small_blocks(void)
{
	/* With a fence of 0, 1, 7, 8, 9 and more bytes; the last one leaves room for the seal. */
	static const size_t sizes[] = { 8, 24, 71, 65, 64, 63, 100, 280, 1016, 3000, 32760 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; mistakes[i].at_small && k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "hardened=1", 1);
}

static void large_blocks(void)
{
	static const size_t sizes[] = { 32800, 40 * KIB - 9, 300001, 9000001 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; mistakes[i].at_large && k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "hardened=1", 1);
}

/* --- Programs without mistakes ----------------------------------------------------------- */

static void free_by_size(void *block, size_t size)
{
	call_sized("free_sized", block, size);
}

static int run_well(void)
{
	static const struct behaviour behaviour = {
		.seed = 3, .steps = 20000, .size_bits = 17, .align_bits = 10,
		.sizes_are_exact = true, .release = free_by_size,
	};

	behave(&behaviour);
	return harness_status();
}

/*
 * A freed block is not handed out again for at least as many frees as half a quarantine has places.
 */
static int wait_for_reuse(void)
{
	static const struct {
		size_t bytes;
		unsigned int stay;
	} sizes[] = { { 16, 128 }, { 100, 128 }, { 250, 64 }, { 500, 64 }, { 700, 32 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int delays[200], differ = 0;
		size_t bytes = sizes[i].bytes;

		for (size_t trial = 0; trial < ARRAY_SIZE(delays); trial++) {
			void *first = opaque(malloc(bytes)), *next = NULL;

			free(first);
			for (delays[trial] = 0; next != first && delays[trial] < 100000;
			     delays[trial]++) {
				next = opaque(malloc(bytes));
				free(next);
			}
			CHECK(delays[trial] >= sizes[i].stay, "; %u of %zu bytes", delays[trial],
			      bytes);
			differ += trial && delays[trial] != delays[trial - 1];
		}
		CHECK(differ > ARRAY_SIZE(delays) / 2, "; %u of %zu bytes", differ, bytes);
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

#define LATE_BLOCKS 4000

/* Most of them lie in barns when the process ends. */
static int write_late(const char *which)
{
	static char *blocks[LATE_BLOCKS];

	for (unsigned int round = 0; round < 50; round++) {
		for (size_t i = 0; i < LATE_BLOCKS; i++)
			REQUIRE((blocks[i] = malloc(24)));
		for (size_t i = 0; i < LATE_BLOCKS; i++)
			free(blocks[i]);
	}
	*(volatile char *)(opaque(blocks[atoi(which)]) + 3) = 1;
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

static void good_programs_notice_nothing(void)
{
	child_expect_quiet("--behave", "hardened=1");
	child_expect_quiet("--behave", "hardened=1:init_on_alloc=1:init_on_free=1");
	child_expect_quiet("--behave", "hardened=1:slab_stats=1");
	child_expect_quiet("--behave", "hardened=1:page_poison=1");
	child_expect_quiet("--behave", "hardened=1:limit=256M");
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
	again.arg = "free_sized_inside,60";
	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && strstr(result.err, "Invalid object pointer"),
	      "; wait status %#x %s", result.status, result.err);
}

static void mistakes_and_none(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (mistakes[i].at_small)
			try_mistake(&mistakes[i], 100, "hardened=1", 1);
		if (mistakes[i].at_large)
			try_mistake(&mistakes[i], 300001, "hardened=1", 1);
	}
	child_expect_quiet("--behave", "hardened=1");
}

/* Locked memory, which cannot go back to the system, is cleared and made inaccessible. */
static void in_locked_memory(void)
{
	check_in_locked_memory(mistakes_and_none);
}

static void reuse_is_delayed_and_random(void)
{
	child_expect_quiet("--wait", "hardened=1");
}

static void places_are_random(void)
{
	child_expect_quiet("--places", "hardened=1");
}

static void expect_late_report(const char *which, const char *options)
{
	struct child_again again = { "--late", which, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGABRT &&
	      strstr(result.err, "write after free"),
	      "; block %s, %s: wait status %#x %s", which, options, result.status, result.err);
}

static void writes_are_told_at_exit(void)
{
	static const char *const which[] = { "0", "100", "1234", "2345", "3456", "3999" };

	for (size_t i = 0; i < ARRAY_SIZE(which); i++) {
		expect_late_report(which[i], "hardened=1");
		expect_late_report(which[i], "hardened=1:profile=1M");
	}
}

/* --- The next step ------------------------------------------------------------------- */

/* The option that the report names; an empty text if it names none. */
static void find_step(const char *report, const char *name, char *step, size_t size)
{
	const char *start = strstr(report, name);
	size_t length = start ? strcspn(start, " ;\n") : 0;

	snprintf(step, size, "%.*s", (int)length, start ? start : "");
}

/* With the option that a report names, the next report says more. */
static void expect_step(const char *mistake, const char *options, const char *name,
			const char *more)
{
	struct child_again again = { "--mistake", mistake, options, 0 };
	struct child_result result;
	char step[100], both[200];

	child_run(&result, child_exec_again, &again);
	find_step(result.err, name, step, sizeof(step));
	CHECK(*step && !strstr(result.err, more), "; %s, %s: %s", mistake, options, result.err);
	snprintf(both, sizeof(both), "%s:%s", options, step);
	again.options = both;
	child_run(&result, child_exec_again, &again);
	CHECK(strstr(result.err, more), "; %s, %s: %s", mistake, both, result.err);
}

/* The report names no option that is set already. */
static void expect_no_step(const char *mistake, const char *options, const char *name)
{
	struct child_again again = { "--mistake", mistake, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_died_by(result.status, SIGABRT) && !strstr(result.err, name),
	      "; %s, %s: wait status %#x %s", mistake, options, result.status, result.err);
}

/*
 * Without an unwinder the report has neither the caller nor a hint at an option that shows callers.
 */
#ifdef __GLIBC__
#define LAST_FREE "page last free pid "
#else
#define LAST_FREE "page_owner free stack trace missing"
#endif

static void next_steps_lead_on(void)
{
	static const char *const modes[] = { "hardened=1", "hardened=0" };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		expect_step("free_twice,100", modes[i], "slab_debug=", "Freed in ");
		expect_step("free_a_b_a,3000", modes[i], "slab_debug=", "Freed in ");
		expect_step("resize_freed,500", modes[i], "slab_debug=", "Freed in ");
		expect_step("size_of_freed,500", modes[i], "slab_debug=", "Freed in ");
	}
	expect_step("overflow_by_a_zero,100", "hardened=1", "slab_debug=", "Allocated in ");
	expect_step("overflow_by_eight,88", "hardened=1", "slab_debug=", "Allocated in ");
	expect_step("overflow_of_all,88", "hardened=1", "slab_debug=", "Allocated in ");
	expect_step("overflow_found_by_realloc,40", "hardened=1", "slab_debug=", "Allocated in ");
	expect_step("write_after_free_first,100", "hardened=1", "slab_debug=", "Freed in ");
	expect_step("write_after_free_last,3000", "hardened=1", "slab_debug=", "Freed in ");
	expect_step("free_twice,50000", "hardened=0", "page_owner=", LAST_FREE);
	expect_step("free_twice,50000", "hardened=0", "hardened=1", "which is already free");
	expect_step("free_twice,9000000", "hardened=0", "hardened=1", "which is already free");
	expect_no_step("free_twice,100", "slab_debug=U", "slab_debug=");
	expect_no_step("free_twice,50000", "page_owner=1", "page_owner=");
	expect_no_step("free_twice,100", "kfence_sample=1:hardened=1", "hardened=1");
}

static void many_large_blocks(void)
{
	child_expect_quiet("--many", "hardened=1");
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
		{ "writes_are_told_at_exit", writes_are_told_at_exit, true },
		{ "next_steps_lead_on", next_steps_lead_on, true },
		{ "many_large_blocks", many_large_blocks, true },
	};
	static const struct child_mode modes[] = {
		{ "--behave", run_well }, { "--wait", wait_for_reuse },
		{ "--places", look_at_places }, { "--many", hold_many },
	};
	const struct child_mode *mode = child_mode_of(argc, argv, modes, ARRAY_SIZE(modes));

	lock_memory_if_told();
	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--late"))
		return write_late(argv[2]);
	if (mode)
		return mode->run();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
