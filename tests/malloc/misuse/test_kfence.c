/* SPDX-License-Identifier: MIT */
/*
 * malloc with kfence_sample=RATE: a wrong access to a guarded block is reported at once, and then
 * the program gets the signal; a wrong free is reported, and ends the program. Every trial is this
 * program again, with the option.
 */
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

#include "behave.h"
#include "locked.h"
#include "mistakes.h"
#include "support/text.h"

#define EXIT_HANDLED 33
#define HANDLED_SIZE 50
#define PAGE_BYTES 4096
#define PROBES 100
#define ROUND 100

static __attribute__((__noinline__)) volatile char *allocate(size_t size)
{
	return opaque(malloc(opaque_size(size)));
}

static __attribute__((__noinline__)) void release(volatile char *block)
{
	free(opaque((char *)block));
}

/* A block lies at either end of its page. The access passes the page's end in both cases. */
static void write_right(size_t size)
{
	volatile char *block = allocate(size);

	for (size_t i = size; i < 2 * 4096; i++)
		block[i] = 1;
}

static void read_left(size_t size)
{
	volatile char *block = allocate(size), byte;

	for (size_t i = 1; i < 2 * 4096; i++)
		byte = block[-(long)i];
	(void)byte;
}

static void write_after_free(size_t size)
{
	volatile char *block = allocate(size);

	release(block);
	block[size / 2] = 1;
}

static void read_after_free(size_t size)
{
	volatile char *block = allocate(size), byte;

	release(block);
	byte = block[size - 1];
	(void)byte;
}

static void free_twice(size_t size)
{
	volatile char *block = allocate(size);

	release(block);
	release(block);
}

static void free_resized_twice(size_t size)
{
	volatile char *block = realloc(opaque(NULL), opaque_size(size));

	release(block);
	release(block);
}

static void free_inside(size_t size)
{
	release(allocate(size) + 1);
}

static void write_one_behind(size_t size)
{
	volatile char *block = allocate(size);

	/* Until the end of a page lies somewhere else. */
	while (!(((unsigned long)block + size) % 4096))
		block = allocate(size);
	block[size]++;
	release(block);
}

static void resize_freed(size_t size)
{
	volatile char *block = allocate(size);

	release(block);
	block = realloc((char *)block, opaque_size(size * 2));
}

static void size_of_freed(size_t size)
{
	volatile char *block = allocate(size);

	release(block);
	malloc_usable_size((char *)block);
}

#define MISTAKE(function, ends_by, ...) \
	{ .name = #function, .signal = ends_by, .texts = { __VA_ARGS__ }, .make = function }

static const struct mistake mistakes[] = {
	MISTAKE(write_right, SIGSEGV, "out-of-bounds write in ", " right of kfence-#",
		"Allocated in ", "test_kfence+0x"),
	MISTAKE(read_left, SIGSEGV, "out-of-bounds read in ", " left of kfence-#",
		"Allocated in ", "test_kfence+0x"),
	MISTAKE(write_after_free, SIGSEGV, "use-after-free write in ", "(in kfence-#",
		"Allocated in ", "Freed in "),
	MISTAKE(read_after_free, SIGSEGV, "use-after-free read in ", "(in kfence-#",
		"Allocated in ", "Freed in "),
	MISTAKE(free_twice, SIGABRT, "invalid free in ", "Invalid free of ", "Allocated in ",
		"Freed in "),
	MISTAKE(free_resized_twice, SIGABRT, "invalid free in ", "Allocated in ", "Freed in ",
		"cache=malloc-"),
	MISTAKE(free_inside, SIGABRT, "invalid free in ", "Invalid free of ", "Allocated in ",
		"cache=malloc-"),
	MISTAKE(write_one_behind, SIGABRT, "memory corruption in ", "Corrupted memory at ",
		"1 bytes behind ", "cache=malloc-"),
	MISTAKE(resize_freed, SIGABRT, "invalid free in ", "Allocated in ", "Freed in ",
		"usermm: realloc(0x"),
	MISTAKE(size_of_freed, SIGABRT, "invalid free in ", "Allocated in ", "Freed in ",
		"usermm: malloc_usable_size(0x"),
};

static void run(struct child_result *result, const char *mode, const char *what,
		const char *options)
{
	struct child_again again = { mode, what, options, 0 };

	child_run(result, child_exec_again, &again);
}

static void mistakes_are_reported(void)
{
	static const size_t sizes[] = { 1, 24, 100, 1000, 4000 };

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			try_mistake(&mistakes[i], sizes[k], "kfence_sample=1", 0);
}

static void expect_named(const char *what)
{
	struct child_result result;
	const char *line, *name;

	run(&result, "--mistake", what, "kfence_sample=1");
	line = strstr(result.err, "Allocated in ");
	name = line ? strstr(line, "test_kfence+0x") : NULL;
	CHECK(name && name < strchr(line, '\n'), "; %s: %s", what, result.err);
}

/* The frame is the program's, not the library's, even if the library's calls are inlined. */
static void the_program_is_named(void)
{
	expect_named("free_twice,24");
	expect_named("free_resized_twice,24");
}

/* --- The program's own handler ------------------------------------------------------------- */

static struct sigaction before;
static sigjmp_buf back;
static volatile unsigned int nr_handled;

static void exit_handled(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	_exit(info->si_addr ? EXIT_HANDLED : 1);
}

static void jump_back(int number)
{
	(void)number;
	nr_handled++;
	siglongjmp(back, 1);
}

/* As many programs do: the handler prints something, then calls the handler that was set before. */
static void chain(int number, siginfo_t *info, void *context)
{
	if (++nr_handled > 2)
		_exit(2);
	dprintf(STDERR_FILENO, "mine\n");
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else
		signal(number, before.sa_handler);
}

static void set_handler(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { 0 };

	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO;
	REQUIRE(!sigaction(SIGSEGV, &action, &before));
}

/* --- A handler that is set for a while --- */

static volatile unsigned int nr_unprotected;
static char *protected_page;

/* Like a garbage collector's handler, which waits for writes. */
static void unprotect(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if ((char *)info->si_addr != protected_page || nr_unprotected > PROBES)
		_exit(2);
	REQUIRE(!mprotect(protected_page, PAGE_BYTES, PROT_READ | PROT_WRITE));
	nr_unprotected++;
}

static void write_protected(void)
{
	REQUIRE(!mprotect(protected_page, PAGE_BYTES, PROT_READ));
	*(volatile char *)protected_page = 1;
}

/* Each time the earlier handler is put back, and then gets its signals as before. */
static int probe_often(void)
{
	struct sigaction action = { 0 };

	protected_page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(protected_page != MAP_FAILED);
	set_handler(unprotect);
	release(allocate(HANDLED_SIZE));
	write_protected();
	action.sa_handler = jump_back;
	for (volatile int i = 0; i < PROBES; i++) {
		REQUIRE(!sigaction(SIGSEGV, &action, &before));
		release(allocate(HANDLED_SIZE));
		if (!sigsetjmp(back, 1))
			*(volatile char *)opaque((void *)16) = 1;
		REQUIRE(!sigaction(SIGSEGV, &before, NULL));
		write_protected();
	}
	CHECK(nr_handled == PROBES, "; %u", nr_handled);
	CHECK(nr_unprotected == PROBES + 1, "; %u", nr_unprotected);
	return harness_status();
}

/* --- How a handler is called --- */

static void say(int number)
{
	(void)number;
	dprintf(STDERR_FILENO, "mine\n");
}

static bool is_blocked(int number)
{
	sigset_t blocked;

	REQUIRE(!sigprocmask(SIG_BLOCK, NULL, &blocked));
	return sigismember(&blocked, number);
}

static void unprotect_blocked(int number, siginfo_t *info, void *context)
{
	if (!is_blocked(SIGUSR1) || !is_blocked(SIGSEGV) || is_blocked(SIGUSR2))
		_exit(3);
	unprotect(number, info, context);
}

/* A handler that is meant for one time, and comes back: the next time is the default's. */
static int fault_twice(void)
{
	struct sigaction action = { .sa_handler = say, .sa_flags = (int)SA_RESETHAND };

	REQUIRE(!sigaction(SIGSEGV, &action, NULL));
	release(allocate(HANDLED_SIZE));
	*(volatile char *)opaque((void *)16) = 1;
	return 1;
}

/* Without a mask that is put back SIGSEGV has to stay as it was all the time. */
static int jump_without_mask(void)
{
	struct sigaction action = { .sa_handler = jump_back, .sa_flags = SA_NODEFER };

	REQUIRE(!sigaction(SIGSEGV, &action, NULL));
	release(allocate(HANDLED_SIZE));
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 0))
			*(volatile char *)opaque((void *)16) = 1;
	CHECK(nr_handled == 3 && !is_blocked(SIGSEGV), "; %u", nr_handled);
	return harness_status();
}

static int block_another(void)
{
	struct sigaction action = { .sa_sigaction = unprotect_blocked, .sa_flags = SA_SIGINFO };

	protected_page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(protected_page != MAP_FAILED);
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR1);
	REQUIRE(!sigaction(SIGSEGV, &action, NULL));
	release(allocate(HANDLED_SIZE));
	write_protected();
	CHECK(nr_unprotected == 1 && !is_blocked(SIGUSR1) && !is_blocked(SIGSEGV));
	return harness_status();
}

/* The kernel looks at the handler alone, not at SA_SIGINFO. */
static int ignore_all_kinds(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_handler = SIG_IGN;
	REQUIRE(!sigaction(SIGSEGV, &action, NULL));
	release(allocate(HANDLED_SIZE));
	CHECK(!kill(getpid(), SIGSEGV));
	return harness_status();
}

static void count_only(int number)
{
	(void)number;
	nr_handled++;
}

/* A handler without SA_RESTART interrupts read(2). */
static int interrupt_a_call(void)
{
	struct sigaction action = { .sa_handler = count_only };
	pid_t child, parent = getpid();
	int ends[2];
	char byte;

	REQUIRE(!sigaction(SIGSEGV, &action, NULL) && !pipe(ends));
	release(allocate(HANDLED_SIZE));
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		struct pollfd closed = { ends[1], 0, 0 };

		close(ends[0]);
		if (!falls_asleep(parent, CHILD_SECONDS / 2))
			_exit(2);
		kill(parent, SIGSEGV);
		/* Until the parent has come back, and closes its end; or read() ends here. */
		_exit(poll(&closed, 1, 10000) != 1 && write(ends[1], "", 1) != 1);
	}
	errno = 0;
	CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR && nr_handled == 1);
	close(ends[0]);
	CHECK(child_exited(child_wait(child), 0));
	return harness_status();
}

static int handle(const char *what)
{
	struct sigaction action = { 0 };
	volatile char *block;

	if (!strcmp(what, "probe"))
		return probe_often();
	if (!strcmp(what, "once"))
		return fault_twice();
	if (!strcmp(what, "nodefer"))
		return jump_without_mask();
	if (!strcmp(what, "mask"))
		return block_another();
	if (!strcmp(what, "ignore"))
		return ignore_all_kinds();
	if (!strcmp(what, "interrupt"))
		return interrupt_a_call();
	release(allocate(HANDLED_SIZE));
	if (!strcmp(what, "exit"))
		set_handler(exit_handled);
	if (!strcmp(what, "chain"))
		set_handler(chain);
	if (!strcmp(what, "jump")) {
		action.sa_handler = jump_back;
		REQUIRE(!sigaction(SIGSEGV, &action, NULL));
		for (unsigned int i = 0; i < 3; i++) {
			block = allocate(HANDLED_SIZE);
			release(block);
			if (!sigsetjmp(back, 1))
				*block = 1;
		}
		CHECK(nr_handled == 3);
		/* A fault elsewhere is the program's alone. */
		if (!sigsetjmp(back, 1))
			*(volatile char *)opaque((void *)16) = 1;
		CHECK(nr_handled == 4);
		return harness_status();
	}
	write_after_free(HANDLED_SIZE);
	return 1;
}

static void the_program_has_its_handler(void)
{
	struct child_result result;

	run(&result, "--handle", "exit", "kfence_sample=1");
	CHECK(child_exited(result.status, EXIT_HANDLED) && count_text(result.err, "BUG: ") == 1,
	      "; wait status %#x %s", result.status, result.err);
	run(&result, "--handle", "jump", "kfence_sample=1");
	CHECK(child_exited(result.status, 0) && count_text(result.err, "BUG: ") == 3,
	      "; wait status %#x %s", result.status, result.err);
	run(&result, "--handle", "probe", "kfence_sample=1");
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
	run(&result, "--handle", "chain", "kfence_sample=1");
	CHECK(child_died_by(result.status, SIGSEGV) && strstr(result.err, "mine\n"),
	      "; wait status %#x %s", result.status, result.err);
}

/*
 * The library comes in front of the handler; after that the handler is called as without the
 * library.
 */
static void it_is_called_as_by_the_kernel(void)
{
	static const char *const quiet[] = { "nodefer", "mask", "ignore", "interrupt" };
	struct child_result result;

	run(&result, "--handle", "once", "kfence_sample=1");
	CHECK(child_died_by(result.status, SIGSEGV) && !strcmp(result.err, "mine\n"),
	      "; wait status %#x %s", result.status, result.err);
	for (size_t i = 0; i < ARRAY_SIZE(quiet); i++) {
		run(&result, "--handle", quiet[i], "kfence_sample=1");
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      quiet[i], result.status, result.err);
	}
}

/* --- Programs without mistakes --------------------------------------------------------------- */

static void run_one(unsigned long seed)
{
	struct behaviour behaviour = {
		.seed = seed, .steps = 6000, .size_bits = 15, .align_bits = 8,
		.release = free_unsized,
	};

	behave(&behaviour);
}

static void *run_thread(void *seed)
{
	run_one((unsigned long)seed);
	return NULL;
}

static int run_well(void)
{
	pthread_t threads[3];

	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		REQUIRE(!pthread_create(&threads[i], NULL, run_thread, (void *)(i + 1)));
	for (unsigned long i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < 5; i++) {
		pid_t child = fork();

		REQUIRE(child >= 0);
		if (!child) {
			run_one(9);
			_exit(harness_status());
		}
		CHECK(child_exited(child_wait(child), 0));
	}
	return harness_status();
}

static void good_programs_notice_nothing(void)
{
	static const char *const options[] = {
		"kfence_sample=1", "kfence_sample=7", "kfence_sample=1:hardened=1",
		"kfence_sample=3:slab_debug",
		"kfence_sample=1:init_on_alloc=1:init_on_free=1",
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		run(&result, "--behave", NULL, options[i]);
		CHECK(child_exited(result.status, 0) && !*result.err, "; %s: wait status %#x %s",
		      options[i], result.status, result.err);
	}
}

static void mistakes_and_none(void)
{
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++)
		try_mistake(&mistakes[i], 100, "kfence_sample=1", 0);
	run(&result, "--behave", NULL, "kfence_sample=10:hardened=1");
	CHECK(child_exited(result.status, 0) && !*result.err, "; wait status %#x %s",
	      result.status, result.err);
}

static void in_locked_memory(void)
{
	check_in_locked_memory(mistakes_and_none);
}

static void *allocate_by(size_t call)
{
	switch (call) {
	case 0:
		return opaque(malloc(50));
	case 1:
		return opaque(calloc(opaque_size(5), 10));
	case 2:
		return opaque(aligned_alloc(64, opaque_size(50)));
	default:
		return opaque(realloc(NULL, opaque_size(50)));
	}
}

/* A guarded block has no byte more than was asked for; of other blocks of 50 there are 64. */
static int count_guarded(void)
{
	static const char *const calls[] = { "malloc", "calloc", "aligned_alloc", "realloc" };
	static void *blocks[ROUND];

	for (size_t call = 0; call < ARRAY_SIZE(calls); call++) {
		unsigned int nr = 0;

		for (unsigned int i = 0; i < 40000; i++) {
			void **block = &blocks[i % ROUND];

			free(*block);
			*block = allocate_by(call);
			nr += malloc_usable_size(*block) == 50;
			/* In each other round they stay: so sheaves are empty now and then. */
			if (i / ROUND % 2)
				free(*block), *block = NULL;
		}
		for (size_t i = 0; i < ROUND; i++)
			free(blocks[i]), blocks[i] = NULL;
		/*
		 * 2000 are expected; a quarter more or less is over ten times the standard
		 * deviation.
		 */
		CHECK(nr > 1500 && nr < 2500, "; %s: %u", calls[call], nr);
	}
	return harness_status();
}

static void one_of_so_many_is_guarded(void)
{
	static const char *const options[] = {
		"kfence_sample=20", "kfence_sample=20:rseq=off", "kfence_sample=20:slab_stats=1",
		"kfence_sample=20:init_on_alloc=1", "kfence_sample=20:profile=1G",
		"kfence_sample=20:slab_cpu_cache=slab",
	};
	struct child_result result;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		run(&result, "--count", NULL, options[i]);
		CHECK(child_exited(result.status, 0), "; %s: wait status %#x %s", options[i],
		      result.status, result.err);
	}
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "mistakes_are_reported", mistakes_are_reported, true },
		{ "the_program_is_named", the_program_is_named, true },
		{ "the_program_has_its_handler", the_program_has_its_handler, true },
		{ "it_is_called_as_by_the_kernel", it_is_called_as_by_the_kernel, true },
		{ "good_programs_notice_nothing", good_programs_notice_nothing, true },
		{ "in_locked_memory", in_locked_memory, true },
		{ "one_of_so_many_is_guarded", one_of_so_many_is_guarded, true },
	};

	lock_memory_if_told();
	if (argc > 2 && !strcmp(argv[1], "--mistake"))
		return make_mistake(mistakes, ARRAY_SIZE(mistakes), argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--handle"))
		return handle(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "--behave"))
		return run_well();
	if (argc > 1 && !strcmp(argv[1], "--count"))
		return count_guarded();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
