/* SPDX-License-Identifier: MIT */
/*
 * malloc with profile=BYTES: what the profile estimates of known blocks, by the place that
 * asked for them; when it is written; and programs that notice nothing of it. Every trial is
 * this program again, with the option.
 *
 * How far an estimate may be off follows from the number of samples: DEVIATIONS times the
 * standard deviation, which chance exceeds once in a thousand million trials.
 */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "behave.h"
#include "mistakes.h"
#include "support/text.h"

#define DEVIATIONS 6.0
#define PATH_SIZE 200
#define PROFILE_SIZE (512 * KIB)
/* A function of a site is not longer. */
#define SITE_CODE 256
#define SITE_FRAMES 3

int usermm_heap_profile(int fd) __attribute__((__weak__));

/* --- Places that ask for blocks ------------------------------------------------------------- */

#define SITE(name, call)							\
	static __attribute__((__noinline__)) void *name(void *old, size_t size)	\
	{									\
		void *block = ((void)old, (call));				\
										\
		REQUIRE(block);							\
		return opaque(block);						\
	}

SITE(by_malloc, malloc(opaque_size(size)))
SITE(by_calloc, calloc(1, opaque_size(size)))
SITE(by_realloc, realloc(old, opaque_size(size)))
SITE(by_reallocarray, reallocarray(old, 2, opaque_size(size / 2)))
SITE(by_aligned_alloc, aligned_alloc(64, opaque_size(size)))
SITE(by_posix_memalign, posix_memalign(&old, 8192, opaque_size(size)) ? NULL : old)

typedef void *(*site_function)(void *old, size_t size);

/* --- Reading ---------------------------------------------------------------------------------- */

static double one_less_exp(double x)
{
	return -expm1(-x);
}

struct estimate {
	double nr, bytes;			/* of blocks */
};

/* As readers of the format work it out. */
static void add_line(struct estimate *sum, unsigned long nr, unsigned long bytes, double distance)
{
	double weight = nr ? 1 / one_less_exp((double)bytes / (double)nr / distance) : 0;

	sum->nr += (double)nr * weight;
	sum->bytes += (double)bytes * weight;
}

static const site_function sites[] = {
	by_malloc, by_calloc, by_realloc, by_reallocarray, by_aligned_alloc, by_posix_memalign,
};

/* The one that the address lies in, or NULL. */
static site_function site_at(unsigned long address)
{
	site_function nearest = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(sites); i++)
		if (address - (unsigned long)sites[i] < SITE_CODE &&
		    (!nearest || (unsigned long)sites[i] > (unsigned long)nearest))
			nearest = sites[i];
	return nearest;
}

/* A function of the library's, or this program's own, may lie between. */
static bool is_of_site(const char *addresses, site_function site)
{
	for (unsigned int i = 0; i < SITE_FRAMES; i++) {
		char *end;
		unsigned long address = strtoul(addresses, &end, 16);

		if (end == addresses || site_at(address))
			return end != addresses && site_at(address) == site;
		addresses = end;
	}
	return false;
}

struct profile {
	unsigned long distance;
	struct estimate in_use, all;
	unsigned long nr_in_use, nr_all;	/* of samples; as the head has it */
	unsigned long nr_seen;			/* in use, as the lines have it */
};

/* The lines of one site; of all, if that is NULL. */
static bool read_profile(struct profile *profile, const char *text, site_function site)
{
	unsigned long bytes[2];
	const char *line = strchr(text, '\n');

	*profile = (struct profile){ 0 };
	if (!CHECK(sscanf(text, "heap profile: %lu: %lu [%lu: %lu] @ heap_v2/%lu\n",
			  &profile->nr_in_use, &bytes[0], &profile->nr_all, &bytes[1],
			  &profile->distance) == 5, "; %.100s", text) ||
	    !CHECK(strstr(text, "\nMAPPED_LIBRARIES:\n"), "; it is cut off"))
		return false;
	for (; line && strncmp(line, "\n\nMAPPED", 8); line = strchr(line + 1, '\n')) {
		unsigned long nr[2];
		int at = 0;

		if (sscanf(line, " %lu: %lu [%lu: %lu] @%n", &nr[0], &bytes[0], &nr[1], &bytes[1],
			   &at) != 4 || !at)
			continue;
		profile->nr_seen += nr[0];
		if (site && !is_of_site(line + at, site))
			continue;
		add_line(&profile->in_use, nr[0], bytes[0], (double)profile->distance);
		add_line(&profile->all, nr[1], bytes[1], (double)profile->distance);
	}
	return true;
}

static void read_text(int fd, char *text)
{
	ssize_t n = pread(fd, text, PROFILE_SIZE - 1, 0);

	REQUIRE(n >= 0);
	text[n] = '\0';
}

static char text_now[PROFILE_SIZE];

static void read_now(struct profile *profile, site_function site)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && usermm_heap_profile && !usermm_heap_profile(fd));
	read_text(fd, text_now);
	close(fd);
	REQUIRE(read_profile(profile, text_now, site));
}

/* Of nr blocks of size bytes each is sampled with the probability p, and stands for 1 / p. */
static void check_near(const struct estimate *found, double nr, double size, double distance)
{
	double p = one_less_exp(size / distance);
	double off = DEVIATIONS * sqrt(nr * (1 - p) / p) + 1e-6 * nr + 1e-6;

	CHECK(found->nr > nr - off && found->nr < nr + off,
	      "; %.0f blocks of %.0f bytes, %.0f more or less: %.0f", nr, size, off, found->nr);
	CHECK(found->bytes > (nr - off) * size && found->bytes < (nr + off) * size,
	      "; %.0f bytes of %.0f, %.0f more or less", found->bytes, nr * size, off * size);
}

/* --- Accuracy --------------------------------------------------------------------------------- */

struct kind {
	site_function ask;
	size_t size;
	unsigned int nr, freed_of_ten;
};

static const struct kind kinds[] = {
	{ by_malloc, 32, 300000, 5 },
	{ by_calloc, 4096, 6000, 9 },
	{ by_realloc, MIB, 40, 2 },
	{ by_reallocarray, 700, 30000, 0 },
	{ by_aligned_alloc, 192, 60000, 10 },
	{ by_posix_memalign, 40 * KIB, 500, 3 },
};

static void *blocks[300000];

static unsigned int count_freed(const struct kind *kind)
{
	return kind->nr / 10 * kind->freed_of_ten;
}

static int estimate_known(void)
{
	struct profile profile;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		for (unsigned int k = 0; k < kind->nr; k++)
			blocks[k] = kind->ask(NULL, kind->size);
		for (unsigned int k = 0; k < count_freed(kind); k++)
			free(blocks[k]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];

		read_now(&profile, kind->ask);
		check_near(&profile.all, kind->nr, (double)kind->size, (double)profile.distance);
		check_near(&profile.in_use, kind->nr - count_freed(kind), (double)kind->size,
			   (double)profile.distance);
		CHECK(profile.nr_in_use == profile.nr_seen && profile.nr_all >= profile.nr_seen);
	}
	return harness_status();
}

/* All of it is freed but for what one place forgets. */
static int find_leak(void)
{
	struct profile leaked, all;

	for (unsigned int i = 0; i < 200000; i++) {
		void *short_lived = by_malloc(NULL, 100);

		if (i % 10)
			by_calloc(NULL, 80);
		free(short_lived);
	}
	read_now(&leaked, by_calloc);
	check_near(&leaked.in_use, 180000, 80, (double)leaked.distance);
	read_now(&all, by_malloc);
	CHECK(all.in_use.nr == 0, "; %.0f", all.in_use.nr);
	check_near(&all.all, 200000, 100, (double)all.distance);
	return harness_status();
}

/* Blocks that realloc() changes count where and as large as they are then. */
static int follow_resized(void)
{
	void *grown = malloc(1000);
	struct profile profile;

	/* From one class to the next: all of them move, sampled or not. */
	for (unsigned int i = 0; i < 20000; i++)
		blocks[i] = by_realloc(by_malloc(NULL, 1500), 2100);
	read_now(&profile, by_malloc);
	CHECK(profile.in_use.nr == 0, "; %.0f", profile.in_use.nr);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 20000, 2100, (double)profile.distance);
	/* Within a class none does. */
	for (unsigned int i = 0; i < 20000; i++)
		free(blocks[i]);
	for (unsigned int i = 0; i < 20000; i++) {
		blocks[i] = by_malloc(NULL, 2060);
		CHECK(by_realloc(blocks[i], 2100) == blocks[i]);
	}
	read_now(&profile, by_malloc);
	check_near(&profile.in_use, 20000, 2060, (double)profile.distance);
	for (unsigned int i = 0; i < 20000; i++)
		free(blocks[i]);
	/* A mapping that grows is what it has become; so large that it is sampled for sure. */
	for (size_t size = 256 * KIB; size <= 64 * MIB; size *= 2)
		grown = by_realloc(grown, size);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 1, 64.0 * MIB, (double)profile.distance);
	grown = by_realloc(grown, 8 * MIB);
	read_now(&profile, by_realloc);
	check_near(&profile.in_use, 1, 8.0 * MIB, (double)profile.distance);
	free(grown);
	read_now(&profile, by_realloc);
	CHECK(profile.in_use.nr == 0, "; %.0f", profile.in_use.nr);
	return harness_status();
}

/* Sampled or not, a block has the same bytes. */
static int look_alike(void)
{
	struct profile profile;

	for (size_t size = 1; size <= 32 * KIB; size += 1 + size / 9) {
		size_t usable = malloc_usable_size(blocks[0] = by_malloc(NULL, size));
		size_t step = size <= 128 ? 16 : size / 8 + 1;

		CHECK(usable >= size && usable <= size + step, "; %zu of %zu", usable, size);
		memset(blocks[0], 1, usable);
		CHECK(!((unsigned long)blocks[0] % 16));
		free(blocks[0]);
	}
	read_now(&profile, by_malloc);
	CHECK(profile.nr_all > 50 && profile.in_use.nr == 0);
	return harness_status();
}

static void *keep_running(void *arg)
{
	for (unsigned int i = 0; i < 50000; i++)
		free(by_malloc(arg, 1000));
	return NULL;
}

/* Threads that begin and end often lose none of what they ask for. */
static int run_threads(void)
{
	struct profile profile;
	pthread_t threads[4];

	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, keep_running, NULL));
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	read_now(&profile, by_malloc);
	check_near(&profile.all, 50000 * ARRAY_SIZE(threads), 1000, (double)profile.distance);
	CHECK(profile.in_use.nr == 0);
	return harness_status();
}

/* More than there is room for: the others are blocks like any, and the profile says so. */
static int take_too_many(void)
{
	struct profile profile;

	for (unsigned int i = 0; i < 150000; i++)
		blocks[i] = by_malloc(NULL, 16);
	read_now(&profile, by_malloc);
	CHECK(strstr(text_now, "\n# ") && strstr(text_now, " more samples, of "));
	CHECK(profile.nr_in_use < 150000 && profile.nr_in_use > 50000, "; %lu",
	      profile.nr_in_use);
	for (unsigned int i = 0; i < 150000; i++)
		free(blocks[i]);
	read_now(&profile, by_malloc);
	CHECK(profile.in_use.nr == 0);
	return harness_status();
}

static int trial(const char *what)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} trials[] = {
		{ "known", estimate_known }, { "leak", find_leak }, { "resized", follow_resized },
		{ "alike", look_alike }, { "threads", run_threads }, { "many", take_too_many },
	};

	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		if (!strcmp(trials[i].name, what))
			return trials[i].run();
	return 1;
}

static void run(struct child_result *result, const char *mode, const char *what,
		const char *options)
{
	struct child_again again = { mode, what, options, 0 };

	child_run(result, child_exec_again, &again);
}

static void estimates_are_near(void)
{
	static const char *const tried[][2] = {
		{ "known", "profile=16K" }, { "known", "profile=512K" }, { "known", "profile=300" },
		{ "known", "profile=16K:hardened=1" }, { "known", "profile=16K:guard=500" },
		{ "leak", "profile=8K" }, { "leak", "profile=8K:slab_path=freelist" },
		{ "resized", "profile=16K" }, { "resized", "profile=16K:hardened=1" },
		{ "alike", "profile=1" }, { "alike", "profile=100" },
		{ "threads", "profile=64K" }, { "many", "profile=1" },
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(tried); i++) {
		run(&result, "--trial", tried[i][0], tried[i][1]);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s, %s: status %#x %s",
		      tried[i][0], tried[i][1], result.status, result.err);
	}
}

/* --- When it is written ----------------------------------------------------------------------- */

static char directory[] = "/tmp/usermm_profile_XXXXXX";

/* The number of files there; the last one's profile, if it is wanted. */
static unsigned int read_files(struct profile *profile)
{
	static char file_text[PROFILE_SIZE];
	unsigned int nr = 0;
	char path[PATH_SIZE];

	for (unsigned int i = 0; i < 100; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%u", directory, i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		nr++;
		read_text(fd, file_text);
		CHECK(read_profile(profile, file_text, NULL));
		close(fd);
		unlink(path);
	}
	return nr;
}

static int end_somehow(const char *what)
{
	void *block = by_malloc(NULL, MIB);

	if (!strcmp(what, "_exit"))
		_exit(0);
	if (!strcmp(what, "fork")) {
		pid_t child = fork();

		if (!child) {	/* has the parent's block, and one more */
			block = by_malloc(opaque(block), MIB);
			exit(0);
		}
		CHECK(child_exited(child_wait(child), 0));
	}
	for (unsigned int i = 0; !strcmp(what, "signal") && i < 20; i++) {
		raise(SIGUSR2);
		block = by_malloc(opaque(block), MIB);
	}
	opaque(block);
	return harness_status();
}

static void it_is_written_when_it_should_be(void)
{
	static const struct {
		const char *what, *options;
		unsigned int nr_files;
		double in_use;		/* by the last one, in MiB */
	} ends[] = {
		{ "exit", "profile=1K:profile_file=%s/%%n", 1, 1 },
		{ "_exit", "profile=1K:profile_file=%s/%%n", 0, 0 },
		{ "exit", "profile=1K", 0, 0 },
		{ "signal", "profile=1K:profile_file=%s/%%n:profile_signal=12", 21, 21 },
		{ "fork", "profile=1K:profile_file=%s/%%n", 1, 1 },	/* the parent's */
		{ "exit", "hardened=1:profile=1K:profile_file=%s/%%n", 1, 1 },
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct profile profile = { 0 };
		char options[PATH_SIZE];
		unsigned int nr;

		snprintf(options, sizeof(options), ends[i].options, directory);
		run(&result, "--end", ends[i].what, options);
		nr = read_files(&profile);
		CHECK(child_exited(result.status, 0) && !*result.err && nr == ends[i].nr_files,
		      "; %s: %u files, status %#x %s", ends[i].what, nr, result.status,
		      result.err);
		CHECK(!nr || (profile.in_use.bytes >= ends[i].in_use * MIB &&
			      profile.in_use.bytes < (ends[i].in_use + 1) * MIB),
		      "; %s: %.0f", ends[i].what, profile.in_use.bytes);
	}
}

/* Each process has a file of its own. */
static void the_name_has_the_process(void)
{
	struct child_result result;
	const struct dirent *entry;
	char options[PATH_SIZE];
	unsigned int nr = 0;
	DIR *files;

	snprintf(options, sizeof(options), "profile=1K:profile_file=%s/%%%%%%p", directory);
	run(&result, "--end", "fork", options);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s", result.err);
	files = opendir(directory);
	REQUIRE(files);
	while ((entry = readdir(files))) {
		if (*entry->d_name == '.')
			continue;
		CHECK(*entry->d_name == '%' && strtol(entry->d_name + 1, NULL, 10) > 1, "; %s",
		      entry->d_name);
		nr += !unlinkat(dirfd(files), entry->d_name, 0);
	}
	closedir(files);
	CHECK(nr == 2, "; %u files", nr);
}

static volatile bool is_over;

static void *send_signals(void *arg)
{
	pthread_t *to = arg;

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		pthread_kill(*to, SIGUSR2);
		sleep_us(2000);
	}
	return NULL;
}

/* The signal may come anywhere. */
static int allocate_under_signals(void)
{
	struct behaviour behaviour = {
		.seed = 5, .steps = 20000, .size_bits = 15, .align_bits = 8,
		.release = free_unsized,
	};
	pthread_t self = pthread_self(), sender;

	free(by_malloc(NULL, 1));
	REQUIRE(!pthread_create(&sender, NULL, send_signals, &self));
	behave(&behaviour);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(sender, NULL);
	return harness_status();
}

static void signals_may_come_anywhere(void)
{
	struct child_result result;
	struct profile profile;
	char options[PATH_SIZE];
	unsigned int nr;

	snprintf(options, sizeof(options),
		 "profile=4K:profile_signal=12:profile_file=%s/1", directory);
	run(&result, "--signals", NULL, options);
	nr = read_files(&profile);
	CHECK(child_exited(result.status, 0) && !*result.err && nr == 1,
	      "; %u files, status %#x %s", nr, result.status, result.err);
}

/* --- What is wrong with the options ----------------------------------------------------------- */

/* Takes anything, and can be neither replaced nor removed by whatever goes wrong. */
#define SINK "/proc/self/comm"

static void bad_options_are_told(void)
{
	static const char *const bad[][2] = {
		{ "profile=x", "profile takes 0..1T" },
		{ "profile=2T", "profile takes 0..1T" },
		{ "profile=1K:profile_file=", "profile_file takes PATH" },
		{ "profile=1K:profile_file=a%", "profile_file takes PATH" },
		{ "profile=1K:profile_file=a%q", "%p is the process" },
		{ "profile=1K:profile_signal=65", "profile_signal takes 0..64" },
		{ "profile_file=" SINK, "need profile=" },
		{ "profile=1K:profile_signal=10", "needs profile_file=" },
		{ "profile=1K:profile_file=" SINK ":profile_signal=9", "profile_signal=9: no" },
		{ "profile=1K:profile_file=" SINK ":profile_signal=11", "profile_signal=11: no" },
		{ "profile=1K:profile_file=/nowhere/at/all", "cannot be written: error 2" },
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		run(&result, "--end", "exit", bad[i][0]);
		CHECK(child_exited(result.status, 0) && strstr(result.err, bad[i][1]) &&
		      count_lines(result.err) == 1,
		      "; %s: status %#x %s", bad[i][0], result.status, result.err);
	}
}

/* --- Mistakes, and programs without ----------------------------------------------------------- */

static void free_twice(size_t size)
{
	void *block = by_malloc(NULL, size);

	free(block);
	free(opaque(block));
}

static void free_inside(size_t size)
{
	free(opaque((char *)by_malloc(NULL, size) + 16));
}

static const struct mistake mistakes[] = {
	{ .name = "free_twice", .signal = SIGABRT, .texts = { "free(" }, .make = free_twice },
	{ .name = "free_inside", .signal = SIGABRT, .texts = { "free(" }, .make = free_inside },
};

static void mistakes_are_reported(void)
{
	static const size_t sizes[] = { 24, 1000, 20000, 100000, 5000000 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "profile=1", 0);
}

static void *run_one(void *seed)
{
	struct behaviour behaviour = {
		.seed = (unsigned long)seed, .steps = 5000, .size_bits = 15, .align_bits = 8,
		.release = free_unsized,
	};

	behave(&behaviour);
	return NULL;
}

static int run_well(void)
{
	pthread_t threads[3];

	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, run_one, (void *)(i + 1)));
	for (unsigned int i = 0; i < 5; i++) {	/* under threads */
		pid_t child = fork();

		REQUIRE(child >= 0);
		if (!child) {
			run_one((void *)9);
			_exit(harness_status());
		}
		CHECK(child_exited(child_wait(child), 0));
	}
	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	return harness_status();
}

static void good_programs_notice_nothing(void)
{
	static const char *const options[] = {
		"profile=1", "profile=5K", "profile=5K:guard=3", "profile=5K:slab_debug",
		"profile=1K:hardened=1", "profile=1K:init_on_alloc=1:init_on_free=1",
		"profile=1K:slab_path=freelist",
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		run(&result, "--behave", NULL, options[i]);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      options[i], result.status, result.err);
	}
}

static void without_the_option_there_is_none(void)
{
	struct profile profile = { 0 };

	CHECK(usermm_heap_profile && usermm_heap_profile(STDOUT_FILENO) == -EOPNOTSUPP);
	CHECK(!read_files(&profile));
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "without_the_option_there_is_none", without_the_option_there_is_none, true },
		{ "estimates_are_near", estimates_are_near, true },
		{ "it_is_written_when_it_should_be", it_is_written_when_it_should_be, true },
		{ "the_name_has_the_process", the_name_has_the_process, true },
		{ "signals_may_come_anywhere", signals_may_come_anywhere, true },
		{ "bad_options_are_told", bad_options_are_told, true },
		{ "mistakes_are_reported", mistakes_are_reported, true },
		{ "good_programs_notice_nothing", good_programs_notice_nothing, true },
	};
	int status;

	if (argc > 2 && !strcmp(argv[1], "--trial"))
		return trial(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--end"))
		return end_somehow(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "--signals"))
		return allocate_under_signals();
	if (argc > 1 && !strcmp(argv[1], "--behave"))
		return run_well();
	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	REQUIRE(mkdtemp(directory));
	status = harness_main(argc, argv, cases, ARRAY_SIZE(cases));
	return rmdir(directory) || status;
}
