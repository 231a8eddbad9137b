/* SPDX-License-Identifier: MIT */
/*
 * Sized frees with the right size, under every option that checks it: whatever function made the
 * block, and whether or not malloc_usable_size() was called in between. Each set of options is a
 * process.
 */
#include <dlfcn.h>
#include <malloc.h>

#include "child.h"

#define SIZES_APART 7
#define SIZE_MAX_HERE (6 * MIB)
/* Mappings are an eighth of vm.max_map_count at most. */
#define MAPPINGS 10000
#define MAPPED_BYTES 40000

static void (*give_sized)(void *block, size_t size);
static void (*give_aligned)(void *block, size_t align, size_t size);

static void find_functions(void)
{
	give_sized = (void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "free_sized");
	give_aligned = (void (*)(void *, size_t, size_t))(uintptr_t)dlsym(RTLD_DEFAULT,
									  "free_aligned_sized");
	REQUIRE(give_sized && give_aligned);
}

/* Writes and reads as many bytes as were asked for. */
static void *used(void *block, size_t size, bool ask)
{
	REQUIRE(block);
	memset(block, 0x5a, size);
	if (ask)
		REQUIRE(malloc_usable_size(block) >= size);
	return block;
}

static void check_size(size_t size, bool ask)
{
	give_sized(used(malloc(size), size, ask), size);
	give_sized(used(calloc(1, size), size, ask), size);
	give_sized(used(realloc(used(malloc(size / 2 + 1), size / 2 + 1, ask), size + 1),
			size + 1, ask), size + 1);
	for (size_t align = 16; align <= 8192; align *= 8)
		give_aligned(used(aligned_alloc(align, size), size, ask), align, size);
}

/*
 * Small sizes one by one, then those about every power of two and half-way to the next; the
 * quick flavours leave out every second power.
 */
static int check_sizes(void)
{
	size_t factor = test_divisor() == 1 ? 2 : 4;

	find_functions();
	for (size_t size = 1; size <= 1100; size += SIZES_APART * test_divisor())
		for (int ask = 0; ask < 2; ask++)
			check_size(size, ask);
	for (size_t power = 1024; power <= SIZE_MAX_HERE; power *= factor)
		for (size_t off = 0; off <= 32; off += 8)
			for (int ask = 0; ask < 2; ask++) {
				check_size(power - 16 + off, ask);
				check_size(power + power / 2 - 16 + off, ask);
			}
	return harness_status();
}

/* A block from where there were no more mappings grows where there are some again. */
static int grow_out_of_window(void)
{
	static void *mapped[MAPPINGS];
	char *block;

	find_functions();
	for (unsigned int i = 0; i < MAPPINGS; i++)
		REQUIRE((mapped[i] = malloc(MAPPED_BYTES)));
	block = used(malloc(200000), 200000, false);
	for (unsigned int i = 0; i < MAPPINGS; i++)
		free(mapped[i]);
	block = realloc(block, 400000);
	CHECK(malloc_usable_size(block) == 400000, "; %zu", malloc_usable_size(block));
	give_sized(used(block, 400000, false), 400000);
	return harness_status();
}

static void right_sizes_are_right(void)
{
	static const char *const options[] = {
		"init_on_free=1", "hardened=1", "slab_debug=U", "slab_debug=FZPU:hardened=1",
		"slab_debug=U:hardened=1", "kfence_sample=1", "kfence_sample=1:hardened=1",
		"profile=64K", "profile=64K:hardened=1", "slab_cpu_cache=slab",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--sizes", options[i]);
}

static void what_grows_out_of_the_window_has_its_size(void)
{
	child_expect_quiet("--window", "hardened=1");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "right_sizes_are_right", right_sizes_are_right, true },
		{ "what_grows_out_of_the_window_has_its_size",
		  what_grows_out_of_the_window_has_its_size, true },
	};
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "--sizes"))
		return check_sizes();
	if (!strcmp(mode, "--window"))
		return grow_out_of_window();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
