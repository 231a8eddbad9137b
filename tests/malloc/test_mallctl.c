/* SPDX-License-Identifier: MIT */
/* mallctl(3): jemalloc's names, for programs that ask their allocator by them. */
#include <errno.h>
#include <pthread.h>

#include "harness.h"
#include "usermm/mallctl.h"

#pragma weak mallctl
#pragma weak mallctlnametomib
#pragma weak mallctlbymib
#pragma weak malloc_stats_print

#define NR_BLOCKS 20000
#define BLOCK_BYTES 1000
#define LARGE_BYTES (10 * MIB)
/* Beside what blocks have: their classes' sizes, and what watches them. */
#define MORE(bytes) ((bytes) / 4 + 512 * KIB)
#define ALL_ARENAS 4096
#define EXPECT_ERROR(call, error) CHECK((call) == (error), "; not " #error)

static void *blocks[NR_BLOCKS];

static void advance_epoch(void)
{
	uint64_t epoch = 1;

	REQUIRE(!mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch)));
}

static size_t read_size(const char *name)
{
	size_t value = 0, bytes = sizeof(value);

	CHECK(!mallctl(name, &value, &bytes, NULL, 0) && bytes == sizeof(value), "; %s", name);
	return value;
}

static unsigned int read_unsigned(const char *name)
{
	unsigned int value = 0;
	size_t bytes = sizeof(value);

	CHECK(!mallctl(name, &value, &bytes, NULL, 0), "; %s", name);
	return value;
}

static bool read_bool(const char *name)
{
	unsigned char value = 2;
	size_t bytes = sizeof(value);

	CHECK(!mallctl(name, &value, &bytes, NULL, 0) && value < 2, "; %s", name);
	return value;
}

static void fill(void)
{
	for (size_t i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = malloc(opaque_size(BLOCK_BYTES));
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, BLOCK_BYTES);
	}
}

static void empty(void)
{
	for (size_t i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
}

static void one_library_has_them_all(void)
{
	static const char *const names[] = {
		"mallctl", "mallctlnametomib", "mallctlbymib", "malloc_stats_print",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!strcmp(library_of(names[i]), library_of("malloc")), "; %s is in %s",
		      names[i], library_of(names[i]));
}

static void constants_are_right(void)
{
	const char *version = NULL;
	size_t bytes = sizeof(version);

	CHECK(!mallctl("version", &version, &bytes, NULL, 0) &&
	      !strncmp(version, "usermm ", 7), "; %s", version);
	CHECK(read_size("arenas.page") == 4096 && read_size("arenas.quantum") == 16);
	CHECK(read_unsigned("arenas.narenas") == 1 && read_unsigned("opt.narenas") == 1);
	CHECK(read_bool("config.stats") && !read_bool("config.prof") && !read_bool("opt.prof"));
	CHECK(read_bool("background_thread") == read_bool("opt.background_thread"));
	CHECK(read_size("max_background_threads") == 1);
	CHECK(!read_bool("opt.stats_print"));
}

static void check_order(void)
{
	size_t active = read_size("stats.active");

	CHECK(read_size("stats.allocated") <= active);
	CHECK(active < read_size("stats.mapped") && active <= read_size("stats.resident"));
	CHECK(read_size("stats.mapped") == active + read_size("stats.metadata"));
	CHECK(read_size("stats.arenas.0.pactive") == active / 4096);
	CHECK(read_size("stats.arenas.4096.resident") == read_size("stats.resident"));
	CHECK(read_size("stats.arenas.1.pmuzzy") == 0);
}

static void numbers_follow_blocks(void)
{
	const size_t small = (size_t)NR_BLOCKS * BLOCK_BYTES;
	size_t before, between, after;
	void *large;

	fill();			/* so that classes are up */
	empty();
	advance_epoch();
	before = read_size("stats.allocated");
	check_order();
	fill();
	advance_epoch();
	between = read_size("stats.allocated") - before;
	CHECK(between >= small && between <= small + MORE(small), "; %zu of %zu", between, small);
	check_order();
	large = malloc(opaque_size(LARGE_BYTES));
	REQUIRE(large);
	advance_epoch();
	after = read_size("stats.allocated") - before - between;
	CHECK(after >= LARGE_BYTES && after <= LARGE_BYTES + MORE(LARGE_BYTES), "; %zu", after);
	free(large);
	empty();
	advance_epoch();
	after = read_size("stats.allocated");
	CHECK(after < before + 64 * KIB && before < after + 64 * KIB, "; %zu, %zu", before, after);
	check_order();
}

/* jemalloc's are as old as the epoch, and programs know. */
static void numbers_stay_in_an_epoch(void)
{
	uint64_t epoch, later = 0;
	size_t before, bytes = sizeof(epoch);

	advance_epoch();
	CHECK(!mallctl("epoch", &epoch, &bytes, NULL, 0));
	before = read_size("stats.allocated");
	fill();
	CHECK(read_size("stats.allocated") == before);
	CHECK(!mallctl("epoch", &later, &bytes, &epoch, sizeof(epoch)) && later == epoch + 1);
	CHECK(read_size("stats.allocated") > before);
	empty();
}

static void errors_are_told(void)
{
	static const char *const unknown[] = {
		"", ".", "stat", "stats", "stats.", "stats.allocated.", "stats.allocated.x",
		"arena", "arena.0", "arena.0.", "arena..purge", "arena.x.purge", "arena.2.purge",
		"arena.0x.purge", "arena.-1.purge", "arena.18446744073709551616.purge",
		"arena.4095.purge", "arena.%.purge", "stats.arenas.2.pdirty", "thread.allocated",
		"stats.arenas.0.small.allocated", "epochs", "config.", "opt.no_such_name",
	};
	unsigned char room[32], truth = !read_bool("background_thread");
	size_t bytes = sizeof(room), threads = 2;
	uint64_t epoch = 0;
	unsigned int half;

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		CHECK(mallctl(unknown[i], room, &bytes, NULL, 0) == ENOENT, "; '%s'", unknown[i]);
	EXPECT_ERROR(mallctl("version", NULL, NULL, "1", 1), EPERM);
	EXPECT_ERROR(mallctl("version", NULL, NULL, NULL, 1), EPERM);
	EXPECT_ERROR(mallctl("stats.allocated", NULL, NULL, &threads, sizeof(threads)), EPERM);
	EXPECT_ERROR(mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch) - 1), EINVAL);
	EXPECT_ERROR(mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch) + 1), EINVAL);
	EXPECT_ERROR(mallctl("background_thread", NULL, NULL, &truth, sizeof(truth)), EPERM);
	truth = !truth;
	EXPECT_ERROR(mallctl("background_thread", NULL, NULL, &truth, sizeof(truth)), 0);
	truth = 7;	/* no bool */
	EXPECT_ERROR(mallctl("background_thread", NULL, NULL, &truth, sizeof(truth)),
		     read_bool("background_thread") ? 0 : EPERM);
	EXPECT_ERROR(mallctl("max_background_threads", NULL, NULL, &threads, sizeof(threads)),
		     EINVAL);
	/* What fits is read. */
	bytes = sizeof(half);
	EXPECT_ERROR(mallctl("arenas.page", &half, &bytes, NULL, 0), EINVAL);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	CHECK(bytes == sizeof(half) && half == 4096);
#endif
	memset(room, 0xee, sizeof(room));
	bytes = sizeof(room);
	EXPECT_ERROR(mallctl("arenas.page", room, &bytes, NULL, 0), EINVAL);
	CHECK(bytes == sizeof(size_t) && room[sizeof(size_t)] == 0xee);
	/* Nobody asks for the value. */
	EXPECT_ERROR(mallctl("arenas.page", NULL, NULL, NULL, 0), 0);
	EXPECT_ERROR(mallctl("arenas.page", room, NULL, NULL, 0), 0);
	EXPECT_ERROR(mallctl("arena.0.purge", room, &bytes, NULL, 0), EPERM);
	EXPECT_ERROR(mallctl("arena.0.purge", NULL, NULL, room, 1), EPERM);
}

static void numbers_stand_for_names(void)
{
	size_t mib[6] = { 0 }, length = ARRAY_SIZE(mib), value, bytes = sizeof(value);
	uint64_t epoch = 1;

	EXPECT_ERROR(mallctlnametomib("no.such.name", mib, &length), ENOENT);
	EXPECT_ERROR(mallctlnametomib("arena.2.purge", mib, &length), ENOENT);
	CHECK(!mallctlnametomib("epoch", mib, &length) && length == 1);
	CHECK(!mallctlbymib(mib, length, NULL, NULL, &epoch, sizeof(epoch)));
	length = ARRAY_SIZE(mib);
	CHECK(!mallctlnametomib("stats.arenas.0.pactive", mib, &length) && length == 4 &&
	      mib[2] == 0);
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(!mallctlbymib(mib, length, &value, &bytes, NULL, 0) &&
		      value == read_size("stats.arenas.0.pactive"));
		mib[2] = ALL_ARENAS;	/* by another number */
	}
	mib[2] = 2;
	EXPECT_ERROR(mallctlbymib(mib, length, &value, &bytes, NULL, 0), ENOENT);
	EXPECT_ERROR(mallctlbymib(mib, length - 1, &value, &bytes, NULL, 0), ENOENT);
	EXPECT_ERROR(mallctlbymib(mib, 0, &value, &bytes, NULL, 0), ENOENT);
	mib[0] = 1000;
	EXPECT_ERROR(mallctlbymib(mib, 1, &value, &bytes, NULL, 0), ENOENT);
	/* A part of a name, or of its numbers. */
	length = ARRAY_SIZE(mib);
	CHECK(!mallctlnametomib("arena.0", mib, &length) && length == 2);
	length = 1;
	CHECK(!mallctlnametomib("stats.allocated", mib, &length) && length == 1);
}

/* Each name has numbers of its own. */
static void numbers_are_of_one_name(void)
{
	static const char *const names[] = {
		"stats.allocated", "stats.active", "stats.metadata", "stats.resident",
		"stats.mapped", "arenas.page", "arenas.quantum", "max_background_threads",
		"stats.arenas.0.pactive", "stats.arenas.0.pdirty",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t mib[4], length = ARRAY_SIZE(mib), value = 0, bytes = sizeof(value);

		CHECK(!mallctlnametomib(names[i], mib, &length) &&
		      !mallctlbymib(mib, length, &value, &bytes, NULL, 0) &&
		      value == read_size(names[i]), "; %s", names[i]);
	}
}

static void purge_gives_back(void)
{
	static const char *const names[] = { "arena.0.purge", "arena.1.purge", "arena.4096.purge",
					     "arena.0.decay" };
	size_t before;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		fill();
		empty();
		before = proc_bytes("/proc/self/status", "VmRSS");
		CHECK(!mallctl(names[i], NULL, NULL, NULL, 0), "; %s", names[i]);
		CHECK(proc_bytes("/proc/self/status", "VmRSS") < before - 8 * MIB, "; %s, of %zu",
		      names[i], before);
	}
}

static char report[MIB + 1];

static void keep_report(void *where, const char *text)
{
	CHECK(where == report);
	strncat(report, text, sizeof(report) - 1);
}

static void reports_are_printed(void)
{
	malloc_stats_print(keep_report, report, NULL);
	CHECK(strstr(report, " allocated=") && strstr(report, "slabinfo - version: 2.1\n"),
	      "; %.100s", report);
	*report = '\0';
	malloc_stats_print(keep_report, report, "Ja");
	CHECK(!strncmp(report, "{\"process\":{", 12) && strstr(report, "]}\n"), "; %.100s", report);
}

static bool stop;	/* Sync: atomic */

static void *allocate(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		for (size_t bytes = 1; bytes < 16 * MIB; bytes *= 3)
			free(opaque(malloc(opaque_size(bytes))));
	return unused;
}

static void threads_go_on(void)
{
	const unsigned int steps = 400;
	pthread_t threads[3];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, allocate, NULL));
	for (unsigned int i = 0; i < steps; i++) {
		advance_epoch();
		CHECK(read_size("stats.allocated") < 200 * MIB);
		if (i % 16 == 0)
			CHECK(!mallctl("arena.0.purge", NULL, NULL, NULL, 0));
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
}

TEST_MAIN({ "one_library_has_them_all", one_library_has_them_all, true },
	  { "constants_are_right", constants_are_right, true },
	  { "numbers_follow_blocks", numbers_follow_blocks, true },
	  { "numbers_stay_in_an_epoch", numbers_stay_in_an_epoch, true },
	  { "errors_are_told", errors_are_told, true },
	  { "numbers_stand_for_names", numbers_stand_for_names, true },
	  { "numbers_are_of_one_name", numbers_are_of_one_name, true },
	  { "purge_gives_back", purge_gives_back, true },
	  { "reports_are_printed", reports_are_printed, true },
	  { "threads_go_on", threads_go_on, true })
