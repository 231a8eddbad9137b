/* SPDX-License-Identifier: MIT */
/*
 * How much stack the calls need at most. Programs call them on stacks of 16 KiB (threads), 8 KiB
 * (handlers, coroutines) and less. The stack below a run of calls is painted; then the deepest
 * word that was written tells. Runs are long enough for all rare paths: batches move between CPUs,
 * barns and slabs, slabs and pages come and go, memory goes back and runs out.
 *
 * Each is a process of its own, since options are read once. The figures include the test's own use
 * of the stack, some 100 bytes.
 */
#include <malloc.h>
#include <pthread.h>

#include "child.h"
#include "cpus.h"

#define STACK_BYTES (256 * KIB)
#define PAINTED_WORDS (64 * KIB / sizeof(unsigned long))
/* The painter's own use of the stack. No call that is measured needs so little. */
#define GAP_WORDS 32
#define COLOUR 0x5aa5c33c5aa5c33cUL

#define BOUND 2048UL
#define BOUND_HARDENED 4096UL
/* Where a call makes a thread: libc's part, and a look for handlers on the stack. */
#define BOUND_THREAD (4 * KIB)
/* The first call of all; clang has more of it in one frame. */
#define BOUND_FIRST (10 * KIB)

#define MAX_BLOCKS 200000
#define ROUND_BYTES (6 * MIB)
#define ROUND_BLOCKS 3000
/* After so many requests without success, memory has run out. */
#define REFUSALS 20

enum call { MALLOC, CALLOC, ALIGNED, REALLOC, FREE, NR_CALLS };
static const char *const names[NR_CALLS] = {
	"malloc", "calloc", "aligned_alloc", "realloc", "free",
};

/* Called by their addresses: else the loader looks for each at the first call, on this stack. */
static void *(*volatile call_malloc)(size_t size) = malloc;
static void *(*volatile call_calloc)(size_t n, size_t size) = calloc;
static void *(*volatile call_aligned_alloc)(size_t align, size_t size) = aligned_alloc;
static void *(*volatile call_realloc)(void *block, size_t size) = realloc;
static void (*volatile call_free)(void *block) = free;

static size_t deepest[NR_CALLS];
static void *blocks[MAX_BLOCKS];
static size_t nr_blocks, wanted, size;
static bool measured;

/* --- The stack -------------------------------------------------------------------- */

static __attribute__((__noinline__)) void paint(void)
{
	volatile unsigned long *top = __builtin_frame_address(0);

	for (size_t i = GAP_WORDS; i < PAINTED_WORDS; i++)
		*(top - i) = COLOUR;
}

/* From here down to the last word that is not as it was painted. */
static __attribute__((__noinline__)) size_t bytes_written(void)
{
	volatile unsigned long *top = __builtin_frame_address(0);
	size_t words = PAINTED_WORDS - 1;

	while (words > GAP_WORDS && *(top - words) == COLOUR)
		words--;
	return words * sizeof(*top);
}

/* Painter and reader are called from the same place as the measured functions. */
static __attribute__((__noinline__)) void look(enum call call, void (*run)(void))
{
	size_t bytes;

	if (!measured) {
		run();
		return;
	}
	paint();
	run();
	bytes = bytes_written();
	if (bytes > deepest[call])
		deepest[call] = bytes;
}

/* --- Runs of calls ------------------------------------------------------------------ */

static void fill_malloc(void)
{
	while (nr_blocks < wanted && (blocks[nr_blocks] = call_malloc(size)))
		nr_blocks++;
}

static void fill_calloc(void)
{
	while (nr_blocks < wanted && (blocks[nr_blocks] = call_calloc(1, size)))
		nr_blocks++;
}

static void fill_aligned(void)
{
	size_t whole = (size + 63) & ~63UL;

	while (nr_blocks < wanted && (blocks[nr_blocks] = call_aligned_alloc(64, whole)))
		nr_blocks++;
}

static void grow(void)
{
	for (size_t i = 0; i < nr_blocks; i++) {
		void *block = call_realloc(blocks[i], size + size / 2);

		blocks[i] = block ? block : blocks[i];
	}
}

/* There is hardly any memory left. */
static void grow_some(void)
{
	for (size_t i = 0; i < nr_blocks && i < REFUSALS; i++) {
		void *block = call_realloc(blocks[i], 2 * size);

		blocks[i] = block ? block : blocks[i];
	}
}

static void shrink(void)
{
	for (size_t i = 0; i < nr_blocks; i++) {
		void *block = call_realloc(blocks[i], size / 2 + 1);

		blocks[i] = block ? block : blocks[i];
	}
}

static void free_in_order(void)
{
	for (size_t i = 0; i < nr_blocks; i++)
		call_free(blocks[i]);
	nr_blocks = 0;
}

static void free_backwards(void)
{
	while (nr_blocks)
		call_free(blocks[--nr_blocks]);
}

/* Of each slab a few, so none is empty until the last. */
static void free_scattered(void)
{
	for (size_t first = 0; first < 61; first++)
		for (size_t i = first; i < nr_blocks; i += 61)
			call_free(blocks[i]);
	nr_blocks = 0;
}

/* --- The script ------------------------------------------------------------------------ */

static void use_size(size_t bytes, size_t most_bytes)
{
	static void (*const ways_back[])(void) = { free_in_order, free_backwards, free_scattered };

	size = bytes;
	wanted = most_bytes / bytes;
	wanted = wanted < ROUND_BLOCKS ? wanted + 1 : ROUND_BLOCKS;
	for (size_t i = 0; i < ARRAY_SIZE(ways_back); i++) {
		look(MALLOC, fill_malloc);
		look(FREE, ways_back[i]);
		look(CALLOC, fill_calloc);
		look(FREE, ways_back[i]);
		look(ALIGNED, fill_aligned);
		look(REALLOC, grow);
		look(REALLOC, shrink);
		look(FREE, ways_back[i]);
	}
}

static void use_sizes(size_t most_bytes)
{
	static const size_t sizes[] = {
		16, 40, 100, 250, 700, 1500, 3000, 6000, 13000, 30000, 50000, 200000, 700000,
		3000000, 6000000,
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		use_size(sizes[i], most_bytes);
}

/* Allocates until nothing is left, so a limit must be set. */
static void use_up(size_t bytes)
{
	size = bytes;
	wanted = MAX_BLOCKS;
	look(MALLOC, fill_malloc);
	REQUIRE(nr_blocks < wanted);
	look(REALLOC, grow_some);
	look(FREE, free_scattered);
	look(CALLOC, fill_calloc);
	look(FREE, free_backwards);
}

static void use_all_up(void)
{
	use_up(2500);
	use_up(20000);
	use_up(60000);
	use_up(5000000);
}

/* Another CPU keeps objects, so that this run takes them from it. */
static void *leave_some(void *script)
{
	bind_to_cpu(true);
	((void (*)(void))script)();
	return NULL;
}

static void *measure(void *script)
{
	bind_to_cpu(false);
	measured = true;
	((void (*)(void))script)();
	return NULL;
}

static void in_thread(void *(*run)(void *), void (*script)(void))
{
	pthread_attr_t attr;
	pthread_t thread;

	REQUIRE(!pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, STACK_BYTES) &&
		!pthread_create(&thread, &attr, run, (void *)script) &&
		!pthread_join(thread, NULL));
}

static void usual(void)
{
	use_sizes(ROUND_BYTES);
}

static void to_the_limit(void)
{
	use_sizes(ROUND_BYTES);
	use_all_up();
}

/* Frees more than the process may keep: beyond some size the background thread is created. */
static void much(void)
{
	static const size_t sizes[] = { 25000, 60000, 1000000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size = sizes[i];
		wanted = 200 * MIB / size;
		look(MALLOC, fill_malloc);
		look(FREE, free_in_order);
	}
}

static void one_block(void)
{
	blocks[0] = call_malloc(100);
}

static void tell(void)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		dprintf(STDERR_FILENO, "%zu %s\n", deepest[i], names[i]);
}

static int trial(const char *what)
{
	static const struct {
		const char *name;
		void (*script)(void);
		bool after_others;	/* no size is new then, and another CPU has some */
	} scripts[] = {
		{ "new", usual, false }, { "usual", usual, true }, { "much", much, false },
		{ "limit", to_the_limit, true },
	};

	if (!strcmp(what, "first")) {
		measured = true;
		look(MALLOC, one_block);
		tell();
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		if (!strcmp(scripts[i].name, what)) {
			if (scripts[i].after_others)
				in_thread(leave_some, scripts[i].script);
			in_thread(measure, scripts[i].script);
			tell();
			return 0;
		}
	return 1;
}

/* --- Cases ------------------------------------------------------------------------------ */

static void check(const char *what, const char *options, size_t bound)
{
	struct child_again again = { "--trial", what, options, 0 };
	struct child_result result;
	char *at = result.err;

	if (USERMM_DEBUG) {
		harness.skipped = "frames are larger with assertions, and without optimisation";
		return;
	}
	child_run(&result, child_exec_again, &again);
	if (!CHECK(child_exited(result.status, 0), "; %s, %s: wait status %#x %s", what, options,
		   result.status, result.err))
		return;
	for (size_t i = 0; i < NR_CALLS; i++) {
		size_t bytes = strtoul(at, &at, 10);

		dprintf(STDOUT_FILENO, "# %s, %s: %s %zu bytes\n", what, options, names[i], bytes);
		CHECK(bytes <= bound, "; %s, %s: %s: %zu bytes, more than %zu", what, options,
		      names[i], bytes, bound);
		at = strchr(at, '\n');
		if (!CHECK(at, "; %s", result.err))
			return;
	}
}

static void usual_calls(void)
{
	check("new", "background=off", BOUND);
	check("usual", "background=off", BOUND);
}

static void much_is_freed(void)
{
	check("much", "background=off", BOUND);
}

static void memory_runs_out(void)
{
	check("limit", "limit=100M:background=off", BOUND);
	check("limit", "limit=100M:background=off:simulated_cpus=16", BOUND);
}

static void a_thread_is_made(void)
{
	check("much", "background=auto", BOUND_THREAD);
}

static void hardened(void)
{
	check("new", "hardened=1:background=off", BOUND_HARDENED);
	check("usual", "hardened=1:background=off", BOUND_HARDENED);
	check("limit", "hardened=1:limit=100M:background=off", BOUND_HARDENED);
}

static void the_first_call(void)
{
	check("first", "", BOUND_FIRST);
	check("first", "hardened=1", BOUND_FIRST);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "usual_calls", usual_calls, true },
		{ "much_is_freed", much_is_freed, true },
		{ "memory_runs_out", memory_runs_out, true },
		{ "a_thread_is_made", a_thread_is_made, true },
		{ "hardened", hardened, true },
		{ "the_first_call", the_first_call, true },
	};

	if (argc > 2 && !strcmp(argv[1], "--trial"))
		return trial(argv[2]);
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
