/* SPDX-License-Identifier: MIT */
/*
 * Some seconds after a program's last call it has little more memory than it uses, however large
 * the peak was. No thread is left then, and short processes never have one. Programs that allocate
 * again what they freed pay no page faults for that.
 */
#define _GNU_SOURCE
#include "child.h"

#include <sys/resource.h>

#include "stopping.h"
#include "support/prng.h"
#include "tasks.h"

#define WITHIN_SECONDS 10
#define PEAK_BYTES (20 * MIB)
#define MORE_BYTES (8 * MIB)
/* Bytes that stay on each CPU that the program has used, if CPUs cannot be stopped. */
#define CPU_KEPT_BYTES (4 * MIB)
/* A process of this age is no longer young. */
#define YOUNG_US 1100000
#define BLOCKS_MAX (PEAK_BYTES / 64)

struct blocks {
	char *at[BLOCKS_MAX];
	size_t nr, bytes;
};

static struct blocks blocks, stay;

static void take(struct blocks *list, size_t bytes, size_t most)
{
	struct prng prng = { most };

	while (list->bytes < bytes && list->nr < BLOCKS_MAX) {
		size_t size = most / 8 + 1 + prng_below(&prng, most / 8 * 7);
		char *block = malloc(size);

		REQUIRE(block);
		memset(block, 1, size);
		list->at[list->nr++] = block;
		list->bytes += size;
	}
}

static void give_all(struct blocks *list)
{
	struct prng prng = { list->nr };

	for (; list->nr; list->nr--) {
		size_t i = prng_below(&prng, list->nr);

		free(list->at[i]);
		list->at[i] = list->at[list->nr - 1];
	}
	list->bytes = 0;
}

static bool has_at_most(size_t bytes)
{
	return resident_bytes() <= bytes;
}

/* The same, in a program that goes on with a few calls, which fill and empty a CPU's lists. */
static bool rests_after_a_call(size_t bytes)
{
	take(&stay, 64 * KIB, 100);
	give_all(&stay);
	return has_at_most(bytes);
}

/* --- A peak, and then nothing ----------------------------------------------------------- */

struct peak {
	size_t most;		/* sizes of the blocks */
	size_t stays;		/* bytes that are in use at the end */
	bool grown;		/* the process is no longer young */
	unsigned int times;	/* the peak comes so often in a row */
};

static void rest_after(const struct peak *peak)
{
	size_t before, allowed;

	if (peak->grown)
		sleep_us(YOUNG_US);
	take(&stay, peak->stays, 2000);
	before = resident_bytes();
	for (unsigned int i = 0; i < peak->times; i++) {
		take(&blocks, PEAK_BYTES, peak->most);
		give_all(&blocks);
	}
	/* The list of the blocks was touched in between. */
	allowed = before + sizeof(blocks) + stay.bytes / 20 + MORE_BYTES / 2 +
		  nr_unstoppable_slots() * CPU_KEPT_BYTES;
	CHECK(comes_true(has_at_most, allowed, WITHIN_SECONDS),
	      "; sizes up to %zu, %u times, %s: %zu KiB, then %zu", peak->most, peak->times,
	      peak->grown ? "grown" : "young", before / KIB, resident_bytes() / KIB);
	CHECK(comes_true(has_threads, 1, WITHIN_SECONDS), "; %u threads", nr_threads());
}

static void peaks_go(void)
{
	static const struct peak peaks[] = {
		{ 100, 0, true, 1 }, { 100, 0, false, 1 }, { 3000, 0, false, 1 },
		{ 3000, 0, true, 2 }, { 100 * KIB, 0, false, 1 }, { 100 * KIB, 0, true, 1 },
		{ 6 * MIB, 0, false, 1 }, { 6 * MIB, 0, true, 1 }, { 100, 0, false, 5 },
		{ 3000, 60 * MIB, true, 1 }, { 3000, 0, false, 5 }, { 6 * MIB, 0, true, 9 },
	};
	pid_t children[ARRAY_SIZE(peaks)];

	for (size_t i = 0; i < ARRAY_SIZE(peaks); i++) {
		children[i] = fork();
		REQUIRE(children[i] >= 0);
		if (!children[i]) {
			rest_after(&peaks[i]);
			_exit(harness_status());
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(peaks); i++) {
		int status = child_wait(children[i]);

		CHECK(child_exited(status, 0), "; peak %zu: wait status %#x", i, status);
	}
}

static int peaks_go_here(void)
{
	peaks_go();
	return harness_status();
}

static void peaks_go_in_all_modes(void)
{
	child_expect_quiet("--peaks", "slab_cpu_cache=slab");
	child_expect_quiet("--peaks", "rseq=off");
}

/* --- Threads ------------------------------------------------------------------------------ */

/* Behaves like a compiler or a script: it frees some megabytes now and then, and ends. */
static void live_briefly(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; i < 4; i++) {
		take(&blocks, 3 * MIB, 100 << (3 * i));
		CHECK(nr_threads() == 1);
		give_all(&blocks);
		CHECK(nr_threads() == 1, "; sizes up to %u", 100U << (3 * i));
	}
	take(&blocks, PEAK_BYTES / 2, 100 * KIB);
	give_all(&blocks);
	CHECK(nr_threads() == 1, "; after the peak");
}

static void short_processes_have_no_thread(void)
{
	struct child_result result;

	child_run(&result, live_briefly, NULL);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

/*
 * CPython warns if there is a second thread right after fork(). The library's thread ends before,
 * and comes again when the program goes on to allocate.
 */
static void fork_with_thread(void *unused)
{
	size_t before = resident_bytes();

	(void)unused;
	sleep_us(YOUNG_US);
	for (unsigned int i = 0; i < 3; i++) {
		take(&blocks, PEAK_BYTES, 3000);
		give_all(&blocks);
	}
	CHECK(nr_threads() == 2, "; %u threads", nr_threads());
	for (unsigned int i = 0; i < 3; i++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid)
			_exit(nr_threads() != 1);
		CHECK(nr_threads() == 1, "; fork %u", i);
		CHECK(child_exited(child_wait(pid), 0));
	}
	CHECK(comes_true(rests_after_a_call, before + sizeof(blocks) + MORE_BYTES, WITHIN_SECONDS),
	      "; %zu KiB, then %zu", before / KIB, resident_bytes() / KIB);
	CHECK(comes_true(has_threads, 1, WITHIN_SECONDS));
}

static void forks_have_one_thread(void)
{
	struct child_result result;

	child_run(&result, fork_with_thread, NULL);
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

static int rest_without_thread(void)
{
	sleep_us(YOUNG_US);
	take(&blocks, PEAK_BYTES, 3000);
	give_all(&blocks);
	CHECK(nr_threads() == 1);
	return harness_status();
}

static void option_forbids_the_thread(void)
{
	child_expect_quiet("--no-thread", "background=off");
}

/* --- Turns ------------------------------------------------------------------------------ */

#define TURNS 20
/* After these the first turns' memory is there, and has not been given back at once. */
#define WARM_UP_TURNS 8
/* How long memory may be unused in the test, and the length of the pauses. */
#define AGE_SECONDS 2.5
#define PAUSE_US 800000

static unsigned long page_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (unsigned long)usage.ru_minflt;
}

/* The faults of `nr` turns; *longest is the longest that memory lay free. */
static unsigned long faults_of_turns(unsigned int nr, size_t most, unsigned int pause_us,
				     double *longest)
{
	unsigned long before = page_faults();

	for (unsigned int i = 0; i < nr; i++) {
		double start = seconds_now(), lay;

		sleep_us(pause_us);
		take(&blocks, PEAK_BYTES, most);
		lay = seconds_now() - start;
		*longest = lay > *longest ? lay : *longest;
		give_all(&blocks);
	}
	return page_faults() - before;
}

/* one_in: faults for at most one in so many pages that the turns use. */
static void take_turns(size_t most, unsigned int nr, unsigned int pause_us, unsigned int one_in)
{
	double longest = 0;
	unsigned long faults;

	faults_of_turns(WARM_UP_TURNS, most, 0, &longest);
	faults = faults_of_turns(nr, most, pause_us, &longest);
	CHECK(faults <= nr * (PEAK_BYTES / 4096) / one_in || longest > AGE_SECONDS,
	      "; %lu faults in %u turns of sizes up to %zu, pauses of %u us", faults, nr, most,
	      pause_us);
}

static void turns_pay_no_faults(void)
{
	static const size_t sizes[] = { 100, 3000, 100 * KIB };

	sleep_us(YOUNG_US);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		take_turns(sizes[i], TURNS, 0, 20);
	/*
	 * Large blocks lie elsewhere in each turn, so the heap is larger than the turns' bytes.
	 * The memory beyond a turn's needs goes back after seconds, and a later turn may touch it:
	 * about one page in five. If all went between turns, each page would take a fault.
	 */
	take_turns(100 * KIB, 3, PAUSE_US, 2);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "peaks_go", peaks_go, true },
		{ "peaks_go_in_all_modes", peaks_go_in_all_modes, true },
		{ "short_processes_have_no_thread", short_processes_have_no_thread, true },
		{ "forks_have_one_thread", forks_have_one_thread, true },
		{ "option_forbids_the_thread", option_forbids_the_thread, true },
		{ "turns_pay_no_faults", turns_pay_no_faults, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--peaks"))
		return peaks_go_here();
	if (argc > 1 && !strcmp(argv[1], "--no-thread"))
		return rest_without_thread();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
