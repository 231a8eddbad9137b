/* SPDX-License-Identifier: MIT */
/*
 * Bad callers: each ends the process by SIGABRT, after one line on stderr that
 * starts with "usermm: " and holds the pointer in hex. Every trial is a child.
 */
#include "child.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "support/prng.h"

#define EXIT_NOT_NOTICED 42

/* How a pointer is misused. */
enum misuse { FREE, REALLOC, REALLOC_TO_ZERO, USABLE_SIZE, FREE_SIZED, SIZED_DELETE, NR_MISUSES };
static const char *const misuse_names[] = {
	"free", "realloc", "realloc to 0", "usable_size", "free_sized", "sized delete",
};

/* Shared with the child: the pointer of the trial. */
static void *volatile *culprit;

/* Functions that libc lacks, or that C cannot name. */
static void free_by(const char *name, void *pointer)
{
	void (*function)(void *, size_t) = (void (*)(void *, size_t))(uintptr_t)
		dlsym(RTLD_DEFAULT, name);

	if (!function)		/* a library without C++ */
		function = (void (*)(void *, size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "free_sized");
	REQUIRE(function);
	function(pointer, opaque_size(100));
}

static void misuse(void *pointer, enum misuse how)
{
	*culprit = pointer;
	pointer = opaque(pointer);
	if (how == FREE)
		free(pointer);
	else if (how == USABLE_SIZE)
		malloc_usable_size(pointer);
	else if (how == FREE_SIZED)
		free_by("free_sized", pointer);
	else if (how == SIZED_DELETE)
		free_by("_ZdlPvm", pointer);
	else
		pointer = realloc(pointer, opaque_size(how == REALLOC ? 200 : 0));
	_exit(EXIT_NOT_NOTICED);
}

/* The report says what was freed, where it lies, and who called. */
static bool is_one_line_about(const char *text, const void *pointer)
{
	char hex[32];

	snprintf(hex, sizeof(hex), "%lx", (unsigned long)pointer);
	return !strncmp(text, "usermm: ", 8) && count_lines(text) == 1 && strstr(text, hex) &&
	       strstr(text, "; called from /");
}

static void expect_abort(void (*fn)(void *arg), void *arg, const char *what, const char *how)
{
	struct child_result result;

	if (!culprit)
		culprit = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	REQUIRE(culprit != MAP_FAILED);
	*culprit = NULL;
	child_run(&result, fn, arg);
	if (child_exited(result.status, EXIT_NOT_NOTICED)) {
		CHECK(!"the misuse went unnoticed", "; %s, %s", what, how);
		return;
	}
	CHECK(child_died_by(result.status, SIGABRT), "; %s, %s: wait status %#x", what, how,
	      result.status);
	CHECK(is_one_line_about(result.err, *culprit), "; %s, %s of %p: %s", what, how,
	      *culprit, result.err);
}

/* --- The same block twice --------------------------------------------------- */

struct twice {
	size_t size;
	enum misuse how;
};

static void free_twice(void *arg)
{
	struct twice *twice = arg;
	void *block = malloc(twice->size);

	free(block);
	misuse(block, twice->how);
}

static void free_a_b_a(void *arg)
{
	struct twice *twice = arg;
	void *a = malloc(twice->size), *b = malloc(twice->size);

	free(a);
	free(b);
	misuse(a, twice->how);
}

static void free_later(void *arg)
{
	struct twice *twice = arg;
	unsigned int nr_same = twice->size > 64 * KIB ? 20 : 500;
	static void *others[1000];
	void *block;

	for (unsigned int i = 0; i < ARRAY_SIZE(others) / 2; i++)
		others[i] = malloc(i < nr_same ? twice->size : 100);
	block = malloc(twice->size);
	for (unsigned int i = ARRAY_SIZE(others) / 2; i < ARRAY_SIZE(others); i++)
		others[i] = malloc(10 * (i % 100));
	free(block);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		free(others[i]);
	misuse(block, twice->how);
}

static void *free_in_thread(void *block)
{
	free(block);
	return NULL;
}

static void free_in_two_threads(void *arg)
{
	struct twice *twice = arg;
	void *block = malloc(twice->size);
	pthread_t thread;

	pthread_create(&thread, NULL, free_in_thread, block);
	pthread_join(thread, NULL);
	misuse(block, twice->how);
}

static void expect_noticed_twice(void (*fn)(void *arg))
{
	static const size_t sizes[] = {
		0, 1, 16, 100, 1000, 1024, 1025, 4 * KIB, 32 * KIB, 40 * KIB, MIB, 4 * MIB, 8 * MIB,
	};
	char what[64];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int how = 0; how < NR_MISUSES; how++) {
			struct twice twice = { sizes[i], (enum misuse)how };

			snprintf(what, sizeof(what), "size %zu freed", sizes[i]);
			expect_abort(fn, &twice, what, misuse_names[how]);
		}
}

static void double_free(void)
{
	expect_noticed_twice(free_twice);
}

static void double_free_a_b_a(void)
{
	expect_noticed_twice(free_a_b_a);
}

static void double_free_delayed(void)
{
	expect_noticed_twice(free_later);
}

static void double_free_across_threads(void)
{
	expect_noticed_twice(free_in_two_threads);
}

/* --- Somewhere else --------------------------------------------------------- */

static char in_bss[256] __attribute__((__aligned__(64)));
static char in_data[256] __attribute__((__aligned__(64))) = { 1 };
static int dummy_function(void)
{
	return 1;
}

/* The freed address is `offset` bytes from ... */
enum base {
	ABSOLUTE, SIZE_100, SIZE_4K, SIZE_30000, SIZE_40K, SIZE_1M, SIZE_8M, STACK, BSS, DATA,
	TEXT, MAPPED, MAPPED_NONE, UNMAPPED, NR_BASES
};
static const struct base_row {
	const char *name;
	size_t size;	/* of a block of malloc() */
} bases[NR_BASES] = {
	{ "address", 0 }, { "block of 100", 100 }, { "block of 4 KiB", 4 * KIB },
	{ "block of 30000", 30000 }, { "block of 40 KiB", 40 * KIB },
	{ "block of 1 MiB", MIB }, { "block of 8 MiB", 8 * MIB }, { "stack", 0 },
	{ "bss", 0 }, { "data", 0 }, { "text", 0 }, { "foreign mapping", 0 },
	{ "PROT_NONE mapping", 0 },
	{ "unmapped address", 0 },
};

struct elsewhere {
	enum base base;
	long offset;
	enum misuse how;
};

static char *map_pages(int protection)
{
	return mmap(NULL, 256 * KIB, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static char *base_address(enum base base)
{
	static char *block;

	switch (base) {
	case BSS:
		return in_bss;
	case DATA:
		return in_data;
	case TEXT:
		return (char *)dummy_function;
	case MAPPED:
		return map_pages(PROT_READ | PROT_WRITE);
	case MAPPED_NONE:
		return map_pages(PROT_NONE);
	case UNMAPPED:
		block = map_pages(PROT_READ);
		munmap(block, 256 * KIB);
		return block;
	default:
		if (!bases[base].size)
			return NULL;
		/* Neighbours, so that what is around is in use. */
		for (unsigned int i = 0; i < 3; i++) {
			char *next = malloc(bases[base].size);

			memset(next, 0xff, bases[base].size);
			block = i == 1 ? next : block;
		}
		return block;
	}
}

static void misuse_elsewhere(void *arg)
{
	struct elsewhere *elsewhere = arg;
	char on_stack[256] __attribute__((__aligned__(64)));
	char *pointer = elsewhere->base == STACK ? on_stack : base_address(elsewhere->base);

	free(malloc(10));
	misuse(pointer + elsewhere->offset, elsewhere->how);
}

static void expect_noticed_elsewhere(enum base base, const long *offsets, size_t nr)
{
	char what[64];

	for (size_t i = 0; i < nr; i++)
		for (int how = 0; how < NR_MISUSES; how++) {
			struct elsewhere elsewhere = { base, offsets[i], (enum misuse)how };

			snprintf(what, sizeof(what), "%s %+ld", bases[base].name, offsets[i]);
			expect_abort(misuse_elsewhere, &elsewhere, what, misuse_names[how]);
		}
}

static void inside_a_block(void)
{
	static const long small[] = { 1, 4, 8, 16, 32, 63, 99 };
	static const long medium[] = { 1, 8, 16, 64, 1024, 2048, 4095 };
	static const long large[] = { 1, 8, 16, 2048, 4096, 8192, 16384, 20000, 29999 };

	expect_noticed_elsewhere(SIZE_100, small, ARRAY_SIZE(small));
	expect_noticed_elsewhere(SIZE_4K, medium, ARRAY_SIZE(medium));
	for (int base = SIZE_30000; base <= SIZE_8M; base++)
		expect_noticed_elsewhere((enum base)base, large, ARRAY_SIZE(large));
}

static void before_or_behind_a_block(void)
{
	static const long offsets[] = { -1, -8, -16, 512 * (long)GIB };

	for (int base = SIZE_100; base <= SIZE_8M; base++)
		expect_noticed_elsewhere((enum base)base, offsets, ARRAY_SIZE(offsets));
}

static void memory_of_others(void)
{
	static const long offsets[] = { 0, 1, 8, 16, 64, 112 };
	static const long page_offsets[] = { 0, 1, 8, 16, 64, 4096, 4112, 65536 };

	for (int base = STACK; base <= TEXT; base++)
		expect_noticed_elsewhere((enum base)base, offsets, ARRAY_SIZE(offsets));
	for (int base = MAPPED; base <= UNMAPPED; base++)
		expect_noticed_elsewhere((enum base)base, page_offsets,
					 ARRAY_SIZE(page_offsets));
}

static void wild_addresses(void)
{
	static const long addresses[] = {
		1, 2, 8, 16, 4096, 0xdeadbeef, 0x123456789000, 0x7ffffffff000,
		0x800000000000, 0x4141414141414141, -1, -8, -16, -4096, (long)(1UL << 63),
	};

	expect_noticed_elsewhere(ABSOLUTE, addresses, ARRAY_SIZE(addresses));
}

/* The wrong call is the process's first call. */
static void in_a_fresh_process(void)
{
	struct child_again again = { .mode = "--free-first" };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_died_by(result.status, SIGABRT), "; wait status %#x", result.status);
	CHECK(is_one_line_about(result.err, (void *)0x1230), "; %s", result.err);
}

/* --- In a signal handler ------------------------------------------------------ */

/* The stack that a report may use, beside the frames of two signals. */
#define REPORT_BYTES (KIB + KIB / 2)
#define STACK_BYTES (64 * KIB)
#define SIGNAL_FRAME_BYTES (4 * KIB)	/* where it is not known */

static void *freed;

static void misuse_in_handler(int number)
{
	(void)number;
	misuse(freed, FREE);
}

static void come_back(int number)
{
	(void)number;
}

/* That of SIGABRT is on the same stack: it comes back, and the process ends. */
static void misuse_on_small_stack(void *arg)
{
	struct sigaction action = { .sa_handler = misuse_in_handler, .sa_flags = SA_ONSTACK };
	size_t frame = getauxval(AT_MINSIGSTKSZ);
	char *memory = mmap(NULL, 2 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + STACK_BYTES };

	stack.ss_size = 2 * (frame ? frame : SIGNAL_FRAME_BYTES) + REPORT_BYTES;
	REQUIRE(memory != MAP_FAILED && stack.ss_size <= STACK_BYTES &&
		!mprotect(stack.ss_sp, STACK_BYTES, PROT_READ | PROT_WRITE));
	freed = malloc((size_t)arg);
	free(freed);
	REQUIRE(!sigaltstack(&stack, NULL) && !sigaction(SIGUSR1, &action, NULL));
	action.sa_handler = come_back;
	REQUIRE(!sigaction(SIGABRT, &action, NULL));
	raise(SIGUSR1);
}

static void on_small_stacks(void)
{
	expect_abort(misuse_on_small_stack, (void *)100, "on a small stack", "free");
	expect_abort(misuse_on_small_stack, (void *)50000, "on a small stack", "free");
	expect_abort(misuse_on_small_stack, (void *)9000000, "on a small stack", "free");
}

/* --- What reports say of pages -------------------------------------------------------- */

#define PAGES_BYTES (256 * KIB)

static void free_pages_twice(void *arg)
{
	void *block = malloc(PAGES_BYTES);

	(void)arg;
	free(block);
	misuse(block, FREE);
}

/* The block, one of many, is by then part of a larger free block, and not at its start. */
static void free_pages_merged(void *arg)
{
	void *blocks[8];
	size_t last = 0;

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = malloc(PAGES_BYTES);
		last = blocks[i] > blocks[last] ? i : last;
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	malloc_trim(0);
	misuse(blocks[last], FREE);
}

static void free_inside_pages(void *arg)
{
	char *block = malloc(PAGES_BYTES);

	(void)arg;
	misuse(block + PAGES_BYTES / 2 + 4096, FREE);
}

static void expect_words(void (*fn)(void *arg), const char *words)
{
	struct child_result result;

	child_run(&result, fn, NULL);
	CHECK(child_died_by(result.status, SIGABRT) && strstr(result.err, words),
	      "; \"%s\" expected: %s", words, result.err);
}

static void pages_are_told_apart(void)
{
	expect_abort(free_pages_twice, NULL, "pages", "free");
	expect_words(free_pages_twice, "already freed");
	expect_words(free_pages_merged, "in a free block of order ");
	expect_words(free_inside_pages, "inside a block of 262144 bytes at 0x");
	expect_words(free_inside_pages, "; free the address that was returned, unless ");
}

/* --- At random -------------------------------------------------------------- */

/* After some work, one of the freed blocks is freed again. */
static void free_some_free_block(void *arg)
{
	struct prng prng = { (unsigned long)arg };
	static void *blocks[200];
	unsigned int nr_freed = 1 + prng_below(&prng, ARRAY_SIZE(blocks));

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = malloc(1 + (prng_below(&prng, 32 * KIB) >> prng_below(&prng, 12)));
	for (unsigned int i = 0; i < nr_freed; i++)
		free(blocks[i]);
	misuse(blocks[prng_below(&prng, nr_freed)], FREE);
}

static void random_double_frees(void)
{
	for (unsigned long seed = 1; seed <= 300; seed++)
		expect_abort(free_some_free_block, (void *)seed, "random work", "free");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "double_free", double_free, true },
		{ "double_free_a_b_a", double_free_a_b_a, true },
		{ "double_free_delayed", double_free_delayed, true },
		{ "double_free_across_threads", double_free_across_threads, true },
		{ "inside_a_block", inside_a_block, true },
		{ "before_or_behind_a_block", before_or_behind_a_block, true },
		{ "memory_of_others", memory_of_others, true },
		{ "wild_addresses", wild_addresses, true },
		{ "in_a_fresh_process", in_a_fresh_process, true },
		{ "on_small_stacks", on_small_stacks, true },
		{ "pages_are_told_apart", pages_are_told_apart, true },
		{ "random_double_frees", random_double_frees, true },
	};

	if (argc > 1 && !strcmp(argv[1], "--free-first")) {
		free(opaque((void *)0x1230));
		return EXIT_NOT_NOTICED;
	}
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
