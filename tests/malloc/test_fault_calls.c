/* SPDX-License-Identifier: MIT */
/*
 * Each call by which the library takes memory or gives it back fails once: the first, then the
 * second, and so on. Then all calls fail from the n-th on, for each n. This is tried while the
 * library comes up, and later. A load of all kinds of allocations then ends in success, or in NULL
 * and ENOMEM, whatever the call's error was; blocks keep what they hold; and when the faults are
 * over everything works, and what is freed goes back.
 *
 * The calls are this program's own functions: a program's names come before libc's for the
 * libraries that it loads. Libc calls its own without looking.
 */
#include "child.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "early_argument.h"
#include "support/prng.h"

#define NR_SLOTS 60
#define STEPS 350
/*
 * The bytes that may be resident after everything was freed and trimmed; the load has several times
 * that.
 */
#define RSS_LIMIT (16 * MIB)
/* More calls of one kind than are ever made; it bounds the loop. */
#define CALLS_MAX 3000

#define EXIT_NOT_REACHED 3

enum call { MMAP, MUNMAP, MPROTECT, MADVISE, MREMAP, NR_CALLS };

static const char *const names[NR_CALLS] = { "mmap", "munmap", "mprotect", "madvise", "mremap" };

/* --- The calls ------------------------------------------------------------------ */

/* The calls that are to fail. The first call sets this, before main() runs. */
static struct {
	bool known, lasting, over;
	unsigned int call, number, seen;
	int error;
} fault = { .call = NR_CALLS, .error = ENOMEM };

static unsigned int read_number(const char **text)
{
	unsigned int number = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		number = number * 10 + (unsigned int)(**text - '0');
	return number;
}

/* "CALL:LASTING:NUMBER:ERROR" is this program's second argument. Nothing here may allocate. */
static void find_fault(void)
{
	char text[4096];
	const char *p = early_argument("--work", text, sizeof(text));

	fault.known = true;
	if (!p)
		return;
	fault.call = (unsigned int)(*p - '0');
	fault.lasting = p[2] == '1';
	p += 4;
	fault.number = read_number(&p);
	p++;
	fault.error = (int)read_number(&p);
}

static bool fails(enum call call)
{
	unsigned int seen;

	if (!__atomic_load_n(&fault.known, __ATOMIC_RELAXED))
		find_fault();
	if (fault.call != call || __atomic_load_n(&fault.over, __ATOMIC_RELAXED))
		return false;
	seen = __atomic_add_fetch(&fault.seen, 1, __ATOMIC_RELAXED);
	if (fault.lasting ? seen < fault.number : seen != fault.number)
		return false;
	errno = fault.error;
	return true;
}

/* The library finds these. */
#pragma GCC visibility push(default)

void *mmap(void *addr, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (fails(MMAP))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, addr, bytes, protection, flags, fd, offset);
}

int munmap(void *addr, size_t bytes)
{
	return fails(MUNMAP) ? -1 : (int)syscall(SYS_munmap, addr, bytes);
}

int mprotect(void *addr, size_t bytes, int protection)
{
	return fails(MPROTECT) ? -1 : (int)syscall(SYS_mprotect, addr, bytes, protection);
}

int madvise(void *addr, size_t bytes, int advice)
{
	return fails(MADVISE) ? -1 : (int)syscall(SYS_madvise, addr, bytes, advice);
}

/* A new address is given with MREMAP_FIXED only, which the library does not use. */
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	if (fails(MREMAP))
		return MAP_FAILED;
	return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, NULL);
}

#pragma GCC visibility pop

/* --- The load --------------------------------------------------------------------- */

struct block {
	unsigned char *start;
	size_t size;
	unsigned char stamp;
};

static struct block blocks[NR_SLOTS];

/* Between the ends of large blocks not every page is touched: there are many runs. */
static size_t stride(size_t size)
{
	return size > 64 * KIB ? 64 * KIB : 64;
}

/* Both ends, and some bytes between. */
static void stamp_block(const struct block *block)
{
	for (size_t i = 0; i < block->size; i += stride(block->size))
		block->start[i] = block->stamp;
	block->start[block->size - 1] = block->stamp;
}

/* The first bytes of what was a block of that size. */
static bool holds_stamps(const unsigned char *start, size_t bytes, size_t size, unsigned char stamp)
{
	for (size_t i = 0; i < bytes; i += stride(size))
		if (start[i] != stamp)
			return false;
	return true;
}

static bool is_zero(const unsigned char *start, size_t size)
{
	return holds_stamps(start, size, size, 0) && !start[size - 1];
}

/* Mostly small; blocks of pages; mappings. */
static size_t random_size(struct prng *prng)
{
	switch (prng_below(prng, 12)) {
	case 0:
		return 4 * MIB + prng_below(prng, 3 * MIB) + 1;
	case 1:
	case 2:
		return 32 * KIB + prng_below(prng, 600 * KIB) + 1;
	default:
		return prng_below(prng, 1UL << (4 + prng_below(prng, 12))) + 1;
	}
}

static void *allocate(struct prng *prng, size_t size)
{
	size_t align = 16UL << prng_below(prng, 18);
	void *start;

	switch (prng_below(prng, 6)) {
	case 0:
		start = calloc(1, size);
		CHECK(!start || is_zero(start, size), "; calloc(1, %zu)", size);
		return start;
	case 1:
		start = memalign(align, size);
		CHECK(!((uintptr_t)start & (align - 1)), "; align %zu, size %zu", align, size);
		return start;
	default:
		return malloc(size);
	}
}

static void fill_slot(struct prng *prng, struct block *block)
{
	size_t size = random_size(prng);
	unsigned char *start;

	errno = 0;
	start = allocate(prng, size);
	CHECK(start || errno == ENOMEM, "; size %zu: errno is %d", size, errno);
	if (!start)
		return;
	*block = (struct block){ start, size, (unsigned char)(1 + prng_below(prng, 255)) };
	stamp_block(block);
}

static void resize_slot(struct prng *prng, struct block *block)
{
	size_t size = prng_one_in(prng, 2) ? random_size(prng) : block->size + block->size / 3 + 1;
	size_t kept = size < block->size ? size : block->size;
	unsigned char *start;

	errno = 0;
	start = realloc(block->start, size);
	CHECK(start || errno == ENOMEM, "; %zu to %zu: errno is %d", block->size, size, errno);
	if (!start)
		return;
	CHECK(holds_stamps(start, kept, block->size, block->stamp), "; %zu to %zu", block->size,
	      size);
	block->start = start;
	block->size = size;
	stamp_block(block);
}

static void empty_slot(struct block *block)
{
	if (!block->start)
		return;
	CHECK(holds_stamps(block->start, block->size, block->size, block->stamp), "; size %zu",
	      block->size);
	errno = 12345;
	free(block->start);
	CHECK(errno == 12345, "; size %zu: free() left errno %d", block->size, errno);
	block->start = NULL;
}

static void load(uint64_t seed)
{
	struct prng prng = { seed };

	for (unsigned int i = 0; i < STEPS; i++) {
		struct block *block = &blocks[prng_below(&prng, NR_SLOTS)];

		if (!block->start)
			fill_slot(&prng, block);
		else if (prng_one_in(&prng, 3))
			resize_slot(&prng, block);
		else
			empty_slot(block);
		if (i % 200 == 199)
			malloc_trim(0);
	}
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		empty_slot(&blocks[i]);
	malloc_trim(0);
}

/* Without faults every size has to be had again, even those that have just failed. */
static void expect_memory(void)
{
	static const size_t sizes[] = { 1, 100, 5000, 32 * KIB, 33 * KIB, 3 * MIB, 9 * MIB };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *block = malloc(sizes[i]);

		CHECK(block, "; size %zu", sizes[i]);
		free(block);
	}
}

/*
 * If the library fails to come up, only that call fails: the next one tries again.
 */
static void come_up(void)
{
	void *block;

	errno = 0;
	block = malloc(1);
	CHECK(block || errno == ENOMEM, "; errno is %d", errno);
	free(block);
	if (fault.lasting)
		return;
	block = malloc(1);
	CHECK(block, "; the call after the one that failed");
	free(block);
}

/* fork() takes the locks of all that came up, one after the other, if there are threads. */
static void *fork_in_thread(void *unused)
{
	pid_t pid = fork();

	if (!pid) {
		free(malloc(100));
		_exit(0);
	}
	CHECK(pid > 0 && child_exited(child_wait(pid), 0));
	return unused;
}

static void fork_beside_thread(void)
{
	pthread_t thread;

	if (CHECK(!pthread_create(&thread, NULL, fork_in_thread, NULL)))
		pthread_join(thread, NULL);
}

static int work(void)
{
	bool reached;

	come_up();
	if (!fault.lasting)
		fork_beside_thread();
	load(1);
	reached = fault.seen >= fault.number;
	__atomic_store_n(&fault.over, true, __ATOMIC_RELAXED);
	expect_memory();
	load(2);
	CHECK(resident_bytes() < RSS_LIMIT, "; %zu KiB", resident_bytes() / KIB);
	if (harness.failures)
		return 1;
	return reached ? 0 : EXIT_NOT_REACHED;
}

/* --- The loops ----------------------------------------------------------------------- */

struct faults {
	int error;
	bool lasting;
	unsigned int apart;	/* one of so many calls fails; 0 = all, in turn */
	const char *options;
};

static void fail_each(enum call call, const struct faults *faults)
{
	unsigned int number, apart = (faults->apart ? faults->apart : 1) * test_divisor();
	struct child_result result = { .status = 0 };

	for (number = 1; number < CALLS_MAX; number += apart) {
		char arg[48];
		struct child_again again = { "--work", arg, faults->options, 0 };

		snprintf(arg, sizeof(arg), "%u:%d:%u:%d", call, faults->lasting, number,
			 faults->error);
		child_run(&result, child_exec_again, &again);
		if (!child_exited(result.status, 0))
			break;
	}
	CHECK(child_exited(result.status, EXIT_NOT_REACHED),
	      "; %s number %u%s, errno %d, %s: wait status %#x: %s", names[call], number,
	      faults->lasting ? " and all after it" : "", faults->error,
	      faults->options ? faults->options : "", result.status, result.err);
	CHECK(number > 1, "; %s is never called", names[call]);
	dprintf(STDOUT_FILENO, "# %s: %u calls\n", names[call], number - 1);
}

static void fail_each_call(const struct faults *faults)
{
	for (unsigned int call = 0; call < NR_CALLS; call++)
		fail_each(call, faults);
}

static void each_call_fails_once(void)
{
	fail_each_call(&(struct faults){ .error = ENOMEM });
}

static void all_calls_fail_from_one_on(void)
{
	fail_each_call(&(struct faults){ .error = ENOMEM, .lasting = true });
}

/* Zones of fixed sizes have all their memory from the beginning, one after the other. */
static void fixed_zones_come_up(void)
{
	fail_each(MPROTECT, &(struct faults){
			.error = ENOMEM, .options = "nodes=2:zone_dma=4M:zone_normal=44M" });
}

/* Blocks between guards are made, moved and cut off in several calls. */
static void guarded_blocks_are_resized(void)
{
	fail_each_call(&(struct faults){ .error = ENOMEM, .options = "hardened=1" });
}

static void guarded_blocks_are_refused(void)
{
	fail_each_call(&(struct faults){
			.error = ENOMEM, .lasting = true, .options = "hardened=1" });
}

/*
 * A seccomp filter says EPERM; a kernel that does not know an advice, EINVAL; one whose limit of
 * locked memory is reached, EAGAIN. The program is told ENOMEM of all of them.
 */
static void whatever_the_error_is(void)
{
	static const int errors[] = { EINVAL, EPERM, EAGAIN };

	for (unsigned int i = 0; i < 4 * ARRAY_SIZE(errors); i++)
		fail_each_call(&(struct faults){
				.error = errors[i / 4], .lasting = i % 2, .apart = 13,
				.options = i % 4 < 2 ? NULL : "hardened=1" });
}

/*
 * Options that watch blocks need memory of their own; options that count memory must count
 * correctly after a failure.
 */
static void with_other_options(void)
{
	static const char *const options[] = { "kfence_sample=3", "profile=16K", "limit=64M" };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(options); i++)
		fail_each_call(&(struct faults){ .error = ENOMEM, .lasting = i % 2, .apart = 5,
						 .options = options[i / 2] });
}

/* From now on the call of that number; 0: none. */
static void fail_nth(unsigned int number)
{
	fault.call = number ? MPROTECT : NR_CALLS;
	fault.number = number;
	fault.seen = 0;
}

/* A block moves, and both of its guards are refused. */
static int lose_guards(void)
{
	for (unsigned int guard = 2; guard <= 3; guard++) {
		unsigned char *block = malloc(64 * KIB);

		REQUIRE(block);
		memset(block, 1, 64 * KIB);
		fail_nth(guard);
		block = realloc(block, 256 * KIB);
		CHECK(block && fault.seen >= guard, "; %u calls", fault.seen);
		fail_nth(0);
		CHECK(block && block[64 * KIB - 1] == 1 && !block[64 * KIB]);
		free(block);
	}
	return harness.failures != 0;
}

static void guards_that_are_lost_are_told(void)
{
	struct child_again again = { "--lose", NULL, "hardened=1", 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && count_lines(result.err) == 1 &&
	      strstr(result.err, "no guard page at "), "; status %#x: %s", result.status,
	      result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "each_call_fails_once", each_call_fails_once, true },
		{ "all_calls_fail_from_one_on", all_calls_fail_from_one_on, true },
		{ "fixed_zones_come_up", fixed_zones_come_up, true },
		{ "guarded_blocks_are_resized", guarded_blocks_are_resized, true },
		{ "guarded_blocks_are_refused", guarded_blocks_are_refused, true },
		{ "whatever_the_error_is", whatever_the_error_is, true },
		{ "with_other_options", with_other_options, true },
		{ "guards_that_are_lost_are_told", guards_that_are_lost_are_told, true },
	};

	if (argc == 3 && !strcmp(argv[1], "--work"))
		return work();
	if (argc == 2 && !strcmp(argv[1], "--lose"))
		return lose_guards();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
