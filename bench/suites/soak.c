// SPDX-License-Identifier: MIT
/*
 * Suite soak, which runs only if it is named: one thread allocates, another frees, for minutes,
 * under every allocator in turn. The amount of live memory is constant. Sizes are 16 bytes to 16
 * KiB, each doubling equally likely. Any live object may be freed next, so slabs and spans never
 * become empty in order. If an allocator cannot reuse memory that another thread freed, its memory
 * grows.
 *
 * Every object has a stamp at both ends, which one thread writes and the other checks. The suite
 * fails if usermm needs more than MOST_RATIO times the live memory.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "allocators.h"
#include "base/atomic.h"
#include "bench.h"
#include "child.h"
#include "figures.h"
#include "results.h"
#include "measure/timing.h"

#define MOST_RATIO 1.25
#define MIN_SHIFT 4
#define MAX_SHIFT 14
#define RING 1024			/* a power of two */
#define SAMPLE_NS 50000000
#define SPARE_SECONDS 120
#define STAMP 0x5eed0b1ec7ul

static const char *const row_names[] = { "ops", "live", "rss_max", "ratio", "failed" };

struct object {
	unsigned long *memory;
	size_t bytes;			/* a multiple of 8 */
};

static struct {
	unsigned long target;			/* live bytes */
	/* Sync: the allocating thread writes an entry before it advances head; the other reads. */
	struct object ring[RING];
	/* Sync: the allocating thread releases, the other acquires */
	unsigned long head __aligned(64);
	/* Sync: the freeing thread releases, the other acquires */
	unsigned long tail __aligned(64);
	bool stop;				/* Sync: atomic */
	/* Owned by the freeing thread; others read them for statistics. */
	struct object *pool;
	unsigned long nr_pool, max_pool;
	unsigned long live, freed __aligned(64);	/* Sync: atomic */
	unsigned long failed;			/* Sync: atomic */
} soak;

static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t random_bytes(unsigned long *state)
{
	unsigned long random = next_random(state);
	size_t least = 1ul << (MIN_SHIFT + random % (MAX_SHIFT - MIN_SHIFT));

	return (least + (random >> 32) % least) & ~7ul;
}

static unsigned long stamp_of(const struct object *object)
{
	return (unsigned long)object->memory ^ object->bytes ^ STAMP;
}

static void fail_once(void)
{
	__atomic_add_fetch(&soak.failed, 1, __ATOMIC_RELAXED);
}

/* Makes an object, and writes to each of its pages, as a program would. */
static bool make_object(struct object *object, size_t bytes)
{
	object->bytes = bytes;
	object->memory = malloc(bytes);
	if (!object->memory)
		return false;
	for (size_t i = 0; i < bytes; i += 4096)
		object->memory[i / sizeof(long)] = i;
	object->memory[bytes / sizeof(long) - 1] = stamp_of(object);
	object->memory[0] = stamp_of(object);
	return true;
}

static void end_object(struct object *object)
{
	if (object->memory[0] != stamp_of(object) ||
	    object->memory[object->bytes / sizeof(long) - 1] != stamp_of(object))
		fail_once();
	free(object->memory);
}

static bool stopped(void)
{
	return __atomic_load_n(&soak.stop, __ATOMIC_RELAXED);
}

static void *allocate_main(void *unused)
{
	unsigned long random = 88172645463325252ul, head = 0;

	(void)unused;
	timing_pin(timing_cpu(0));
	while (!stopped()) {
		/* pairs with free_main(): the place in the ring is free */
		if (head - __atomic_load_n(&soak.tail, __ATOMIC_ACQUIRE) == RING) {
			sched_yield();
			continue;
		}
		if (!make_object(&soak.ring[head % RING], random_bytes(&random))) {
			fail_once();
			break;
		}
		/* pairs with free_main(): the object */
		__atomic_store_n(&soak.head, ++head, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void let_go(unsigned long *random)
{
	struct object *any = &soak.pool[next_random(random) % soak.nr_pool];

	__atomic_store_n(&soak.live, soak.live - any->bytes, __ATOMIC_RELAXED);
	end_object(any);
	*any = soak.pool[--soak.nr_pool];
	__atomic_store_n(&soak.freed, soak.freed + 1, __ATOMIC_RELAXED);
}

static void *free_main(void *unused)
{
	unsigned long random = 1181783497276652981ul, tail = 0;

	(void)unused;
	timing_pin(timing_cpu(1));
	while (!stopped()) {
		/* pairs with allocate_main(): the object */
		if (__atomic_load_n(&soak.head, __ATOMIC_ACQUIRE) == tail) {
			sched_yield();
			continue;
		}
		soak.pool[soak.nr_pool++] = soak.ring[tail % RING];
		__atomic_store_n(&soak.live, soak.live + soak.pool[soak.nr_pool - 1].bytes,
				 __ATOMIC_RELAXED);
		/* pairs with allocate_main(): the place in the ring is free */
		__atomic_store_n(&soak.tail, ++tail, __ATOMIC_RELEASE);
		while (soak.live > soak.target || soak.nr_pool == soak.max_pool)
			let_go(&random);
	}
	return NULL;
}

/* --- The child ------------------------------------------------------------- */

static double rss_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long size, resident;
	bool good = file && fscanf(file, "%lu %lu", &size, &resident) == 2;

	if (file)
		fclose(file);
	return good ? (double)resident * (double)sysconf(_SC_PAGESIZE) : NAN;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the largest RSS until the time is up, while the threads work. */
static double watch(double seconds, double *ops)
{
	const struct timespec pause = { 0, SAMPLE_NS };
	unsigned long freed = __atomic_load_n(&soak.freed, __ATOMIC_RELAXED);
	double start = seconds_now(), most = 0;

	while (seconds_now() - start < seconds &&
	       !__atomic_load_n(&soak.failed, __ATOMIC_RELAXED)) {
		nanosleep(&pause, NULL);
		most = fmax(most, rss_bytes());
	}
	*ops = (double)(__atomic_load_n(&soak.freed, __ATOMIC_RELAXED) - freed) /
	       (seconds_now() - start);
	return most;
}

/* Maps the pool, large enough even if all objects were the smallest. Not from malloc(). */
static bool prepare(unsigned long mib)
{
	unsigned long mean = (1ul << MAX_SHIFT) / (MAX_SHIFT - MIN_SHIFT);
	size_t bytes;

	soak.target = mib << 20;
	soak.max_pool = 4 * (soak.target / mean) + 4096;
	bytes = soak.max_pool * sizeof(*soak.pool);
	soak.pool = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (soak.pool == MAP_FAILED)
		return false;
	memset(soak.pool, 0, bytes);	/* so that it counts in the RSS before */
	return true;
}

static void run(double seconds)
{
	const struct timespec pause = { 0, SAMPLE_NS };
	double before = rss_bytes(), most, live, ops;
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, allocate_main, NULL) ||
	    pthread_create(&threads[1], NULL, free_main, NULL)) {
		fail_once();
		return;
	}
	while (!__atomic_load_n(&soak.freed, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&soak.failed, __ATOMIC_RELAXED))
		nanosleep(&pause, NULL);	/* wait until the target is reached */
	most = watch(seconds, &ops) - before;
	live = (double)__atomic_load_n(&soak.live, __ATOMIC_RELAXED);
	__atomic_store_n(&soak.stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	child_report("ops", 1, ops);
	child_report("live", 1, live);
	child_report("rss_max", 1, most);
	child_report("ratio", 1, most / live);
}

/* arg has seconds, MiB, and the file that malloc() must come from. */
int bench_soak_child(const char *arg)
{
	unsigned long seconds, mib;
	int length = 0;

	if (sscanf(arg, "%lu %lu %n", &seconds, &mib, &length) != 2 || !length)
		return child_fail("bad arguments");
	if (!allocators_in_use(arg + length))
		return child_fail("malloc does not come from it");
	if (timing_cpu(1) < 0)
		return child_fail("it takes two CPUs");
	alarm((unsigned int)seconds + SPARE_SECONDS);
	if (!prepare(mib))
		return child_fail("out of memory");
	run((double)seconds);
	child_report("failed", 1, (double)soak.failed);
	return 0;
}

/* --- The suite --------------------------------------------------------------- */

static void show_allocator(struct bench *bench, const struct allocator *allocator,
			   const struct figures *figures)
{
	double values[ARRAY_SIZE(row_names)];
	struct json *row;

	for (unsigned int i = 0; i < ARRAY_SIZE(row_names); i++)
		values[i] = figures_median(figures, row_names[i], 1);
	bench_print(bench, "%-14s %12.0f %12.1f %12.1f %8.3f\n", allocator->name, values[0],
		    values[1] / (1 << 20), values[2] / (1 << 20), values[3]);
	row = results_add(bench, "remote_soak", 1, timing_hz() / values[0]);
	json_add_text(row, "allocator", allocator->name);
	json_add_real(row, "ops_per_second", values[0]);
	json_add_real(row, "live_bytes", values[1]);
	json_add_real(row, "rss_max_bytes", values[2]);
	json_add_real(row, "rss_to_live", values[3]);
	if (values[4] > 0) {
		bench_print(bench, "%s: an allocation failed, or an object was overwritten\n",
			    allocator->name);
		bench->failed |= !strcmp(allocator->name, "usermm");
	}
	if (!strcmp(allocator->name, "usermm") && !(values[3] <= MOST_RATIO)) {
		bench_print(bench, "usermm: resident memory is more than %.2f times what is live\n",
			    MOST_RATIO);
		bench->failed = true;
	}
}

static void soak_allocator(struct bench *bench, const struct allocator *allocator)
{
	struct child_request request = {
		.suite = "soak",
		.preload = *allocator->path ? allocator->path : NULL,
		.variable = allocator->variable,
	};
	static struct figures figures;
	const char *error;
	char arg[600];

	figures.nr = 0;
	snprintf(arg, sizeof(arg), "%lu %lu %s", bench->seconds, bench->live_mib, allocator->path);
	request.arg = arg;
	error = child_run(&request, figures_take, &figures);
	if (!error) {
		show_allocator(bench, allocator, &figures);
		return;
	}
	bench_print(bench, "%s: %s\n", allocator->name, error);
	bench->failed |= !strcmp(allocator->name, "usermm");
}

void bench_soak(struct bench *bench)
{
	struct allocator allocators[MAX_ALLOCATORS];
	unsigned int nr = allocators_find(allocators, bench->preload, bench->peers);

	if (!bench->preload) {
		bench_print(bench, "usermm: libusermm_malloc.so was not found\n");
		bench->failed = true;
	}
	bench_print(bench, "%lu seconds each, %lu MiB live\n%-14s %12s %12s %12s %8s\n",
		    bench->seconds, bench->live_mib, "", "pairs/s", "live MiB", "RSS max MiB",
		    "ratio");
	for (unsigned int a = 0; a < nr; a++)
		soak_allocator(bench, &allocators[a]);
}
