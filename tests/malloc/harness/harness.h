/* SPDX-License-Identifier: MIT */
/*
 * The harness of the tests that run with usermm preloaded. They are ordinary
 * programs: nothing here knows the library, and nothing here allocates. Run by
 * hand without LD_PRELOAD they test the C library's malloc, the oracle for all
 * that is not usermm's own.
 *
 *	PROGRAM [CASE]	reports in TAP; exit status 0 if every case passed
 */
#ifndef MALLOC_HARNESS_H
#define MALLOC_HARNESS_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/opaque.h"

/* musl has no such functions; usermm has them, if it is preloaded. */
#ifndef __GLIBC__
void *pvalloc(size_t size) __attribute__((__weak__));
int malloc_trim(size_t pad) __attribute__((__weak__));
#endif

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define KIB 1024UL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* A program's addresses have no more bits, unless it asks for more. */
#ifdef __aarch64__
#define ADDRESS_BITS 48
#else
#define ADDRESS_BITS 47
#endif

/*
 * A case that takes longer hangs, and is ended by SIGALRM. This is far more than any case takes on
 * a busy machine. In an emulated machine: times TEST_SLOWNESS.
 */
#define CASE_SECONDS 300
#define FAILURES_SHOWN 20

struct test_case {
	const char *name;
	void (*run)(void);
	bool usermm_only;
};

/* Sync: failures is atomic; the rest belongs to the first thread. */
static struct {
	unsigned int failures;	/* of the running case */
	const char *skipped;	/* why it was not run */
} harness;

__attribute__((__format__(__printf__, 4, 5)))
static inline void harness_fail(const char *file, int line, const char *condition,
				const char *format, ...)
{
	char more[256];
	va_list args;

	if (__atomic_add_fetch(&harness.failures, 1, __ATOMIC_RELAXED) > FAILURES_SHOWN)
		return;
	va_start(args, format);
	vsnprintf(more, sizeof(more), format, args);
	va_end(args);
	dprintf(STDOUT_FILENO, "# %s:%d: not true: %s%s\n", file, line, condition, more);
}

/* CHECK(condition) or CHECK(condition, "; the size is %zu", size); true if it holds. */
#define CHECK(condition, ...)							\
	({									\
		bool holds_ = (condition);					\
										\
		if (!holds_)							\
			harness_fail(__FILE__, __LINE__, #condition,		\
				     " " __VA_ARGS__);				\
		holds_;								\
	})

/* For a condition without which the rest of the program cannot run. */
#define REQUIRE(condition, ...)							\
	do {									\
		if (!CHECK(condition, ##__VA_ARGS__))				\
			_exit(1);						\
	} while (0)

/* The exit status of a forked child that made checks. */
static inline int harness_status(void)
{
	return __atomic_load_n(&harness.failures, __ATOMIC_RELAXED) ? 1 : 0;
}

static inline double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline void sleep_us(unsigned int microseconds)
{
	struct timespec delay = { microseconds / 1000000, microseconds % 1000000 * 1000 };

	nanosleep(&delay, NULL);
}

/* The number of a line "NAME: n kB" in a file of /proc, in bytes; 0 if there is no such line. */
static inline size_t proc_bytes(const char *path, const char *name)
{
	size_t length = strlen(name), kib = 0;
	FILE *file = fopen(path, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':')
			kib = strtoul(line + length + 1, NULL, 10);
	if (file)
		fclose(file);
	return kib * KIB;
}

/* Reads the file from its position on, as a string that takes at most `bytes`; more is left out. */
static inline void read_rest(int fd, char *text, size_t bytes)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, bytes - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
}

/*
 * Resident memory of this process. For smaps_rollup the kernel counts the pages. The number in
 * statm is a sum to which each CPU adds with a delay, which grows with the number of CPUs. It is
 * used only where there is nothing else.
 */
static inline size_t resident_bytes(void)
{
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	char text[4096] = "", *found = NULL;

	if (fd >= 0) {
		read_rest(fd, text, sizeof(text));
		close(fd);
		found = strstr(text, "\nRss:");
	}
	if (found)
		return strtoul(found + strlen("\nRss:"), NULL, 10) * KIB;
	fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	strtoul(text, &found, 10);
	return strtoul(found, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Skips the case, and returns true, if libc has this gap. */
static inline bool skip_on_musl(const char *gap)
{
#ifdef __GLIBC__
	(void)gap;
	return false;
#else
	harness.skipped = gap;
	return true;
#endif
}

/* Skips the case, and returns true, if this option is set: the case does not hold with it. */
static inline bool skip_with(const char *option, const char *reason)
{
	const char *options = getenv("USERMM_OPTIONS");

	if (!options || !strstr(options, option))
		return false;
	harness.skipped = reason;
	return true;
}

/* The file that a function of this process comes from. */
static inline const char *library_of(const char *function)
{
	void *address = dlsym(RTLD_DEFAULT, function);
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fname : "";
}

static inline bool is_usermm(const char *file)
{
	return strstr(file, "libusermm_malloc") != NULL;
}

static inline bool preloaded(void)
{
	return is_usermm(library_of("malloc"));
}

/* How many times slower than usual the machine is. */
static inline unsigned int slowness(void)
{
	const char *told = getenv("TEST_SLOWNESS");

	return told ? (unsigned int)strtoul(told, NULL, 10) : 1;
}

/*
 * Some flavours make only 1 / divisor of a long test's steps (cf. TEST_STEPS() of the unit tests).
 */
static inline unsigned int test_divisor(void)
{
	const char *told = getenv("USERMM_TEST_DIVISOR");

	return told ? (unsigned int)strtoul(told, NULL, 10) : 1;
}

static inline bool harness_run_case(const struct test_case *test, unsigned int number)
{
	double start = seconds_now();
	bool failed;

	harness.failures = 0;
	harness.skipped = NULL;
	alarm(CASE_SECONDS * slowness());
	if (test->usermm_only && !preloaded())
		harness.skipped = "usermm is not preloaded";
	else
		test->run();
	failed = harness_status();
	dprintf(STDOUT_FILENO, "%sok %u - %s%s%s\n# %.2f s\n", failed ? "not " : "", number,
		test->name, harness.skipped ? " # SKIP " : "",
		harness.skipped ? harness.skipped : "", seconds_now() - start);
	return !failed;
}

/*
 * For cases that start the system's programs: these may have another libc than musl, and could not
 * load this preload.
 */
static inline int keep_preload_to_oneself(void)
{
#ifdef __GLIBC__
	return 0;
#else
	return unsetenv("LD_PRELOAD");
#endif
}

/*
 * Allocates, so that the memory for a process's first block is there before a case measures. Else
 * the figures would depend on libc: dprintf() allocates in glibc before 2.37, and not since.
 */
static inline void allocate_first_block(void)
{
	void *volatile block = malloc(1);

	free(block);
}

static inline int harness_main(int argc, char **argv, const struct test_case *cases, size_t nr)
{
	const char *preload = getenv("LD_PRELOAD");
	unsigned int failed = 0, run = 0;

	allocate_first_block();
	dprintf(STDOUT_FILENO, "TAP version 13\n# malloc: %s (%s)\n",
		preloaded() ? "usermm" : "not preloaded, this is the oracle",
		library_of("malloc"));
	if (preload && is_usermm(preload) && !preloaded()) {
		dprintf(STDOUT_FILENO, "Bail out! LD_PRELOAD names usermm, it is not there\n");
		return 1;
	}
	for (size_t i = 0; i < nr; i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name))
			continue;
		failed += !harness_run_case(&cases[i], ++run);
	}
	dprintf(STDOUT_FILENO, "1..%u\n", run);
	return failed || !run;
}

/* A main() for programs that need no more; the arguments are test cases. */
#define TEST_MAIN(...)								\
	int main(int argc, char **argv)						\
	{									\
		static const struct test_case cases[] = { __VA_ARGS__ };	\
										\
		return harness_main(argc, argv, cases, ARRAY_SIZE(cases));	\
	}

#endif
