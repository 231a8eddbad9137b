/* SPDX-License-Identifier: MIT */
/*
 * Mappings of freed large blocks serve the next ones, as they are, in parts or joined, as long as
 * the memory is not needed elsewhere.
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "child.h"
#include "support/prng.h"
#include "tasks.h"
#include "usermm/stats.h"

#define KEPT_BYTES (32 * MIB)		/* as an option has it */
#define SLACK_BYTES (3 * MIB)		/* of what else a process does meanwhile */
#define FAULTS_FEW 100			/* new memory of a mebibyte has 256 of 4 KiB */
#define WITHIN_SECONDS 10

/* Kept mappings are unmapped when nobody has used them for a second; longer on a busy machine. */
#define LONG_SECONDS 0.8

static double began;
static long faults_before;

static long faults_now(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt + usage.ru_majflt;
}

static void begin_count(void)
{
	began = seconds_now();
	faults_before = faults_now();
}

#define CHECK_FEW_FAULTS(most)							\
	CHECK(faults_now() - faults_before < (most) ||				\
	      seconds_now() - began > LONG_SECONDS, "; %ld", faults_now() - faults_before)

/* All of it is written to. */
static char *take(size_t bytes, int value)
{
	char *block = opaque(malloc(bytes));

	REQUIRE(block, "; %zu bytes", bytes);
	return memset(block, value, bytes);
}

static void take_and_free(size_t bytes)
{
	free(take(bytes, 0xa5));
}

static bool is_filled(const char *block, size_t bytes, int value)
{
	return !bytes || (*block == (char)value && !memcmp(block, block + 1, bytes - 1));
}

/*
 * A process's first large mappings go at once when they are freed, until one is wanted again
 * (page/reclaim/decay.h). From then on they stay.
 */
static void warm_up(void)
{
	take_and_free(9 * MIB);
	take_and_free(9 * MIB);
	malloc_trim(0);
}

/* Each case has a process of its own, so that earlier cases have no effect. */
static void in_child(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	REQUIRE(pid >= 0);
	if (!pid) {
		warm_up();
		run();
		_exit(harness_status());
	}
	status = child_wait(pid);
	CHECK(child_exited(status, 0), "; wait status %#x", status);
}

/* --- What serves what ------------------------------------------------------------------- */

static void same_size(void)
{
	take_and_free(9 * MIB);
	begin_count();
	for (unsigned int i = 0; i < 20; i++)
		take_and_free(9 * MIB - i);
	CHECK_FEW_FAULTS(FAULTS_FEW);
}

static void same_size_again(void)
{
	in_child(same_size);
}

/* Parts of a kept mapping are blocks of their own, and are joined again when they are free. */
static void parts(void)
{
	size_t first = 5 * MIB, second = 12 * MIB, all = 20 * MIB;
	char *a, *b;

	take_and_free(all);
	begin_count();
	for (unsigned int i = 0; i < 10; i++) {
		a = take(first, 1);
		b = take(second, 2);
		CHECK(a + first <= b || b + second <= a);
		CHECK(malloc_usable_size(a) >= first && malloc_usable_size(a) < first + MIB);
		CHECK(is_filled(a, first, 1) && is_filled(b, second, 2));
		free(i & 1 ? a : b);
		free(i & 1 ? b : a);
		take_and_free(all);
	}
	CHECK_FEW_FAULTS(FAULTS_FEW);
}

static void parts_are_joined(void)
{
	in_child(parts);
}

static void grow(void)
{
	size_t bytes = 5 * MIB, most = 15 * MIB;
	char *block, *grown;

	take_and_free(16 * MIB);
	begin_count();
	block = take(bytes, 7);
	grown = realloc(block, most);
	REQUIRE(grown);
	CHECK(grown == block || seconds_now() - began > LONG_SECONDS);
	CHECK(is_filled(grown, bytes, 7));
	memset(grown, 8, most);
	CHECK_FEW_FAULTS(FAULTS_FEW);
	/* A block larger than anything kept is a new mapping like any other. */
	grown = realloc(grown, 2 * most);
	REQUIRE(grown);
	CHECK(is_filled(grown, most, 8));
	memset(grown, 9, 2 * most);
	free(grown);
}

static void blocks_grow_into_it(void)
{
	in_child(grow);
}

/* A string that grows, again and again. */
static void grow_in_turns(void)
{
	for (unsigned int turn = 0; turn < 6; turn++) {
		size_t bytes = 100 * KIB;
		char *block = take(bytes, 3);

		while (bytes < 3 * MIB) {
			char *grown = realloc(block, bytes + bytes / 4);

			REQUIRE(grown);
			CHECK(is_filled(grown, bytes, 3));
			block = memset(grown, 3, bytes += bytes / 4);
		}
		free(block);
		if (!turn)
			begin_count();
	}
	CHECK_FEW_FAULTS(5 * FAULTS_FEW);
}

static void growing_in_turns_is_warm(void)
{
	in_child(grow_in_turns);
}

static void clear(void)
{
	char *block;

	take_and_free(9 * MIB);
	block = calloc(9, MIB);
	REQUIRE(block);
	CHECK(is_filled(block, 9 * MIB, 0));
	free(block);
	take_and_free(64 * MIB);
	block = aligned_alloc(MIB, 8 * MIB);
	REQUIRE(block);
	CHECK(!((uintptr_t)block % MIB));
	memset(block, 1, 8 * MIB);
	free(block);
}

/* calloc() reuses a freed mapping of up to 32 MiB, and clears its old contents. */
static void clear_in_turns(void)
{
	size_t bytes = 9 * MIB;

	take_and_free(bytes);
	begin_count();
	for (unsigned int i = 0; i < 10; i++) {
		char *block = calloc(bytes - i, 1);

		REQUIRE(block);
		CHECK(is_filled(block, bytes - i, 0));
		free(memset(block, 1, bytes - i));
	}
	CHECK_FEW_FAULTS(FAULTS_FEW);
}

static void calloc_is_zero(void)
{
	in_child(clear);
	in_child(clear_in_turns);
}

/* Where nothing is large enough, only the new pages cost page faults. */
static void longest(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 8 * MIB, more = 4 * MIB;
	char *block;

	take_and_free(bytes);
	begin_count();
	block = take(bytes + more, 3);
	CHECK_FEW_FAULTS((long)(more / page) + FAULTS_FEW);
	CHECK(is_filled(block, bytes + more, 3));
	free(block);
}

static void longest_is_made_larger(void)
{
	in_child(longest);
}

static char *from_page(char *block, size_t nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (char *)(((uintptr_t)block + nr * page) & -page);
}

static int read_in_child(const char *block)
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid)
		_exit(*block);
	return child_wait(pid);
}

/* Changes that the program made to a block's pages do not reach the next block. */
static void change_pages(void)
{
	static const int advices[] = { MADV_DONTFORK, MADV_WIPEONFORK };
	size_t bytes = 9 * MIB, page = (size_t)sysconf(_SC_PAGESIZE);
	char *block = take(bytes, 1);

	REQUIRE(!mprotect(from_page(block, 64), 64 * page, PROT_NONE));
	free(block);
	take_and_free(bytes);
	block = take(bytes, 1);
	REQUIRE(!mprotect(from_page(block, 1), 4 * MIB, PROT_READ));
	free(block);
	take_and_free(bytes);
	block = take(2 * bytes, 1);	/* the one that was kept, made larger */
	REQUIRE(!mprotect(from_page(block, 1), 4 * MIB, PROT_READ));
	free(block);
	take_and_free(2 * bytes);
	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		block = take(bytes, 1);
		REQUIRE(!madvise(from_page(block, 1), 4 * MIB, advices[i]));
		free(block);
		block = take(bytes, 42);
		CHECK(child_exited(read_in_child(block + 2 * MIB), 42));
		free(block);
	}
}

/* A part of it, or all; an ordinary user may lock 8 MiB on many systems. */
static void lock_pages(void)
{
	for (unsigned int whole = 0; whole < 2; whole++) {
		char *block = take(6 * MIB, 1);

		if (mlock(from_page(block, whole ? 0 : 100), whole ? 6 * MIB : MIB)) {
			dprintf(STDOUT_FILENO, "# 6 MiB may not be locked\n");
			return;
		}
		free(block);
		CHECK(!proc_bytes("/proc/self/status", "VmLck"));
		take_and_free(6 * MIB);
		CHECK(!proc_bytes("/proc/self/status", "VmLck"));
	}
}

static void pages_are_as_new(void)
{
	in_child(change_pages);
	in_child(lock_pages);
}

/* More freed pieces than the cache has places for, none beside another. */
#define NR_PIECES 40

static char *take_piece(void)
{
	char *block = realloc(take(100 * KIB, 1), 200 * KIB);

	REQUIRE(block);
	return memset(block, 2, 200 * KIB);
}

static void use_pieces(void)
{
	char *blocks[NR_PIECES];

	for (unsigned int i = 0; i < NR_PIECES; i++)
		blocks[i] = take_piece();
	for (unsigned int i = 0; i < NR_PIECES; i += 2)
		free(blocks[i]);
	begin_count();
	for (unsigned int i = 0; i < NR_PIECES / 2; i += 2)
		blocks[i] = take_piece();
	CHECK_FEW_FAULTS(FAULTS_FEW);
	for (unsigned int i = 0; i < NR_PIECES; i++)
		if (i % 2 || i < NR_PIECES / 2) {
			CHECK(is_filled(blocks[i], 200 * KIB, 2));
			free(blocks[i]);
		}
}

static void many_pieces(void)
{
	in_child(use_pieces);
}

/* --- How much stays, and for how long --------------------------------------------------- */

static size_t start_bytes;

static bool is_gone(size_t more)
{
	return resident_bytes() <= start_bytes + more + SLACK_BYTES;
}

static int free_many(void)
{
	char *blocks[10];

	malloc_trim(0);
	start_bytes = resident_bytes();
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = take((5 + i) * MIB, 1);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	CHECK(is_gone(KEPT_BYTES), "; %zu MiB stay", (resident_bytes() - start_bytes) / MIB);
	CHECK(!is_gone(4 * MIB));
	CHECK(malloc_trim(0) == 1);
	CHECK(is_gone(0), "; %zu MiB stay", (resident_bytes() - start_bytes) / MIB);
	/* A mapping longer than the whole limit is not kept. */
	take_and_free(40 * MIB);
	CHECK(is_gone(0));
	return harness_status();
}

static void little_stays(void)
{
	child_expect_quiet("--many", "mapping_cache_bytes=32M");
}

#define TURNS 240
#define WARM_UP 40
#define LIVE 8

/*
 * Blocks of all sizes in turns: few page faults, and no more than a sixth more memory than the
 * blocks have when they have most.
 */
static int take_turns(void)
{
	char *blocks[LIVE] = { NULL };
	size_t bytes[LIVE] = { 0 }, live = 0, most = 0, touched = 0;
	struct prng prng = { 1 };
	long pages;

	start_bytes = resident_bytes();
	for (unsigned int i = 0; i < TURNS; i++) {
		unsigned int k = prng_below(&prng, LIVE);

		free(blocks[k]);
		live -= bytes[k];
		bytes[k] = 5 * MIB + prng_below(&prng, 7 * MIB);
		blocks[k] = take(bytes[k], 1);
		live += bytes[k];
		most = live > most ? live : most;
		if (i == WARM_UP)
			begin_count();
		if (i > WARM_UP)
			touched += bytes[k];
		CHECK(is_gone(most + most / 6), "; turn %u: %zu of %zu MiB", i,
		      (resident_bytes() - start_bytes) / MIB, most / MIB);
	}
	pages = (long)(touched / (size_t)sysconf(_SC_PAGESIZE));
	CHECK(faults_now() - faults_before < pages / 10, "; %ld for %ld pages",
	      faults_now() - faults_before, pages);
	return harness_status();
}

static void turns_cost_few_faults(void)
{
	child_expect_quiet("--turns", "mapping_cache_bytes=1G");
}

/* Most of it is idle, but some is in use all the time. */
static int use_some_of_it(void)
{
	double deadline;

	start_bytes = resident_bytes();
	take_and_free(60 * MIB);
	CHECK(!is_gone(50 * MIB));
	deadline = seconds_now() + WITHIN_SECONDS * slowness();
	while (!is_gone(6 * MIB) && seconds_now() < deadline) {
		take_and_free(6 * MIB);
		sleep_us(50000);
	}
	CHECK(is_gone(6 * MIB), "; %zu MiB stay", (resident_bytes() - start_bytes) / MIB);
	return harness_status();
}

static void what_is_idle_goes(void)
{
	child_expect_quiet("--use-some", "mapping_cache_bytes=1G:background=off");
	child_expect_quiet("--use-some", "mapping_cache_bytes=1G:background=on");
}

/* The window, and mappings for which nothing fits, grow at the cost of what stays. */
static void grow_elsewhere(void)
{
	size_t small = 3 * MIB, nr = 16;

	malloc_trim(0);
	start_bytes = resident_bytes();
	take_and_free(30 * MIB);
	CHECK(!is_gone(20 * MIB));
	for (size_t i = 0; i < nr; i++)
		take(small, 1);
	CHECK(is_gone(nr * small), "; %zu MiB for %zu", (resident_bytes() - start_bytes) / MIB,
	      nr * small / MIB);
	start_bytes = resident_bytes();
	take_and_free(20 * MIB);
	take(31 * MIB, 1);
	CHECK(is_gone(31 * MIB), "; %zu MiB for 31", (resident_bytes() - start_bytes) / MIB);
}

static void it_makes_way(void)
{
	in_child(grow_elsewhere);
}

/* Without the thread, by whoever allocates next. */
static int rest(void)
{
	warm_up();
	start_bytes = resident_bytes();
	take_and_free(30 * MIB);
	CHECK(!is_gone(20 * MIB));
	/* The first look may only see that it is idle. */
	for (unsigned int look = 0; look < 2; look++) {
		sleep_us(1200000);
		for (unsigned int i = 0; i < 1000; i++)
			REQUIRE(opaque(malloc(100)));
	}
	CHECK(is_gone(0), "; %zu MiB stay", (resident_bytes() - start_bytes) / MIB);
	return harness_status();
}

static int rest_with_thread(void)
{
	start_bytes = resident_bytes();
	take_and_free(30 * MIB);
	/* The thread's own stack is in it. */
	CHECK(comes_true(is_gone, MIB, WITHIN_SECONDS), "; %zu MiB stay",
	      (resident_bytes() - start_bytes) / MIB);
	return harness_status();
}

static void it_goes_at_rest(void)
{
	child_expect_quiet("--rest", "background=off");
	child_expect_quiet("--rest-with-thread", "background=on");
}

/*
 * With a limit that counts mappings, with modes that keep freed mappings for other reasons, and
 * when the option is off, none are kept.
 */
static int keep_nothing(void)
{
	start_bytes = resident_bytes();
	take_and_free(9 * MIB);
	CHECK(is_gone(0), "; %zu MiB stay", (resident_bytes() - start_bytes) / MIB);
	return harness_status();
}

static void options_forbid_it(void)
{
	static const char *const options[] = {
		"mapping_cache_bytes=1", "limit=512M", "hardened=1", "kfence_sample=1000",
		"init_on_alloc=1", "init_on_free=1", "page_poison=1", "debug_pagealloc=1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		child_expect_quiet("--nothing", options[i]);
}

static void be_sandboxed(void)
{
	take_and_free(9 * MIB);
	REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	malloc_trim(0);
	keep_nothing();
}

static void sandboxes_keep_nothing(void)
{
	in_child(be_sandboxed);
}

static struct rlimit little_more_data(void)
{
	size_t bytes = proc_bytes("/proc/self/status", "VmData") + 10 * MIB;

	return (struct rlimit){ bytes, bytes };
}

/*
 * If a limit is set later and the library does not notice, kept mappings go before a block is
 * refused.
 */
static void later_limit(void)
{
	struct rlimit limit;
	void *block;

	take_and_free(24 * MIB);
	limit = little_more_data();
	REQUIRE(!syscall(SYS_prlimit64, 0, RLIMIT_DATA, &limit, NULL));
	block = malloc(30 * MIB);
	CHECK(block);
	CHECK(!opaque(malloc(30 * MIB)));
	free(block);
}

/*
 * If the library notices the limit, kept mappings go at once: the program's own mappings need the
 * room.
 */
static void own_mapping(void)
{
	struct rlimit limit;

	take_and_free(24 * MIB);
	limit = little_more_data();
	REQUIRE(!setrlimit(RLIMIT_DATA, &limit));
	CHECK(mmap(NULL, 20 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	      MAP_FAILED);
	keep_nothing();
}

/* A limit that a child with shared memory sets is the child's alone. */
static void limit_child(void)
{
	struct rlimit limit;
	int status = -1;
	pid_t pid;

	take_and_free(9 * MIB);
	begin_count();
	REQUIRE(!getrlimit(RLIMIT_DATA, &limit));
	pid = vfork();
	if (!pid)
		_exit(setrlimit(RLIMIT_DATA, &limit) ? 1 : 0);
	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(child_exited(status, 0));
	take_and_free(9 * MIB);
	CHECK_FEW_FAULTS(FAULTS_FEW);
}

static void childrens_limits_are_theirs(void)
{
	in_child(limit_child);
}

static void it_goes_before_a_block_fails(void)
{
	in_child(later_limit);
	in_child(own_mapping);
}

/* --- Misuse --------------------------------------------------------------------------- */

static void free_twice(void *unused)
{
	char *block = take(9 * MIB, 1);

	(void)unused;
	free(block);
	free(block);
}

static void double_free_is_found(void)
{
	struct child_result result;

	child_run(&result, free_twice, NULL);
	CHECK(child_died_by(result.status, SIGABRT) && strstr(result.err, "invalid pointer"),
	      "; wait status %#x, %s", result.status, result.err);
}

/* --- Threads ---------------------------------------------------------------------------- */

#define NR_THREADS 4
#define BLOCKS_EACH 3
#define ROUNDS 3000
#define STAMP_STEP (64 * KIB)

struct stamped {
	char *start;
	size_t bytes;
	unsigned long stamp;
};

static void stamp(struct stamped *block, unsigned long value)
{
	block->stamp = value;
	for (size_t i = 0; i < block->bytes; i += STAMP_STEP)
		*(unsigned long *)(block->start + i) = value + i;
}

static bool is_stamped(const struct stamped *block, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += STAMP_STEP)
		if (*(unsigned long *)(block->start + i) != block->stamp + i)
			return false;
	return true;
}

static size_t some_bytes(struct prng *prng)
{
	return 5 * MIB + prng_below(prng, 4 * MIB) / 8 * 8;
}

static void change(struct stamped *block, struct prng *prng)
{
	size_t before = block->bytes;

	CHECK(is_stamped(block, before));
	if (before && prng_one_in(prng, 3)) {
		block->bytes = some_bytes(prng);
		block->start = realloc(block->start, block->bytes);
		REQUIRE(block->start);
		CHECK(is_stamped(block, before < block->bytes ? before : block->bytes));
	} else {
		free(block->start);
		block->bytes = some_bytes(prng);
		block->start = malloc(block->bytes);
		REQUIRE(block->start);
	}
	stamp(block, prng_u64(prng));
}

static void *use_blocks(void *seed)
{
	struct prng prng = { (uintptr_t)seed };
	struct stamped blocks[BLOCKS_EACH] = { { 0 } };

	for (unsigned int i = 0; i < ROUNDS / test_divisor(); i++) {
		change(&blocks[prng_below(&prng, BLOCKS_EACH)], &prng);
		if (prng_one_in(&prng, 200))
			malloc_trim(0);
	}
	for (unsigned int i = 0; i < BLOCKS_EACH; i++) {
		CHECK(is_stamped(&blocks[i], blocks[i].bytes));
		free(blocks[i].start);
	}
	return NULL;
}

/* After malloc_trim(), while nobody frees: all that was counted is gone. */
static void expect_none_kept(void)
{
	void (*read_stats)(struct usermm_stats *) =
		(void (*)(struct usermm_stats *))dlsym(RTLD_DEFAULT, "usermm_stats_read");
	struct usermm_stats stats;

	if (!read_stats)
		return;
	malloc_trim(0);
	read_stats(&stats);
	CHECK(!stats.large_kept_bytes, "; %zu", stats.large_kept_bytes);
}

/* In a child nobody has the mappings that threads of the parent were working on. */
static void use_some(void)
{
	for (unsigned int i = 0; i < 10; i++)
		take_and_free((5 + i % 3) * MIB);
	expect_none_kept();
}

static void threads_share_it(void)
{
	pthread_t threads[NR_THREADS];

	for (uintptr_t i = 0; i < NR_THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_blocks, (void *)(i + 1)));
	for (unsigned int i = 0; i < 10; i++) {
		in_child(use_some);
		sleep_us(5000);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	expect_none_kept();
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "same_size_again", same_size_again, true },
		{ "parts_are_joined", parts_are_joined, true },
		{ "blocks_grow_into_it", blocks_grow_into_it, true },
		{ "growing_in_turns_is_warm", growing_in_turns_is_warm, true },
		{ "calloc_is_zero", calloc_is_zero, false },
		{ "longest_is_made_larger", longest_is_made_larger, true },
		{ "pages_are_as_new", pages_are_as_new, true },
		{ "many_pieces", many_pieces, true },
		{ "little_stays", little_stays, true },
		{ "turns_cost_few_faults", turns_cost_few_faults, true },
		{ "what_is_idle_goes", what_is_idle_goes, true },
		{ "it_makes_way", it_makes_way, true },
		{ "it_goes_at_rest", it_goes_at_rest, true },
		{ "options_forbid_it", options_forbid_it, true },
		{ "sandboxes_keep_nothing", sandboxes_keep_nothing, true },
		{ "it_goes_before_a_block_fails", it_goes_before_a_block_fails, true },
		{ "childrens_limits_are_theirs", childrens_limits_are_theirs, true },
		{ "double_free_is_found", double_free_is_found, true },
		{ "threads_share_it", threads_share_it, false },
	};

	if (argc > 1 && !strcmp(argv[1], "--many"))
		return free_many();
	if (argc > 1 && !strcmp(argv[1], "--turns"))
		return take_turns();
	if (argc > 1 && !strcmp(argv[1], "--use-some"))
		return use_some_of_it();
	if (argc > 1 && !strcmp(argv[1], "--rest"))
		return rest();
	if (argc > 1 && !strcmp(argv[1], "--rest-with-thread"))
		return rest_with_thread();
	if (argc > 1 && !strcmp(argv[1], "--nothing"))
		return keep_nothing();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
