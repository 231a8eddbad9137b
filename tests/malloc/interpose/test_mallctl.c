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
/*
 * Bytes that count beside the blocks' own: classes round up, and modes that watch blocks need
 * memory.
 */
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

/* jemalloc's numbers change only with the epoch, and programs rely on that. */
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
		"arena", "arena.0", "arena.0.", "arena..purge", "arena.x.purge", "arena.4000.purge",
		"arenas.bin.72.size", "arenas.bin.x.size", "arenas.bin.0", "thread.tcache",
		"stats.arenas.0.bins.72.curregs", "stats.arenas.4000.bins.0.curregs",
		"arena.0x.purge", "arena.-1.purge", "arena.18446744073709551616.purge",
		"arena.4095.purge", "arena.%.purge", "stats.arenas.4000.pdirty", "thread.allocated",
		"stats.arenas.0.small.nmalloc", "epochs", "config.", "opt.no_such_name",
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
	/* As many bytes are read as fit. */
	bytes = sizeof(half);
	EXPECT_ERROR(mallctl("arenas.page", &half, &bytes, NULL, 0), EINVAL);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	CHECK(bytes == sizeof(half) && half == 4096);
#endif
	memset(room, 0xee, sizeof(room));
	bytes = sizeof(room);
	EXPECT_ERROR(mallctl("arenas.page", room, &bytes, NULL, 0), EINVAL);
	CHECK(bytes == sizeof(size_t) && room[sizeof(size_t)] == 0xee);
	/* A call without a place for the value. */
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
	EXPECT_ERROR(mallctlnametomib("arena.4000.purge", mib, &length), ENOENT);
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
	mib[2] = 4000;
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

static unsigned int create(const char *name)
{
	unsigned int number = UINT32_MAX;
	size_t bytes = sizeof(number);

	EXPECT_ERROR(mallctl(name, &number, &bytes, NULL, 0), 0);
	return number;
}

static int write_number(const char *name, unsigned int number)
{
	return mallctl(name, NULL, NULL, &number, sizeof(number));
}

/* Any arena's number is accepted; its figures are those of arena 0. */
static void arenas_are_created(void)
{
	unsigned int before = read_unsigned("arenas.narenas"), first = create("arenas.create");
	unsigned int second = create("arenas.create"), number;
	size_t bytes = sizeof(number), mib[4], length = ARRAY_SIZE(mib);
	void *hooks = NULL, *block = malloc(opaque_size(BLOCK_BYTES));
	char name[64];

	CHECK(first == before && second == first + 1 &&
	      read_unsigned("arenas.narenas") == before + 2, "; %u, %u, %u", before, first, second);
	snprintf(name, sizeof(name), "stats.arenas.%u.small.allocated", first);
	advance_epoch();
	CHECK(read_size(name) == 0 && read_size("stats.arenas.0.small.allocated") >= BLOCK_BYTES);
	free(block);
	snprintf(name, sizeof(name), "arena.%u.initialized", first);
	CHECK(read_bool(name) && read_bool("arena.0.initialized"));
	snprintf(name, sizeof(name), "arena.%u.purge", first);
	EXPECT_ERROR(mallctl(name, NULL, NULL, NULL, 0), 0);
	/* A number that does not exist cannot be destroyed. */
	snprintf(name, sizeof(name), "arena.%u.reset", first);
	EXPECT_ERROR(mallctl(name, NULL, NULL, NULL, 0), EFAULT);
	snprintf(name, sizeof(name), "arena.%u.destroy", first);
	EXPECT_ERROR(mallctl(name, NULL, NULL, NULL, 0), EFAULT);
	EXPECT_ERROR(mallctl(name, &number, &bytes, NULL, 0), EPERM);
	/* Hooks are not called. */
	EXPECT_ERROR(mallctl("arenas.create", &number, &bytes, &hooks, sizeof(hooks)), 0);
	EXPECT_ERROR(mallctl("arenas.create", &number, &bytes, &hooks, 1), EINVAL);
	EXPECT_ERROR(mallctl("arenas.create", NULL, NULL, NULL, 0), EINVAL);
	hooks = &hooks;
	EXPECT_ERROR(mallctl("arenas.create", &number, &bytes, &hooks, sizeof(hooks)), EAGAIN);
	bytes = 1;
	EXPECT_ERROR(mallctl("arenas.create", &number, &bytes, NULL, 0), EINVAL);
	CHECK(read_unsigned("arenas.narenas") == before + 3);
	CHECK(!mallctlnametomib("arenas.create", mib, &length) && length == 2);
	bytes = sizeof(number);
	CHECK(!mallctlbymib(mib, length, &number, &bytes, NULL, 0) && number == before + 3);
	CHECK(read_unsigned("thread.arena") == 0);
	EXPECT_ERROR(write_number("thread.arena", first), 0);
	EXPECT_ERROR(write_number("thread.arena", 4000), EFAULT);
}

static void arenas_run_out(void)
{
	unsigned int number;
	size_t bytes = sizeof(number);
	int error = 0;

	for (unsigned int i = 0; i < 5000 && !error; i++)
		error = mallctl("arenas.create", &number, &bytes, NULL, 0);
	CHECK(error == EAGAIN && read_unsigned("arenas.narenas") == 4095);
}

static void thread_caches_are_numbers(void)
{
	unsigned int first = create("tcache.create"), second = create("tcache.create"), number;
	size_t bytes = sizeof(number);
	int error = 0;

	CHECK(first == 0 && second == 1, "; %u, %u", first, second);
	EXPECT_ERROR(write_number("tcache.flush", second), 0);
	EXPECT_ERROR(write_number("tcache.flush", second + 1), EFAULT);
	EXPECT_ERROR(write_number("tcache.flush", UINT32_MAX), EFAULT);
	EXPECT_ERROR(write_number("tcache.destroy", first), 0);
	EXPECT_ERROR(write_number("tcache.destroy", first), EFAULT);
	EXPECT_ERROR(write_number("tcache.flush", first), EFAULT);
	CHECK(create("tcache.create") == first);
	EXPECT_ERROR(mallctl("tcache.create", &number, &bytes, &number, sizeof(number)), EPERM);
	EXPECT_ERROR(mallctl("tcache.create", NULL, NULL, NULL, 0), EINVAL);
	EXPECT_ERROR(mallctl("tcache.flush", NULL, NULL, NULL, 0), EINVAL);
	EXPECT_ERROR(mallctl("tcache.flush", NULL, NULL, &number, 1), EINVAL);
	EXPECT_ERROR(mallctl("tcache.flush", &number, &bytes, &number, sizeof(number)), EPERM);
	EXPECT_ERROR(mallctl("thread.tcache.flush", NULL, NULL, NULL, 0), 0);
	EXPECT_ERROR(mallctl("thread.tcache.flush", &number, &bytes, NULL, 0), EPERM);
	for (unsigned int i = 0; i < 5000 && !error; i++)
		error = mallctl("tcache.create", &number, &bytes, NULL, 0);
	CHECK(error == EFAULT && number == 4094, "; %d, %u", error, number);
	for (number = 0; number < 4095; number++)
		EXPECT_ERROR(write_number("tcache.destroy", number), 0);
}

static size_t read_bin(const char *format, unsigned int bin)
{
	char name[64];

	snprintf(name, sizeof(name), format, bin);
	return read_size(name);
}

/* The class of BLOCK_BYTES has what fill() took, and no other one has. */
static void bins_are_classes(void)
{
	unsigned int nr = read_unsigned("arenas.nbins"), found = nr;
	size_t before, objects, slabs, last = 0;
	char name[64];

	for (unsigned int bin = 0; bin < nr; bin++) {
		size_t size = read_bin("arenas.bin.%u.size", bin);

		CHECK(size > last && size % 16 == 0, "; %u: %zu", bin, size);
		if (size >= BLOCK_BYTES && last < BLOCK_BYTES)
			found = bin;
		last = size;
	}
	REQUIRE(found < nr);
	advance_epoch();
	before = read_bin("stats.arenas.0.bins.%u.curregs", found);
	fill();
	advance_epoch();
	objects = read_bin("stats.arenas.0.bins.%u.curregs", found);
	slabs = read_bin("stats.arenas.0.bins.%u.curslabs", found);
	/* Some blocks may lie in slabs that other classes have left. */
	CHECK(objects - before >= NR_BLOCKS - NR_BLOCKS / 100 &&
	      objects - before < NR_BLOCKS + 100, "; %zu, %zu", before, objects);
	snprintf(name, sizeof(name), "arenas.bin.%u.nregs", found);
	CHECK(slabs * read_unsigned(name) >= objects, "; %zu of %u, %zu", slabs,
	      read_unsigned(name), objects);
	CHECK(read_size("stats.arenas.0.small.allocated") +
	      read_size("stats.arenas.0.large.allocated") == read_size("stats.allocated"));
	empty();
}

/* Each name has numbers of its own. */
static void numbers_are_of_one_name(void)
{
	static const char *const names[] = {
		"stats.allocated", "stats.active", "stats.metadata", "stats.resident",
		"stats.mapped", "arenas.page", "arenas.quantum", "max_background_threads",
		"stats.arenas.0.pactive", "stats.arenas.0.pdirty", "arenas.bin.3.size",
		"arenas.bin.40.size", "stats.arenas.0.bins.5.curregs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t mib[6], length = ARRAY_SIZE(mib), value = 0, bytes = sizeof(value);

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
		before = resident_bytes();
		CHECK(!mallctl(names[i], NULL, NULL, NULL, 0), "; %s", names[i]);
		CHECK(resident_bytes() < before - 8 * MIB, "; %s, of %zu",
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
	  { "arenas_are_created", arenas_are_created, true },
	  { "thread_caches_are_numbers", thread_caches_are_numbers, true },
	  { "bins_are_classes", bins_are_classes, true },
	  { "purge_gives_back", purge_gives_back, true },
	  { "reports_are_printed", reports_are_printed, true },
	  { "threads_go_on", threads_go_on, true },
	  { "arenas_run_out", arenas_run_out, true })
