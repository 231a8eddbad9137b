/* SPDX-License-Identifier: MIT */
/*
 * malloc with profile=BYTES: when and where the profile is written, wrong options, and correct
 * programs, which notice nothing. Every trial is this program again, with the option.
 */
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

#include "behave.h"
#include "heap_profile.h"
#include "mistakes.h"

#define PATH_SIZE 200

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
		run_again(&result, "--end", ends[i].what, options);
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
	run_again(&result, "--end", "fork", options);
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

static void write_to(const char *path)
{
	struct child_result result;
	char options[PATH_SIZE + NAME_MAX];

	snprintf(options, sizeof(options), "profile=1K:profile_file=%s", path);
	run_again(&result, "--end", "exit", options);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s %s", path, result.err);
}

/*
 * A new file replaces the one of the same name, however long the name is, and gets its permissions.
 */
static void files_are_replaced_whole(void)
{
	static const unsigned int lengths[] = { 1, 200, 243, 244, 245, 254, NAME_MAX };
	char name[NAME_MAX + 1], path[PATH_SIZE + NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct stat first, second;
		int fd;

		memset(name, 'x', lengths[i]);
		name[lengths[i]] = '\0';
		snprintf(path, sizeof(path), "%s/%s", directory, name);
		write_to(path);
		REQUIRE(!stat(path, &first));
		CHECK((first.st_mode & 07777) == 0600);
		fd = open(path, O_RDONLY | O_CLOEXEC);	/* while it is open its number stays */
		REQUIRE(fd >= 0 && !fchmod(fd, 0640));
		write_to(path);
		REQUIRE(!stat(path, &second));
		CHECK(second.st_ino != first.st_ino && (second.st_mode & 07777) == 0640,
		      "; %u bytes: mode %o", lengths[i], second.st_mode);
		close(fd);
		unlink(path);
	}
}

static void signals_may_come_anywhere(void)
{
	struct child_result result;
	struct profile profile;
	char options[PATH_SIZE];
	unsigned int nr;

	snprintf(options, sizeof(options),
		 "profile=4K:profile_signal=12:profile_file=%s/1", directory);
	run_again(&result, "--signals", NULL, options);
	nr = read_files(&profile);
	CHECK(child_exited(result.status, 0) && !*result.err && nr == 1,
	      "; %u files, status %#x %s", nr, result.status, result.err);
}

/* --- What is wrong with the options ----------------------------------------------------------- */

/* A file that accepts any data, and that no failure can replace or remove. */
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
		run_again(&result, "--end", "exit", bad[i][0]);
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
		"profile=1", "profile=5K", "profile=5K:kfence_sample=3", "profile=5K:slab_debug",
		"profile=1K:hardened=1", "profile=1K:init_on_alloc=1:init_on_free=1",
		"profile=1K:slab_cpu_cache=slab",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--behave", options[i]);
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
		{ "it_is_written_when_it_should_be", it_is_written_when_it_should_be, true },
		{ "the_name_has_the_process", the_name_has_the_process, true },
		{ "files_are_replaced_whole", files_are_replaced_whole, true },
		{ "signals_may_come_anywhere", signals_may_come_anywhere, true },
		{ "bad_options_are_told", bad_options_are_told, true },
		{ "mistakes_are_reported", mistakes_are_reported, true },
		{ "good_programs_notice_nothing", good_programs_notice_nothing, true },
	};
	int status;

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
