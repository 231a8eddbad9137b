/* SPDX-License-Identifier: MIT */
/*
 * Transparent huge pages. Without the option thp= the library neither asks for them nor refuses
 * them, for its memory or for the process: the machine and the program decide. A heap of which most
 * was freed shrinks as well with them as without.
 *
 * If the machine gives them only on request, the test makes such requests: by the option, or by a
 * call for all memory that the heap may grow to.
 */
#include "child.h"

#include <inttypes.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "support/system/advice.h"
#include "support/prng.h"

#define LOAD_BYTES (96 * MIB)
#define HUGE_BYTES (2 * MIB)
/* One block of so many stays. */
#define SPARSE 8

struct heap {
	const char *name;
	size_t smallest, largest;
};

static const struct heap heaps[] = {
	{ "small objects", 16, 2000 },
	{ "large objects", 2000, 32 * KIB },
	{ "blocks of pages", 64 * KIB, 512 * KIB },
};

static const struct heap *heap_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(heaps); i++)
		if (!strcmp(heaps[i].name, name))
			return &heaps[i];
	return NULL;
}

/* What a child has found. */
static struct outcome {
	size_t peak, sparse, huge;
} *outcome;

/* Of the mapping with that address, and of those that follow it without a gap. */
static bool ask_for_huge_pages(const void *address)
{
	uintptr_t start, end, next = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool good = maps;

	while (good && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2)
			continue;
		if (next ? start != next : (uintptr_t)address < start || (uintptr_t)address >= end)
			continue;
		good = !madvise((void *)start, end - start, MADV_HUGEPAGE);
		next = end;
	}
	if (maps)
		fclose(maps);
	return good && next;
}

/* Memory in huge pages. */
static size_t huge_bytes(void)
{
	return proc_bytes("/proc/self/smaps_rollup", "AnonHugePages");
}

static void make_sparse(const struct heap *heap)
{
	size_t most = LOAD_BYTES / heap->smallest, nr = 0, bytes = 0;
	struct prng prng = { heap->largest };
	void **blocks = mmap(NULL, most * sizeof(*blocks), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	REQUIRE(blocks != MAP_FAILED);
	/* It is the heap that is looked at. */
	madvise(blocks, most * sizeof(*blocks), MADV_NOHUGEPAGE);
	for (; bytes < LOAD_BYTES && nr < most; nr++) {
		size_t size = heap->smallest + prng_below(&prng, heap->largest - heap->smallest);

		blocks[nr] = malloc(size);
		REQUIRE(blocks[nr]);
		memset(blocks[nr], 1, size);
		bytes += size;
	}
	outcome->peak = resident_bytes();
	outcome->huge = huge_bytes();
	for (size_t i = 0; i < nr; i++)
		if (!prng_one_in(&prng, SPARSE))
			free(blocks[i]);
	malloc_trim(0);
	outcome->sparse = resident_bytes();
}

static void without_huge_pages(void *heap)
{
	REQUIRE(!prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	make_sparse(heap);
	CHECK(!outcome->huge);
}

static void with_huge_pages(void *heap)
{
	void *first = malloc(100);

	if (!first || !ask_for_huge_pages(first))
		_exit(77);
	make_sparse(heap);
}

static struct outcome run(void (*fn)(void *heap), const struct heap *heap)
{
	struct child_result result;

	*outcome = (struct outcome){ 0 };
	child_run(&result, fn, (void *)heap);
	if (child_exited(result.status, 77))
		harness.skipped = "the kernel has no transparent huge pages";
	else
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      heap->name, result.status, result.err);
	return *outcome;
}

static void sparse_heaps_shrink(void)
{
	size_t huge = 0;

	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	REQUIRE(outcome != MAP_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(heaps) && !harness.skipped; i++) {
		struct outcome small = run(without_huge_pages, &heaps[i]);
		struct outcome large = run(with_huge_pages, &heaps[i]);

		if (harness.skipped)
			return;
		dprintf(STDOUT_FILENO, "# %s: %zu of %zu MiB stay, with huge pages %zu of %zu\n",
			heaps[i].name, small.sparse / MIB, small.peak / MIB, large.sparse / MIB,
			large.peak / MIB);
		CHECK(large.sparse <= small.sparse / 4 * 5 + 2 * HUGE_BYTES, "; %s: %zu KiB, %zu",
		      heaps[i].name, small.sparse / KIB, large.sparse / KIB);
		huge += large.huge;
	}
	if (!huge)	/* memory is in pieces, or the machine says "never" */
		harness.skipped = "the kernel has given no huge page";
}

/* A program's own state, which its children inherit. */
static void process_may_have_huge_pages(void)
{
	void *blocks[100];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(i * 100 * KIB + 1);
		CHECK(blocks[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	malloc_trim(0);
	CHECK(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0);
}

/* --- By the option ------------------------------------------------------------------- */

/* A sparse heap, and a large block that grows far beyond it. */
static int sparse_and_large(const char *name)
{
	char *large = malloc(64 * MIB), *larger;

	outcome = calloc(1, sizeof(*outcome));
	REQUIRE(outcome && large);
	make_sparse(heap_named(name));
	memset(large, 7, 64 * MIB);
	larger = realloc(large, 256 * MIB);
	REQUIRE(larger);
	CHECK(larger[0] == 7 && larger[64 * MIB - 1] == 7);
	dprintf(STDERR_FILENO, "%zu %zu %zu %zu", outcome->peak / KIB, outcome->sparse / KIB,
		outcome->huge / KIB, huge_bytes() / KIB);
	free(larger);
	return harness_status();
}

struct sizes {
	size_t peak, sparse, huge, large_huge;		/* KiB */
};

static struct sizes run_with(const struct heap *heap, const char *options)
{
	struct child_again again = { "--sparse", heap->name, options, 0 };
	struct child_result result;
	struct sizes sizes = { 0 };
	int nr;

	child_run(&result, child_exec_again, &again);
	nr = sscanf(result.err, "%zu %zu %zu %zu", &sizes.peak, &sizes.sparse, &sizes.huge,
		    &sizes.large_huge);
	CHECK(child_exited(result.status, 0) && nr == 4, "; %s %s: wait status %#x %s", heap->name,
	      options, result.status, result.err);
	dprintf(STDOUT_FILENO, "# %s, %s: %zu KiB, of them huge %zu, then %zu\n", heap->name,
		options, sizes.peak, sizes.huge, sizes.sparse);
	return sizes;
}

/* There are none if they are refused. If they are asked for, the heap shrinks all the same. */
static void option_is_obeyed(void)
{
	static const char *const wishes[] = { "thp=default", "thp=auto", "thp=always" };

	for (size_t i = 0; i < ARRAY_SIZE(heaps); i++) {
		struct sizes never = run_with(&heaps[i], "thp=never");

		CHECK(!never.huge && !never.large_huge, "; %zu KiB, %zu", never.huge,
		      never.large_huge);
		for (size_t k = 0; k < ARRAY_SIZE(wishes); k++) {
			struct sizes sizes = run_with(&heaps[i], wishes[k]);

			CHECK(sizes.sparse <= never.sparse / 4 * 5 + 4 * HUGE_BYTES / KIB,
			      "; %s: %s: %zu KiB, %zu", heaps[i].name, wishes[k], sizes.sparse,
			      never.sparse);
		}
	}
}

/* The most that was resident at a time. */
static size_t peak_bytes(void)
{
	return proc_bytes("/proc/self/status", "VmHWM");
}

/* The whole block gets the same advice, so it is one mapping, and moves without a copy as usual. */
static int grow_large(const char *advice)
{
	char *block = malloc(64 * MIB), *larger;

	REQUIRE(block);
	memset(block, 7, 64 * MIB);
	CHECK(!strcmp(advice_at(block + 32 * MIB), advice));
	larger = realloc(block, 72 * MIB);
	REQUIRE(larger);
	CHECK(larger[64 * MIB - 1] == 7);
	CHECK(peak_bytes() < 96 * MIB, "; %zu KiB", peak_bytes() / KIB);
	CHECK(!strcmp(advice_at(larger + 32 * MIB), advice));
	CHECK(!strcmp(advice_at(larger + 72 * MIB - 1), advice));
	free(larger);
	return harness_status();
}

static void large_blocks_are_told(void)
{
	static const struct child_again wishes[] = {
		{ "--large", "hg", "thp=always", 0 },
		{ "--large", "nh", "thp=never", 0 },
		{ "--large", "hg", "thp=always:hardened=1", 0 },
		{ "--large", "nh", "thp=never:hardened=1", 0 },
	};
	struct child_result result;

	if (!advice_is_told()) {
		harness.skipped = "the kernel has no transparent huge pages, or does not tell";
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		child_run(&result, child_exec_again, (void *)&wishes[i]);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      wishes[i].options, result.status, result.err);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "process_may_have_huge_pages", process_may_have_huge_pages, true },
		{ "sparse_heaps_shrink", sparse_heaps_shrink, true },
		{ "option_is_obeyed", option_is_obeyed, true },
		{ "large_blocks_are_told", large_blocks_are_told, true },
	};

	if (argc > 2 && !strcmp(argv[1], "--sparse"))
		return sparse_and_large(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--large"))
		return grow_large(argv[2]);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
