/* SPDX-License-Identifier: MIT */
/*
 * The surroundings of a process: locked memory, memory cgroups, CPUs that it may no longer use, the
 * memory that the system charges it for, core dumps.
 */
#define _GNU_SOURCE
#include "child.h"

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "group.h"
#include "hammer.h"
#include "tasks.h"

static void expect_success(void (*fn)(void *arg), void *arg)
{
	struct child_result result;

	child_run(&result, fn, arg);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

/* --- mlockall(2) ------------------------------------------------------------------ */

static void check_zero(size_t size)
{
	unsigned long *words = calloc(1, size);

	REQUIRE(words);
	for (size_t i = 0; i < size / sizeof(*words); i++)
		REQUIRE(!words[i], "; word %zu of %zu bytes", i, size);
	memset(words, 0x5a, size);
	free(words);
}

/*
 * May all memory of the process be locked? Nothing is allocated yet, so mlockall() itself succeeds
 * for a user with a limit of some MiB, and what is mapped next is refused.
 */
static bool lock_all_memory(size_t bytes)
{
	void *area;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return false;
	area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return area != MAP_FAILED && !munmap(area, bytes);
}

/* The kernel refuses to take locked pages back, so memory that was given back is not zero. */
static int live_in_locked_memory(void)
{
	static void *blocks[600];
	struct prng prng = { 1 };

	if (!lock_all_memory(256 * MIB))
		return 77;
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
			blocks[i] = malloc(200 * KIB);
			REQUIRE(blocks[i]);
			memset(blocks[i], 0x5a, 200 * KIB);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
			free(blocks[i]);
		malloc_trim(0);
		for (size_t size = 16; size <= 16 * MIB; size *= 4)
			check_zero(size);
	}
	mixed_work(&prng, 2000);
	return harness_status();
}

static long minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/*
 * A real-time program: locks its memory, forbids trimming, touches each size once, and relies on
 * having no page faults from then on.
 */
static int live_without_faults(void)
{
	long faults = 0;

	if (!lock_all_memory(256 * MIB))
		return 77;
#ifdef M_TRIM_THRESHOLD
	CHECK(mallopt(M_TRIM_THRESHOLD, -1) == 1);
#endif
	for (unsigned int round = 0; round < 4; round++) {
		faults = minor_faults();
		for (size_t size = 16; size <= 16 * MIB; size *= 2) {
			char *block = malloc(size);

			REQUIRE(block);
			memset(block, 0x5a, size);
			free(block);
		}
	}
	faults = minor_faults() - faults;
	CHECK(faults < 100, "; %ld page faults in the last round", faults);
	return harness_status();
}

/* Runs this program again with that argument and with each of the options; NULL is none. */
static void live_locked(const char *argument, const char *const *options, size_t nr)
{
	struct child_result result;

	for (size_t i = 0; i < nr; i++) {
		struct child_again again = { argument, NULL, options[i], 0 };

		child_run(&result, child_exec_again, &again);
		if (child_exited(result.status, 77)) {
			harness.skipped = "this process may not lock its memory";
			return;
		}
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      options[i], result.status, result.err);
	}
}

static void locked_memory_without_faults(void)
{
#ifndef M_TRIM_THRESHOLD
	harness.skipped = "this libc has no mallopt()";
	return;
#endif
	static const char *const options[] = { NULL };

	live_locked("--without-faults", options, ARRAY_SIZE(options));
}

#define LOCKED_LIMIT (8 * MIB)	/* what systems allow */

/* As a user who may lock little; before the first malloc(). */
static int live_in_little_locked_memory(void)
{
	struct rlimit limit = { LOCKED_LIMIT, LOCKED_LIMIT };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) ||	/* it may be less already */
	    (!geteuid() && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))) ||
	    mlockall(MCL_FUTURE))
		return 77;
	for (size_t size = 16; size <= 200 * KIB; size += size / 8) {
		char *block = malloc(size);

		CHECK(block, "; %zu bytes", size);
		if (block)
			memset(block, 0x5a, size);
	}
	return harness_status();
}

static void little_locked_memory(void)
{
	static const char *const options[] = { NULL, "kfence_sample=20", "init_on_free=1" };

	live_locked("--little-locked", options, ARRAY_SIZE(options));
}

/* --- mlock(2) --------------------------------------------------------------------- */

#define NR_PARTLY_LOCKED 3000u
#define WITHIN_SECONDS 10

static size_t locked_bytes(void)
{
	return proc_bytes("/proc/self/status", "VmLck");
}

/*
 * Blocks that the library's thread is working on while malloc_trim() runs are free only afterwards,
 * and go back with the next call. A block that libc has for that thread keeps a page in use.
 */
static bool trim_unlocks(size_t unused)
{
	(void)unused;
	malloc_trim(0);
	return locked_bytes() <= (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * The program locks keys in some blocks, and frees the blocks without unlocking: their memory goes
 * back all the same.
 */
static void free_locked_pieces(void *size)
{
	static char *blocks[NR_PARTLY_LOCKED];
	size_t bytes = (size_t)size, before, peak;

	free(malloc(bytes));
	before = resident_bytes();
	for (unsigned int i = 0; i < NR_PARTLY_LOCKED; i++) {
		blocks[i] = malloc(bytes);
		REQUIRE(blocks[i]);
		memset(blocks[i], 1, bytes);
		if (i % 150 == 0 && mlock(blocks[i], 64))
			_exit(77);
	}
	peak = resident_bytes();
	for (unsigned int i = 0; i < NR_PARTLY_LOCKED; i++)
		free(blocks[i]);
	malloc_trim(0);
	CHECK(resident_bytes() - before < (peak - before) / 20 + MIB,
	      "; blocks of %zu: %zu MiB, then %zu, then %zu", bytes, before / MIB, peak / MIB,
	      resident_bytes() / MIB);
	CHECK(comes_true(trim_unlocks, 0, WITHIN_SECONDS), "; %zu KiB", locked_bytes() / KIB);
	check_zero(bytes);
}

static void locked_pieces(void)
{
	static const size_t sizes[] = { 50 * KIB, 12 * KIB };
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		child_run(&result, free_locked_pieces, (void *)sizes[i]);
		if (child_exited(result.status, 77)) {
			harness.skipped = "this process may not lock its memory";
			return;
		}
		CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
		      result.status, result.err);
	}
}

static void locked_memory(void)
{
	static const char *const options[] = {
		NULL, "hardened=1", "kfence_sample=20", "init_on_free=1",
	};

	live_locked("--locked", options, ARRAY_SIZE(options));
}

/* --- Memory cgroups ----------------------------------------------------------------- */

#define GROUP_LIMIT (256 * MIB)
#define GROUP_LIVE (180 * MIB)

/* Much comes and goes beside what stays; sizes change, so that all of it is used for all. */
static int churn_in_group(void)
{
	enum { NR_LIVE = GROUP_LIVE / (64 * KIB) };
	static char *live[NR_LIVE];
	struct prng prng = { 1 };

	for (unsigned int i = 0; i < NR_LIVE; i++) {
		live[i] = malloc(64 * KIB);
		REQUIRE(live[i], "; block %u", i);
		memset(live[i], 1, 64 * KIB);
	}
	for (unsigned int i = 0; i < 15000; i++) {
		char **block = &live[prng_below(&prng, NR_LIVE)];
		size_t size = prng_below(&prng, 96 * KIB) + 16 * KIB;

		free(*block);
		*block = malloc(size);
		REQUIRE(*block, "; step %u", i);
		memset(*block, 1, size);
	}
	return harness_status();
}

static void enter_group(void *folder)
{
	struct child_again again = { "--churn-in-group", NULL, NULL, 0 };

	group_enter(folder);
	child_exec_again(&again);
}

static void memory_cgroup(void)
{
	struct child_result result;
	char folder[PATH_MAX];

	if (!group_make(folder, sizeof(folder), GROUP_LIMIT)) {
		harness.skipped = "this process may not make memory cgroups";
		return;
	}
	child_run(&result, enter_group, folder);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
	group_remove(folder);
}

/* --- CPUs ------------------------------------------------------------------------------- */

/* The numbers of the CPUs that the process may use. */
static unsigned int read_cpus(int *cpus, unsigned int max)
{
	cpu_set_t set;
	unsigned int nr = 0;

	REQUIRE(!sched_getaffinity(0, sizeof(set), &set));
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

static bool run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static int work_on_few_cpus(void)
{
	struct prng prng = { 1 };

	mixed_work(&prng, 5000);
	start_hammers();
	mixed_work(&prng, 2000);
	stop_hammers();
	return harness_status();
}

static void start_on_last_cpu(void *cpu)
{
	struct child_again again = { "--few-cpus", NULL, NULL, 0 };

	REQUIRE(run_on(*(int *)cpu));
	child_exec_again(&again);
}

static void last_cpu_alone(void)
{
	int cpus[CPU_SETSIZE];
	unsigned int nr = read_cpus(cpus, ARRAY_SIZE(cpus));

	expect_success(start_on_last_cpu, &cpus[nr - 1]);
}

/* malloc_trim() finds the objects of a CPU that the process has left. */
static void leave_a_cpu(void *unused)
{
	static void *blocks[40000];
	int cpus[CPU_SETSIZE];
	unsigned int nr = read_cpus(cpus, ARRAY_SIZE(cpus));
	size_t before;

	(void)unused;
	malloc_trim(0);
	before = resident_bytes();
	for (unsigned int i = 0; i < nr; i++) {
		REQUIRE(run_on(cpus[i]));
		for (unsigned int j = 0; j < ARRAY_SIZE(blocks); j++) {
			blocks[j] = malloc(16 + j % 4000);
			REQUIRE(blocks[j]);
			memset(blocks[j], 1, 16);
		}
		for (unsigned int j = 0; j < ARRAY_SIZE(blocks); j++)
			free(blocks[j]);
	}
	malloc_trim(0);
	/* The blocks' own list is touched as well, and 80 bytes for each page of 80 MB. */
	CHECK(resident_bytes() <= before + sizeof(blocks) + 3 * MIB, "; %zu, then %zu KiB",
	      before / KIB, resident_bytes() / KIB);
}

static void cpus_that_were_left(void)
{
	expect_success(leave_a_cpu, NULL);
}

/* --- The system's account ------------------------------------------------------------------ */

struct account {
	unsigned int mappings;
	size_t writable;	/* private: memory that is charged with overcommit_memory=2 */
};

static void read_account(struct account *account)
{
	static char text[256 * KIB];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	REQUIRE(fd >= 0);
	read_rest(fd, text, sizeof(text));
	close(fd);
	*account = (struct account){ 0 };
	for (char *line = text; *line; line = strchr(line, '\n') + 1) {
		unsigned long start, end;
		char access[5];

		REQUIRE(sscanf(line, "%lx-%lx %4s", &start, &end, access) == 3);
		account->mappings++;
		if (access[1] == 'w' && access[3] == 'p')
			account->writable += end - start;
	}
}

static void few_mappings(void *unused)
{
	enum { NR = 20000 };
	static void *blocks[NR];
	struct prng prng = { 1 };
	struct account before, after;
	size_t live = 0;

	(void)unused;
	read_account(&before);
	for (unsigned int i = 0; i < 3 * NR; i++) {
		void **block = &blocks[prng_below(&prng, NR)];
		size_t size = 16 + prng_below(&prng, 64 * KIB >> prng_below(&prng, 8));

		free(*block);
		*block = malloc(size);
		REQUIRE(*block);
		memset(*block, 1, size);
	}
	for (unsigned int i = 0; i < NR; i++)
		live += malloc_usable_size(blocks[i]);
	read_account(&after);
	CHECK(after.mappings <= before.mappings + 32, "; %u, then %u", before.mappings,
	      after.mappings);
	CHECK(after.writable <= before.writable + live / 10 * 11 + 32 * MIB,
	      "; %zu MiB live, %zu MiB, then %zu", live / MIB, before.writable / MIB,
	      after.writable / MIB);
}

static void mappings_and_charge(void)
{
	expect_success(few_mappings, NULL);
}

/* --- Core dumps ---------------------------------------------------------------------- */

#define LIVE_IN_CORE (50 * MIB)

static void abort_with_memory(void *folder)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	for (size_t bytes = 0; bytes < LIVE_IN_CORE; bytes += 10000) {
		char *block = malloc(10000);

		REQUIRE(block);
		memset(block, 1, 10000);
	}
	REQUIRE(!chdir(folder));
	if (setrlimit(RLIMIT_CORE, &limit))
		_exit(77);
	abort();
}

/* The name depends on the machine; there is nothing else in the folder. */
static size_t remove_core(const char *folder)
{
	char command[PATH_MAX + 64], text[32] = "0";
	FILE *size;

	snprintf(command, sizeof(command), "find %s -type f -printf %%s; rm -rf %s", folder,
		 folder);
	size = popen(command, "r");
	if (size && !fgets(text, sizeof(text), size))
		text[0] = '\0';
	if (size)
		pclose(size);
	return strtoul(text, NULL, 10);
}

static void core_is_small(void)
{
	char folder[] = "/tmp/usermm-core-XXXXXX", pattern[128] = "|";
	int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
	int status;
	pid_t child;
	size_t size;

	REQUIRE(fd >= 0 && read(fd, pattern, sizeof(pattern) - 1) > 0 && mkdtemp(folder));
	close(fd);
	/* Not by child_run(), whose children have no core. */
	child = fork();
	REQUIRE(child >= 0);
	if (!child)
		abort_with_memory(folder);
	status = child_wait(child);
	size = remove_core(folder);
	if (child_exited(status, 77) || strchr("|/", pattern[0])) {
		harness.skipped = "this machine keeps core dumps elsewhere, "
				  "or this process has none";
		return;
	}
	CHECK(child_died_by(status, SIGABRT), "; wait status %#x", status);
	CHECK(size >= LIVE_IN_CORE && size <= LIVE_IN_CORE / 10 * 12 + 8 * MIB, "; %zu KiB",
	      size / KIB);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "mappings_and_charge", mappings_and_charge, false },
		{ "core_is_small", core_is_small, false },
		{ "locked_memory", locked_memory, false },
		{ "locked_memory_without_faults", locked_memory_without_faults, false },
		{ "little_locked_memory", little_locked_memory, false },
		{ "locked_pieces", locked_pieces, true },
		{ "memory_cgroup", memory_cgroup, false },
		{ "last_cpu_alone", last_cpu_alone, false },
		{ "cpus_that_were_left", cpus_that_were_left, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--churn-in-group"))
		return churn_in_group();
	if (argc > 1 && !strcmp(argv[1], "--locked"))
		return live_in_locked_memory();
	if (argc > 1 && !strcmp(argv[1], "--without-faults"))
		return live_without_faults();
	if (argc > 1 && !strcmp(argv[1], "--little-locked"))
		return live_in_little_locked_memory();
	if (argc > 1 && !strcmp(argv[1], "--few-cpus"))
		return work_on_few_cpus();
	if (keep_preload_to_oneself())
		return 1;
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
