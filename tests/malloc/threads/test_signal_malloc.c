/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers that allocate, resize and free, at a high rate, in threads that
 * do nothing else. Wherever a handler comes, below malloc()'s locks or not, it gets
 * memory, no block is handed out twice or changes, and nobody waits for ever.
 *
 * SIGNALS=10000000 in the environment asks for a long run.
 */
#include "harness.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "owner_map.h"
#include "signal_timer.h"
#include "support/prng.h"

#define NR_THREADS 8
#define NR_SIGNALS 200000UL
/* From the end of a handler to the next signal. */
#define SIGNAL_DELAY_NS 40000
/* If no thread makes progress for so long, they hang. */
#define HANG_SECONDS 10
/* On a slow machine the test may end before all signals and forks, but not before these. */
#define STORM_SECONDS_MAX 30
#define NR_SIGNALS_MIN 1000UL
#define NR_FORKS_MIN 20U
#define NR_RUN 300
#define NR_SHELVES 64
#define HANDLER_ERRNO 4711

struct block {
	size_t size;	/* repeated in its last word */
};

struct worker {
	pthread_t thread;
	timer_t timer;
	struct prng prng;		/* of the thread */
	struct prng handler_prng;	/* of its handler */
	unsigned long steps;		/* Sync: atomic relaxed; read by the watchdog */
	unsigned long signals;		/* Sync: atomic relaxed */
	unsigned long mapped;		/* small blocks of the handler that are mappings */
};

static struct worker workers[NR_THREADS];
static _Thread_local struct worker *self __attribute__((__tls_model__("initial-exec")));
/* Blocks that handlers and threads leave for each other. Sync: atomic exchange */
static struct block *shelves[NR_SHELVES];
static bool stopped;	/* Sync: atomic relaxed */
static void *(*operator_new)(size_t size);

static size_t *last_word(struct block *block)
{
	return (size_t *)((char *)block + block->size) - 1;
}

/* Sizes are multiples of 8, so that the last word is aligned. */
static struct block *claim(void *memory, size_t size)
{
	struct block *block = memory;

	REQUIRE(block, "; no memory for %zu bytes", size);
	CHECK(malloc_usable_size(block) >= size);
	CHECK(owner_map_claim(block, size), "; %p of %zu bytes was handed out twice", memory, size);
	block->size = size;
	*last_word(block) = size;
	return block;
}

static void release(struct block *block)
{
	size_t size = block->size;

	CHECK(*last_word(block) == size, "; %p of %zu bytes has changed", (void *)block, size);
	CHECK(owner_map_release(block, size), "; %p of %zu bytes was nobody's", (void *)block,
	      size);
}

static struct block *allocate(struct prng *prng, size_t size)
{
	void *memory = NULL;

	switch (prng_below(prng, 6)) {
	case 0:
		memory = calloc(1, size);
		for (size_t i = 0; memory && i < 4; i++)
			CHECK(!((unsigned char *)memory)[prng_below(prng, size)]);
		break;
	case 1:
		CHECK(!posix_memalign(&memory, 64, size));
		CHECK(!((uintptr_t)memory & 63));
		break;
	case 2:
		memory = operator_new ? operator_new(size) : malloc(size);
		break;
	default:
		memory = malloc(size);
	}
	return claim(memory, size);
}

static void give_back(struct block *block)
{
	if (!block)
		return;
	release(block);
	free(block);
}

static struct block *resize(struct block *block, size_t size)
{
	size_t old = block->size;
	void *memory;

	release(block);
	memory = realloc(block, size);
	REQUIRE(memory, "; no memory for %zu bytes", size);
	CHECK(((struct block *)memory)->size == old, "; realloc() lost the content");
	return claim(memory, size);
}

/* Small, blocks of pages, mappings. */
static size_t some_size(struct prng *prng)
{
	size_t size = prng_range(prng, 16, 2048);

	if (prng_one_in(prng, 20))
		size = prng_range(prng, 32 * KIB, 4 * MIB) >> prng_below(prng, 4);
	if (prng_one_in(prng, 200))
		size = prng_range(prng, 4 * MIB, 6 * MIB);
	return (size + 7) & ~7UL;
}

static struct block **shelf(struct prng *prng)
{
	return &shelves[prng_below(prng, NR_SHELVES)];
}

static void handler(int signal)
{
	int saved_errno = errno;
	struct prng *prng = &self->handler_prng;
	size_t size = some_size(prng);
	struct block *block;

	(void)signal;
	errno = HANDLER_ERRNO;
	block = allocate(prng, size);
	if (size < 1024 && malloc_usable_size(block) >= 4096)
		self->mapped++;
	if (prng_one_in(prng, 3))
		block = resize(block, some_size(prng));
	/* Half of the blocks stay, and the thread or handler that finds one frees it. */
	if (prng_one_in(prng, 2))
		block = __atomic_exchange_n(shelf(prng), block, __ATOMIC_ACQ_REL);
	give_back(block);
	CHECK(errno == HANDLER_ERRNO, "; it is %d", errno);
	__atomic_store_n(&self->signals, self->signals + 1, __ATOMIC_RELAXED);
	ask_for_signal(self->timer, SIGNAL_DELAY_NS);
	errno = saved_errno;
}

/* Runs of one size keep the slow paths busy. */
static void work_once(struct worker *worker)
{
	struct prng *prng = &worker->prng;
	size_t size = prng_range(prng, 2, 40) * 16;
	struct block *run[NR_RUN], *block;

	for (unsigned int i = 0; i < NR_RUN; i++)
		run[i] = claim(malloc(size), size);
	for (unsigned int i = 0; i < NR_RUN; i++)
		give_back(run[i]);
	for (unsigned int i = 0; i < 20; i++) {
		block = allocate(prng, some_size(prng));
		if (prng_one_in(prng, 2))
			block = resize(block, some_size(prng));
		give_back(__atomic_exchange_n(shelf(prng), block, __ATOMIC_ACQ_REL));
	}
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	self = worker;
	worker->timer = make_signal_timer();
	ask_for_signal(worker->timer, SIGNAL_DELAY_NS);
	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		work_once(worker);
		__atomic_store_n(&worker->steps, worker->steps + 1, __ATOMIC_RELAXED);
	}
	timer_delete(worker->timer);
	return NULL;
}

static unsigned long signals_now(void)
{
	unsigned long signals = 0;

	for (unsigned int i = 0; i < NR_THREADS; i++)
		signals += __atomic_load_n(&workers[i].signals, __ATOMIC_RELAXED);
	return signals;
}

/* The first thread may hang as well; then nobody else would say so. */
static void report_hang(int signal)
{
	static const char message[] = "# everything hangs\n";

	(void)signal;
	_exit(write(STDOUT_FILENO, message, sizeof(message) - 1) < 0 ? 2 : 1);
}

/* Each worker must make progress; a single one that does not hangs. */
static void watch(unsigned long wanted, double seconds_max)
{
	unsigned long seen[NR_THREADS] = { 0 };
	double moved[NR_THREADS], end = seconds_now() + seconds_max;

	for (unsigned int i = 0; i < NR_THREADS; i++)
		moved[i] = seconds_now();
	while (signals_now() < wanted &&
	       (seconds_now() < end || signals_now() < NR_SIGNALS_MIN)) {
		sleep_us(100000);
		alarm(2 * HANG_SECONDS * slowness());
		for (unsigned int i = 0; i < NR_THREADS; i++) {
			unsigned long steps = __atomic_load_n(&workers[i].steps,
							      __ATOMIC_RELAXED);

			if (steps != seen[i])
				moved[i] = seconds_now();
			seen[i] = steps;
			REQUIRE(seconds_now() - moved[i] < HANG_SECONDS * slowness(),
				"; thread %u hangs after %lu steps and %lu signals", i, steps,
				workers[i].signals);
		}
	}
}

static void install_handler(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	void *symbol = dlsym(RTLD_DEFAULT, "_Znwm");

	signal(SIGALRM, report_hang);
	alarm(2 * HANG_SECONDS * slowness());
	memcpy(&operator_new, &symbol, sizeof(symbol));
	if (!owner_map)
		owner_map_init();
	sigaction(SIGPROF, &action, NULL);
}

static void start_workers(void)
{
	install_handler();
	__atomic_store_n(&stopped, false, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		workers[i] = (struct worker){ .prng = { i + 1 }, .handler_prng = { i + 101 } };
		REQUIRE(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
}

static void end_workers(void)
{
	unsigned long steps = 0, mapped = 0;

	__atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		alarm(2 * HANG_SECONDS * slowness());
		pthread_join(workers[i].thread, NULL);
		steps += workers[i].steps;
		mapped += workers[i].mapped;
	}
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		give_back(__atomic_exchange_n(&shelves[i], NULL, __ATOMIC_ACQ_REL));
	dprintf(STDOUT_FILENO, "# %lu signals, %lu steps, %lu small blocks got a mapping\n",
		signals_now(), steps, mapped);
}

static void handlers_allocate(void)
{
	const char *wish = getenv("SIGNALS");
	unsigned long wanted = wish ? strtoul(wish, NULL, 10) : NR_SIGNALS / test_divisor();

	start_workers();
	watch(wanted, wish ? 1e9 : STORM_SECONDS_MAX);
	end_workers();
}

/*
 * fork() takes all locks one by one, while handlers interrupt threads that hold a lock, and ask for
 * another one: there must be no circle of waits.
 */
static void forks_beside_handlers(void)
{
	unsigned int forks = 0;
	double end;

	start_workers();
	end = seconds_now() + STORM_SECONDS_MAX / 2;
	for (; forks < NR_FORKS_MIN || (forks < 500 / test_divisor() && seconds_now() < end);
	     forks++) {
		int status = -1;
		pid_t pid;

		alarm(2 * HANG_SECONDS * slowness());
		pid = fork();
		if (!pid) {
			alarm(HANG_SECONDS * slowness());
			for (size_t size = 1; size < 20 * MIB; size *= 3)
				free(opaque(malloc(size)));
			_exit(0);
		}
		REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
		CHECK(!status, "; the child ended with %#x", (unsigned int)status);
	}
	end_workers();
	dprintf(STDOUT_FILENO, "# %u forks\n", forks);
}

static unsigned int nr_forks;	/* Sync: the one thread and its handler */

/* A child that starts in the handler goes on allocating, there and after it. */
static void forking_handler(int signal)
{
	int saved_errno = errno, status = -1;
	pid_t pid;

	handler(signal);
	if (self->signals % 20 == 0) {
		pid = fork();
		if (!pid) {
			alarm(HANG_SECONDS * slowness());
			for (unsigned int i = 0; i < 20; i++)
				handler(signal);
			_exit(harness_status());
		}
		REQUIRE(waitpid(pid, &status, 0) == pid);
		CHECK(!status, "; the child ended with %#x", (unsigned int)status);
		nr_forks++;
	}
	errno = saved_errno;
}

/* In a process with one thread, so it comes first. */
static void handlers_fork(void)
{
	struct sigaction action = { .sa_handler = forking_handler, .sa_flags = SA_RESTART };
	double end = seconds_now() + STORM_SECONDS_MAX;

	install_handler();
	sigaction(SIGPROF, &action, NULL);
	workers[0] = (struct worker){ .prng = { 1 }, .handler_prng = { 2 } };
	self = &workers[0];
	self->timer = make_signal_timer();
	ask_for_signal(self->timer, SIGNAL_DELAY_NS);
	while (nr_forks < NR_FORKS_MIN ||
	       (nr_forks < 300 / test_divisor() && seconds_now() < end)) {
		alarm(2 * HANG_SECONDS * slowness());
		work_once(self);
	}
	timer_delete(self->timer);
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		give_back(__atomic_exchange_n(&shelves[i], NULL, __ATOMIC_ACQ_REL));
	dprintf(STDOUT_FILENO, "# %u forks\n", nr_forks);
}

TEST_MAIN({ "handlers_fork", handlers_fork, true },
	  { "handlers_allocate", handlers_allocate, true },
	  { "forks_beside_handlers", forks_beside_handlers, true })
