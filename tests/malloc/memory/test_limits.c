/* SPDX-License-Identifier: MIT */
/*
 * Limits: RLIMIT_AS, usermm's own, and options that make no sense. Each is in
 * force from the start of a process, so the program runs itself again.
 */
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "summary.h"
#include "take_all.h"
#include "usermm/gfp.h"

void *usermm_kvmalloc_node(size_t size, gfp_t gfp, int nid) __attribute__((__weak__));

/* --- A process that allocates all it can, frees it, and allocates again --------- */

/*
 * The sizes of the rounds; those from ODD_SIZES on begin with a size that wastes much of a power of
 * two.
 */
static const size_t sizes[] = {
	MIB, 16 * MIB, 100 * KIB, 300000, 1000, 5 * MIB, 40000, 3000000, 70000, MIB
};
#define ODD_SIZES 3

/* Addresses under the limit that libc's files have: some releases' are larger than others'. */
static size_t bytes_of_other_files(void)
{
	size_t bytes = 0, start, end;
	struct rlimit limit;
	char line[4096];
	FILE *maps;

	REQUIRE(!getrlimit(RLIMIT_AS, &limit));
	if (limit.rlim_cur == RLIM_INFINITY)
		return 0;
	maps = fopen("/proc/self/maps", "re");
	REQUIRE(maps);
	while (fgets(line, sizeof(line), maps))
		if (strchr(line, '/') && !strstr(line, "/libusermm_malloc") &&
		    sscanf(line, "%zx-%zx", &start, &end) == 2)
			bytes += end - start;
	fclose(maps);
	return bytes;
}

/*
 * The least that each round and other_files must get, and the most that a round may get, in
 * hundredths of the limit.
 */
static int rounds_within(const char *limit_text, size_t start, unsigned int low, unsigned int high)
{
	size_t limit = strtoul(limit_text, NULL, 10), first = 0, total = 0;
	size_t other_files = bytes_of_other_files();

	for (size_t i = start; i < ARRAY_SIZE(sizes); i++) {
		/* Millions of small blocks prove nothing that fewer would not. */
		if (limit > 512 * MIB && sizes[i] < MIB)
			continue;
		total = take_all(sizes[i], limit <= 256 * MIB);
		ask_when_empty(sizes[i], limit);
		/* Where another block of this size would have been too much. */
		CHECK((total + sizes[i] + other_files) / (limit / 100) >= low &&
			      total / (limit / 100) <= high,
		      "; %zu of %zu KiB in blocks of %zu, and %zu for files", total / KIB,
		      limit / KIB, sizes[i], other_files / KIB);
		give_all_back();
		first = first ? first : total;
	}
	CHECK(total >= first / 10 * 9, "; first %zu, in the end %zu KiB", first / KIB,
	      total / KIB);
	return harness_status();
}

/* --- RLIMIT_AS -------------------------------------------------------------------- */

static void expect_clean_run(const struct child_again *again)
{
	struct child_result result;

	child_run(&result, child_exec_again, (void *)again);
	CHECK(child_exited(result.status, 0) && !*result.err,
	      "; mode %s %s, options %s: wait status %#x %s", again->mode,
	      again->arg ? again->arg : "", again->options ? again->options : "(as they were)",
	      result.status, result.err);
}

static void climb(const char *mode, size_t most)
{
	size_t factor = test_divisor() == 1 ? 2 : 4;
	char bytes[32];

	for (size_t limit = 64 * MIB; limit <= most; limit *= factor) {
		struct child_again again = { mode, bytes, NULL, limit };

		snprintf(bytes, sizeof(bytes), "%zu", limit);
		expect_clean_run(&again);
	}
}

/*
 * Blocks of the window and mappings share the address space. Each round gets all of it, except the
 * program's own part, whatever earlier rounds used it for.
 */
static void address_space_ladder(void)
{
	climb("--rounds", 4 * GIB);
	climb("--odd-rounds", 256 * MIB);
}

static void exec_under_data_limit(void *again)
{
	size_t bytes = strtoul(((const struct child_again *)again)->arg, NULL, 10);
	struct rlimit limit = { bytes, bytes };

	REQUIRE(!setrlimit(RLIMIT_DATA, &limit));
	child_exec_again(again);
}

/* A limit that counts writable memory, not addresses. */
static void little_data(void)
{
	struct child_again again = { "--rounds", "67108864", NULL, 0 };
	struct child_result result;

	child_run(&result, exec_under_data_limit, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

/* Bytes of addresses that the limit leaves. */
static size_t address_space_left(size_t limit)
{
	char text[64] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	size_t used;

	REQUIRE(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	used = strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
	return used < limit ? limit - used : 0;
}

/* If the rest of the limit is too small for a section of the window, small blocks are mappings. */
static int use_little(const char *limit)
{
	char *blocks[8], *block;

	if (address_space_left(strtoul(limit, NULL, 10)) < MIB)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = i % 2 ? calloc(1, 100 + i) : malloc(100 + i);
		if (!CHECK(blocks[i], "; block %zu", i))
			return harness_status();
		CHECK(!(i % 2) || !blocks[i][99]);
		memset(blocks[i], (int)i, 100 + i);
	}
	block = realloc(blocks[0], 300);
	CHECK(block && block[99] == 0);
	free(block);
	for (size_t i = 1; i < ARRAY_SIZE(blocks); i++) {
		CHECK(blocks[i][99 + i] == (char)i);
		free(blocks[i]);
	}
	return harness_status();
}

/* In some of the small steps the library's first mappings take nearly all addresses. */
static size_t step_behind(size_t limit)
{
	if (limit < 8 * MIB)
		return 48 * KIB;
	return limit < 16 * MIB ? MIB : 3 * MIB;
}

/* Too little for anything: the program may not even start, it must not crash. */
static void tiny_address_spaces(void)
{
	char bytes[32];

	for (size_t limit = 3 * MIB; limit < 64 * MIB; limit += step_behind(limit)) {
		struct child_again again = { "--little", bytes, NULL, limit };
		struct child_result result;

		snprintf(bytes, sizeof(bytes), "%zu", limit);
		child_run(&result, child_exec_again, &again);
		/* 127: the loader's */
		CHECK(child_exited(result.status, 0) || child_exited(result.status, 127),
		      "; limit %zu KiB: wait status %#x %s", limit / KIB, result.status,
		      result.err);
	}
}

/* --- More than there is ------------------------------------------------------------ */

#define HUGE_BYTES (4 * GIB)

/* Blocks that nobody writes to cost nothing, as under other allocators. */
static void forty_huge_blocks(void)
{
	char *blocks[40], policy = '2';
	int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
	unsigned int nr = 0;

	/* Without overcommit, or with less RAM than a block, the system has to refuse. */
	CHECK(fd >= 0 && read(fd, &policy, 1) == 1);
	close(fd);
	if (policy == '2' ||
	    (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) < HUGE_BYTES)
		return;
	for (; nr < ARRAY_SIZE(blocks); nr++) {
		blocks[nr] = calloc(1, HUGE_BYTES);
		if (!CHECK(blocks[nr], "; block %u", nr))
			break;
		CHECK(!blocks[nr][HUGE_BYTES / 3 * (nr % 3)]);
		blocks[nr][HUGE_BYTES - 1] = 1;
	}
	while (nr)
		free(blocks[--nr]);
}

/* --- USERMM_OPTIONS ----------------------------------------------------------------- */

static int hello(void)
{
	char *text = malloc(100);

	if (!text)
		return 1;
	strcpy(text, "hello");
	free(text);
	return 0;
}

static void bad_options_are_told_once(void)
{
	static const char *const bad[] = {
		"nonsense", "bogus=1", "=5", "rseq=maybe", "rseq", "rseq=", "limit=12Q",
		"limit=", "limit=-1", "limit=99999999999999999999", "limit=1M1",
		"rseq=off:bogus=1:limit=x", "bogus=1:rseq=off", "%s%n%d",
		"\x1b[31mred=1", "rseq=OFF",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct child_again again = { "--hello", NULL, bad[i], 0 };
		struct child_result result;

		child_run(&result, child_exec_again, &again);
		CHECK(child_exited(result.status, 0), "; %s: wait status %#x", bad[i],
		      result.status);
		CHECK(!strncmp(result.err, "usermm: ", 8) && count_lines(result.err) == 1,
		      "; %s: %s", bad[i], result.err);
	}
}

static void good_options_are_silent(void)
{
	static const char *const good[] = {
		"", ":", "::", "rseq=auto", "rseq=off", ":rseq=off:", "limit=1G",
		"rseq=off:limit=256M", "limit=1073741824", "reserve=1G",
		"reserve=256m:limit=128m",
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct child_again again = { "--hello", NULL, good[i], 0 };

		expect_clean_run(&again);
	}
}

/* Options that are too long are ignored, but a line says so. */
static void very_long_options(void)
{
	static char text[8000];
	struct child_again again = { "--hello", NULL, "bogus=1", 0 };
	struct child_result result;

	memset(text, ':', sizeof(text) - 1);
	setenv("USERMM_OPTIONS", text, 1);
	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0), "; wait status %#x", result.status);
	CHECK(!strncmp(result.err, "usermm: ", 8) && count_lines(result.err) == 1, "; '%s'",
	      result.err);
}

static void own_limit(void)
{
	static const struct child_again runs[] = {
		{ "--large-rounds", "67108864", "limit=64M", 0 },
		{ "--large-rounds", "134217728", "limit=128M", 0 },
		{ "--large-rounds", "67108864", "reserve=1G:limit=64M", 0 },
		{ "--large-rounds", "67108864", "limit=64M", 2 * GIB },
	};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		expect_clean_run(&runs[i]);
}

/* Mappings and pages of the window count against one limit, in either order. */
static int large_and_small(void)
{
	void *large = malloc(48 * MIB);
	size_t small;

	REQUIRE(large);
	small = take_all(MIB, false);
	CHECK(small <= 16 * MIB, "; %zu KiB beside 48 MiB of 64", small / KIB);
	CHECK(!malloc(24 * MIB));
	give_all_back();
	free(large);
	small = take_all(MIB, false);
	CHECK(small >= 56 * MIB, "; %zu KiB of 64 MiB", small / KIB);
	CHECK(!malloc(8 * MIB));
	give_all_back();
	return harness_status();
}

static void one_limit_for_all(void)
{
	static const struct child_again again = { "--mixed", NULL, "limit=64M", 0 };

	expect_clean_run(&again);
}

#define MANY_NODES_LIMIT (256 * MIB)
#define SECTION_BYTES (4 * MIB)

static int take_large_blocks(void)
{
	size_t total = take_all(8 * MIB, false);

	give_all_back();
	CHECK(take_all(8 * MIB, false) == total);
	give_all_back();
	CHECK(total <= MANY_NODES_LIMIT && total >= MANY_NODES_LIMIT - 8 * MIB - SECTION_BYTES,
	      "; %zu MiB", total / MIB);
	return harness_status();
}

/* Nodes and zones divide the limit; a large block may have a part of each. */
static void one_limit_for_all_nodes(void)
{
	static const char *const options[] = {
		"limit=256M:nodes=1", "limit=256M:nodes=2", "limit=256M:nodes=3",
		"limit=256M:nodes=4", "limit=256M:nodes=16",
		"limit=256M:nodes=2:zone_dma=8M:zone_normal=120M",
		"limit=256M:nodes=4:hardened=1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct child_again again = { "--large", NULL, options[i], 0 };

		expect_clean_run(&again);
	}
}

/*
 * The part of a limit that is kept in reserve (a sixteenth of the smallest limit), and for the
 * library's own blocks.
 */
#define RESERVE_SHARE 16
#define OVERHEAD_BYTES (128 * KIB)

/*
 * Makes a block larger until it is refused, and returns that size. Each page gets a mark of its
 * own.
 */
static size_t grow_until_refused(size_t numerator, size_t denominator)
{
	size_t size = 8 * KIB, next, marked = 0;
	size_t *block = malloc(size);

	REQUIRE(block);
	for (;; size = next) {
		size_t *larger;

		for (; marked + 4 * KIB <= size; marked += 4 * KIB)
			block[marked / sizeof(*block)] = marked;
		next = size + size * numerator / denominator;
		errno = 0;
		larger = realloc(opaque(block), next);
		if (!larger)
			break;
		block = larger;
	}
	CHECK(errno == ENOMEM, "; errno is %d", errno);
	for (size_t at = 0; at < marked; at += 4 * KIB)
		CHECK(block[at / sizeof(*block)] == at, "; at %zu of %zu", at, size);
	free(block);
	return next;
}

/* A request is not refused because of memory that other sizes left behind. */
static int grow_to_the_limit(const char *limit_text)
{
	static const size_t rates[][2] = { { 1, 8 }, { 1, 50 }, { 1, 2 }, { 1, 1 }, { 1, 3 } };
	size_t limit = strtoul(limit_text, NULL, 10);

	for (unsigned int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
			size_t refused = grow_until_refused(rates[i][0], rates[i][1]);

			CHECK(refused + limit / RESERVE_SHARE + OVERHEAD_BYTES > limit,
			      "; %zu KiB of %zu, by %zu/%zu", refused / KIB, limit / KIB,
			      rates[i][0], rates[i][1]);
		}
	return harness_status();
}

/* A limit counts in whole sections: the rest is not used. */
static void growth_reaches_the_limit(void)
{
	static const struct child_again runs[] = {
		{ "--grow", "4194304", "limit=4M", 0 },
		{ "--grow", "4194304", "limit=5M", 0 },
		{ "--grow", "4194304", "limit=6M", 0 },
		{ "--grow", "8388608", "limit=8M", 0 },
		{ "--grow", "16777216", "limit=16M", 0 },
		{ "--grow", "16777216", "limit=16M:nodes=2", 0 },
		{ "--grow", "16777216", "limit=16M:hardened=1", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		expect_clean_run(&runs[i]);
}

/* The largest block beside what there is, to a page. */
static size_t largest_block(size_t limit)
{
	size_t least = 0, most = limit;

	while (most - least > 4 * KIB) {
		size_t size = least + (most - least) / 2;
		void *block = malloc(size);

		if (block)
			least = size;
		else
			most = size;
		free(block);
	}
	return least;
}

static void keep_some_objects(void)
{
	static void *objects[300];

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		objects[i] = opaque(malloc(100));
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		free(objects[i]);
}

/* How often objects have gone back to slabs, by the library's own count. */
static unsigned long count_flushes(void)
{
	return summary_number("sheaf flushes");
}

/*
 * There is room for a block, but not for an eighth more: caches give nothing back for the eighth.
 */
static int grow_quietly(const char *limit_text)
{
	size_t limit = strtoul(limit_text, NULL, 10);
	unsigned long flushes;
	char *block, *rest;

	block = realloc(opaque(malloc(100 * KIB)), opaque_size(3 * MIB));
	rest = malloc(largest_block(limit) - 7 * MIB / 8);
	REQUIRE(block && rest);
	keep_some_objects();
	flushes = count_flushes();
	block = realloc(block, opaque_size(4 * MIB));
	CHECK(block && malloc_usable_size(block) == 4 * MIB, "; %zu", malloc_usable_size(block));
	CHECK(count_flushes() == flushes, "; %lu, were %lu", count_flushes(), flushes);
	/* For the needed size they do. */
	CHECK(!realloc(opaque(block), 6 * MIB));
	CHECK(count_flushes() > flushes, "; still %lu", flushes);
	free(rest);
	free(block);
	return harness_status();
}

static void room_to_grow_is_a_wish(void)
{
	static const struct child_again again = { "--wish", "16777216", "limit=16M", 0 };

	expect_clean_run(&again);
}

#ifdef __GLIBC__
/* A mapping of kvmalloc()'s is charged to the zones, and is none of malloc's blocks. */
static int compare_in_use(void)
{
	static void *blocks[200];
	size_t before, between;

	REQUIRE(usermm_kvmalloc_node);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = malloc(100 * KIB);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	before = mallinfo2().uordblks;
	REQUIRE(usermm_kvmalloc_node(20 * MIB, GFP_KERNEL, -1));
	between = mallinfo2().uordblks;
	CHECK(between == before, "; %zu, then %zu bytes", before, between);
	return harness_status();
}

static void kvmalloc_is_not_malloc(void)
{
	child_expect_quiet("--kvmalloc", "limit=256M");
}
#endif

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
#ifdef __GLIBC__
		{ "kvmalloc_is_not_malloc", kvmalloc_is_not_malloc, true },
#endif
		{ "address_space_ladder", address_space_ladder, false },
		{ "little_data", little_data, false },
		{ "tiny_address_spaces", tiny_address_spaces, false },
		{ "bad_options_are_told_once", bad_options_are_told_once, true },
		{ "good_options_are_silent", good_options_are_silent, true },
		{ "own_limit", own_limit, true },
		{ "one_limit_for_all", one_limit_for_all, true },
		{ "one_limit_for_all_nodes", one_limit_for_all_nodes, true },
		{ "growth_reaches_the_limit", growth_reaches_the_limit, true },
		{ "room_to_grow_is_a_wish", room_to_grow_is_a_wish, true },
		{ "forty_huge_blocks", forty_huge_blocks, true },
		{ "very_long_options", very_long_options, true },
	};
	const char *mode = argc > 1 ? argv[1] : "";
	bool is_64m = argc > 2 && strtoul(argv[2], NULL, 10) <= 64 * MIB;

	if (!strcmp(mode, "--hello"))
		return hello();
#ifdef __GLIBC__
	if (!strcmp(mode, "--kvmalloc"))
		return compare_in_use();
#endif
	if (!strcmp(mode, "--little"))
		return use_little(argv[2]);
	if (!strcmp(mode, "--mixed"))
		return large_and_small();
	if (!strcmp(mode, "--large"))
		return take_large_blocks();
	if (!strcmp(mode, "--grow"))
		return grow_to_the_limit(argv[2]);
	if (!strcmp(mode, "--wish"))
		return grow_quietly(argv[2]);
	if (!strcmp(mode, "--rounds"))
		return rounds_within(argv[2], 0, is_64m ? 87 : 81, 100);
	if (!strcmp(mode, "--odd-rounds"))
		return rounds_within(argv[2], ODD_SIZES, is_64m ? 78 : 81, 100);
	if (!strcmp(mode, "--large-rounds"))
		return rounds_within(argv[2], 0, 75, 100);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
