/* SPDX-License-Identifier: MIT */
/*
 * malloc with slab_debug=: a program's mistakes are reported, and the program goes on; a correct
 * program notices nothing. Every trial is this program again, with the option.
 */
#include "behave.h"
#include "child.h"

static void overflow(void)
{
	char *block = opaque(malloc(50));

	block[50] = 1;
	free(block);
}

static void underflow(void)
{
	char *block = opaque(malloc(50));

	block[-1] = 1;
	free(block);
}

static void write_after_free(void)
{
	char *block = opaque(malloc(300)), *kept = opaque(malloc(300));

	free(block);
	block[299] = 1;
	free(opaque(malloc(300)));
	free(kept);
}

static void free_twice(void)
{
	char *block = opaque(malloc(1000)), *kept = opaque(malloc(1000));

	free(block);
	free(opaque(block));
	free(kept);
}

static void free_inside(void)
{
	char *block = opaque(malloc(5000));

	free(opaque(block + 16));
	free(block);
}

static void resize_freed(void)
{
	char *block = opaque(malloc(100)), *kept = opaque(malloc(100));

	free(block);
	block = realloc(opaque(block), opaque_size(3000));
	free(kept);
}

static void resize_freed_in_place(void)
{
	char *block = opaque(malloc(100)), *kept = opaque(malloc(100));

	free(block);
	block = realloc(opaque(block), opaque_size(90));
	free(kept);
}

static void overflow_of_resized(void)
{
	char *block = opaque(realloc(opaque(malloc(40)), opaque_size(47)));

	block[47] = 1;
	free(block);
}

static void overflow_before_resizing(void)
{
	char *block = opaque(malloc(40));

	block[40] = 1;
	free(opaque(realloc(block, opaque_size(44))));
}

static void overflow_before_asking(void)
{
	char *block = opaque(malloc(40));

	block[40] = 1;
	CHECK(malloc_usable_size(block) >= 40);
	free(block);
}

/* The overflow reaches the words about the block, its size among them. */
static void overflow_far(void)
{
	char *block = opaque(malloc(50));

	memset(block, 0xff, 200);
	free(opaque(realloc(block, opaque_size(64 * MIB))));
}

static void overflow_of_cleared(void)
{
	char *block = opaque(calloc(opaque_size(3), 33));

	block[99] = 1;
	free(block);
}

static void overflow_of_aligned(void)
{
	char *block = opaque(aligned_alloc(256, opaque_size(700)));

	CHECK((uintptr_t)block % 256 == 0);
	block[700] = 1;
	free(block);
}

/* Wherever in a free object the link to the next one is. */
static void write_to_link(void)
{
	char *blocks[3];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = opaque(malloc(64));
	free(blocks[0]);
	free(blocks[1]);
	memset(blocks[1], 0x41, 64);
	for (size_t i = 0; i < 2; i++) {
		blocks[i] = opaque(malloc(64));
		memset(blocks[i], 1, 64);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
}

/* Of a slab that has no other. */
static void free_only_one_twice(void)
{
	char *block = opaque(malloc(10000));

	free(block);
	free(opaque(block));
}

static void size_of_freed(void)
{
	char *block = opaque(malloc(200)), *kept = opaque(malloc(200));

	free(block);
	CHECK(malloc_usable_size(opaque(block)) == 0);
	free(kept);
}

static void size_inside(void)
{
	char *block = opaque(malloc(200));

	CHECK(malloc_usable_size(opaque(block + 8)) == 0);
	free(block);
}

struct mistake {
	const char *name, *text;
	void (*make)(void);
};

static const struct mistake mistakes[] = {
	{ "overflow", "[kmalloc Redzone overwritten]", overflow },
	{ "underflow", "[Left Redzone overwritten]", underflow },
	{ "write_after_free", "[Poison overwritten]", write_after_free },
	{ "free_twice", "Object already free", free_twice },
	{ "free_inside", "Invalid object pointer ", free_inside },
	{ "resize_freed", "Object already free", resize_freed },
	{ "resize_freed_in_place", "Object already free", resize_freed_in_place },
	{ "overflow_of_resized", "[kmalloc Redzone overwritten]", overflow_of_resized },
	{ "overflow_before_resizing", "[kmalloc Redzone overwritten]", overflow_before_resizing },
	{ "overflow_before_asking", "[kmalloc Redzone overwritten]", overflow_before_asking },
	{ "overflow_far", "[Right Redzone overwritten]", overflow_far },
	{ "overflow_of_cleared", "[kmalloc Redzone overwritten]", overflow_of_cleared },
	{ "overflow_of_aligned", "[kmalloc Redzone overwritten]", overflow_of_aligned },
	{ "write_to_link", "[Poison overwritten]", write_to_link },
	{ "free_only_one_twice", "Freed in ", free_only_one_twice },
	{ "size_of_freed", "Object already free", size_of_freed },
	{ "size_inside", "Invalid object pointer ", size_inside },
};

static int run_well(void)
{
	static const struct behaviour behaviour = {
		.seed = 3, .steps = 20000, .size_bits = 15, .align_bits = 8,
		.release = free_unsized,
	};

	behave(&behaviour);
	return harness_status();
}

static int make_mistake(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(mistakes[i].name, name))
			mistakes[i].make();
	free(opaque(malloc(50)));
	dprintf(STDERR_FILENO, "still here\n");
	return harness_status();
}

static void mistakes_are_told_and_survived(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct child_again again = { "--mistake", mistakes[i].name, "slab_debug", 0 };
		struct child_result result;

		child_run(&result, child_exec_again, &again);
		CHECK(child_exited(result.status, 0), "; %s: wait status %#x %s", mistakes[i].name,
		      result.status, result.err);
		CHECK(strstr(result.err, mistakes[i].text) && strstr(result.err, "BUG malloc-") &&
		      strstr(result.err, "still here"), "; %s: %s", mistakes[i].name, result.err);
	}
}

/* Without F a mistake that would break the lists must be noticed, and ends the process. */
static void second_frees_are_seen_without_checks(void)
{
	static const char *const options[] = {
		"slab_debug=U", "slab_debug=P", "slab_debug=Z", "slab_debug=U:hardened=1",
	};
	static const char *const names[] = {
		"free_twice", "resize_freed", "resize_freed_in_place",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			struct child_again again = { "--mistake", names[k], options[i], 0 };
			struct child_result result;

			child_run(&result, child_exec_again, &again);
			CHECK(child_died_by(result.status, SIGABRT) &&
			      strstr(result.err, names[k][0] == 'f' ? "free(" : "realloc("),
			      "; %s, %s: wait status %#x %s", names[k], options[i], result.status,
			      result.err);
		}
}

/* As in caches without debugging, only real objects are handed out. */
static void broken_links_are_seen_without_checks(void)
{
	static const char *const options[] = {
		"slab_debug=U", "slab_debug=Z", "slab_debug=T", "slab_debug=U:hardened=1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct child_again again = { "--mistake", "write_to_link", options[i], 0 };
		struct child_result result;

		child_run(&result, child_exec_again, &again);
		CHECK(child_died_by(result.status, SIGABRT) &&
		      strstr(result.err, "Freechain corrupt"), "; %s: wait status %#x %s",
		      options[i], result.status, result.err);
	}
}

/* Without Z, an overflow into the rest of the block's own object has no effect. */
static void other_caches_are_not_watched(void)
{
	static const struct child_again again = {
		"--mistake", "overflow", "slab_debug=FZPU,malloc-128,malloc-3*", 0
	};
	struct child_result result;

	child_run(&result, child_exec_again, (void *)&again);
	CHECK(child_exited(result.status, 0) && !strcmp(result.err, "still here\n"),
	      "; wait status %#x %s", result.status, result.err);
}

static void good_programs_notice_nothing(void)
{
	static const char *const options[] = {
		"slab_debug", "slab_debug=F", "slab_debug=Z", "slab_debug=P", "slab_debug=U",
		"slab_debug=ZU", "slab_debug=FZPUO", "slab_debug=A", "slab_debug=FZ,malloc-1*",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--behave", options[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "mistakes_are_told_and_survived", mistakes_are_told_and_survived, true },
		{ "second_frees_are_seen_without_checks", second_frees_are_seen_without_checks,
		  true },
		{ "broken_links_are_seen_without_checks", broken_links_are_seen_without_checks,
		  true },
		{ "other_caches_are_not_watched", other_caches_are_not_watched, true },
		{ "good_programs_notice_nothing", good_programs_notice_nothing, true },
	};
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "--mistake"))
		return make_mistake(argv[2]);
	if (!strcmp(mode, "--behave"))
		return run_well();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
