/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "selftest/storm.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "selftest/oracle.h"
#include "selftest/storm_sources.h"

#define ARRAY_LIMIT 40
#define ARRAY_BYTES (sizeof(struct percpu_array) + ARRAY_LIMIT * sizeof(void *))
#define AT_ONCE_MAX 12			/* objects in one pop_n or push_n */
#define ALL_AT_ONCE_SHARE 2		/* share of the time; see struct storm_source */
/* The documented name, which glibc lacks. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define STORM_SIGNAL (SIGRTMIN + 4)

struct worker {
	pthread_t thread;
	struct storm_target *target;
	struct storm_hand own, handlers;
	unsigned long random;
	bool ready;			/* Sync: atomic, release */
	/* Sync: the worker writes, relaxed */
	unsigned long operations[NR_PRIMITIVES];
	unsigned long aborts[NR_PRIMITIVES];
};

/* Everything that the threads of a storm share. */
static struct {
	struct percpu_array *array;
	struct percpu_list *list;
	struct oracle oracle;
	struct worker workers[STORM_WORKERS_MAX];
	struct storm_target target[STORM_WORKERS_MAX];
	struct storm_targets targets;
	double deadline;		/* ends all sources; Sync: the thread of storm_run() */
	bool stop;			/* Sync: atomic relaxed */
} storm;

static _Thread_local struct worker *this_worker;

static void take(struct storm_hand *hand, void *object)
{
	oracle_take(&storm.oracle, object);
	hand->objects[hand->nr++] = object;
}

static void *give(struct storm_hand *hand)
{
	void *object = hand->objects[--hand->nr];

	oracle_give(&storm.oracle, object);
	return object;
}

static unsigned int random_below(struct worker *worker, unsigned int limit)
{
	worker->random = worker->random * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned int)((worker->random >> 33) % limit);
}

/* Tries until the operation is done or the storm ends. Counts the aborts. */
static void try_hard(struct worker *worker, enum primitive_id id, struct primitive_call *call)
{
	while (!primitives[id].try_delayed(call)) {
		atomic_store_relaxed(&worker->aborts[id], worker->aborts[id] + 1);
		if (atomic_load_relaxed(&storm.stop))
			return;
	}
	atomic_store_relaxed(&worker->operations[id], worker->operations[id] + 1);
}

static void operate(struct worker *worker, enum primitive_id id)
{
	const struct primitive *primitive = &primitives[id];
	struct storm_hand *hand = &worker->own;
	void *items[AT_ONCE_MAX] = { NULL };
	struct primitive_call call = {
		.array = storm.array, .list = storm.list, .items = items,
		.n = primitive->many ? 1 + random_below(worker, AT_ONCE_MAX) : 1,
	};

	call.n = min(call.n, primitive->push ? hand->nr : STORM_HAND_MAX - hand->nr);
	if (!call.n)
		return;
	for (unsigned int i = 0; primitive->push && i < call.n; i++)
		items[i] = give(hand);
	try_hard(worker, id, &call);
	/* Take the objects that were popped, or that could not be pushed. */
	for (unsigned int i = primitive->push ? call.done : 0;
	     i < (primitive->push ? call.n : call.done); i++)
		take(hand, items[i]);
}

/* A push and a pop of each kind by percpu.h's functions, for signal handlers and the intruder. */
static void visit(struct storm_hand *hand)
{
	void *items[3] = { NULL };
	unsigned int done = 0, n = min(hand->nr, (unsigned int)ARRAY_SIZE(items));
	void *object;

	for (unsigned int i = 0; i < n; i++)
		items[i] = give(hand);
	if (n)
		done = percpu_push_n(storm.array, items, n);
	while (done < n)
		take(hand, items[done++]);
	done = percpu_pop_n(storm.array, items, min(STORM_HAND_MAX - hand->nr, 2U));
	for (unsigned int i = 0; i < done; i++)
		take(hand, items[i]);
	if (hand->nr < STORM_HAND_MAX && (object = percpu_pop(storm.array)))
		take(hand, object);
	if (hand->nr && !percpu_push(storm.array, object = give(hand)))
		take(hand, object);
	if (hand->nr < STORM_HAND_MAX && (object = percpu_list_pop(storm.list)))
		take(hand, object);
	if (hand->nr && !percpu_list_push(storm.list, object = give(hand)))
		take(hand, object);
}

static void on_signal(int signal)
{
	int saved_errno = errno;
	struct worker *worker = this_worker;

	(void)signal;
	visit(&worker->handlers);
	atomic_store_relaxed(&worker->target->nr_signals, worker->target->nr_signals + 1);
	errno = saved_errno;
}

static void create_timer(struct storm_target *target)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = STORM_SIGNAL,
		.sigev_notify_thread_id = target->tid,
	};

	target->has_timer = !timer_create(CLOCK_MONOTONIC, &event, &target->timer);
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	this_worker = worker;
	percpu_current_slot();	/* registers the thread with the library */
	worker->target->tid = (pid_t)syscall(SYS_gettid);
	create_timer(worker->target);
	/* pairs with the load in start_workers(): the target that the sources use */
	atomic_store_release(&worker->ready, true);
	while (!atomic_load_relaxed(&storm.stop))
		operate(worker, random_below(worker, NR_PRIMITIVES));
	if (worker->target->has_timer)
		timer_delete(worker->target->timer);
	return NULL;
}

/*
 * One source, running in its thread. Sync: stop and refused are atomic; nr belongs to the source's
 * thread until it is joined.
 */
struct blow {
	const struct storm_source *source;
	const char *refused;
	unsigned long nr;
	bool stop;
};

static void *blow_main(void *arg)
{
	struct blow *blow = arg;
	const struct storm_source *source = blow->source;

	const char *refused = source->begin(&storm.targets);

	atomic_store_relaxed(&blow->refused, refused);
	while (!refused && !atomic_load_relaxed(&blow->stop))
		blow->nr += source->step(&storm.targets);
	if (!refused && source->end)
		source->end(&storm.targets);
	return NULL;
}

static unsigned long aborts_of(enum primitive_id id)
{
	unsigned long sum = 0;

	for (unsigned int i = 0; i < storm.targets.nr; i++)
		sum += atomic_load_relaxed(&storm.workers[i].aborts[id]);
	return sum;
}

static unsigned long all_aborts(void)
{
	unsigned long sum = 0;

	for (unsigned int id = 0; id < NR_PRIMITIVES; id++)
		sum += aborts_of(id);
	return sum;
}

static void read_aborts(unsigned long *aborts)
{
	for (unsigned int id = 0; id < NR_PRIMITIVES; id++)
		aborts[id] = aborts_of(id);
}

/* The aborts, since before[] was filled in, of the primitive that had the fewest. */
static unsigned long fewest_aborts(const unsigned long *before)
{
	unsigned long fewest = ULONG_MAX;

	for (unsigned int id = 0; id < NR_PRIMITIVES; id++)
		fewest = min(fewest, aborts_of(id) - before[id]);
	return fewest;
}

static bool all_exercised(unsigned long aborts)
{
	for (unsigned int id = 0; id < NR_PRIMITIVES; id++)
		if (aborts_of(id) < aborts)
			return false;
	return true;
}

static double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void (*storm_tick)(void);

static void sleep_until(double moment)
{
	for (double left; (left = moment - clock_seconds()) > 0;) {
		double part = storm_tick ? min(left, 0.25) : left;
		struct timespec time = { .tv_sec = (time_t)part };

		time.tv_nsec = (long)((part - (double)time.tv_sec) * 1e9);
		nanosleep(&time, NULL);
		if (storm_tick)
			storm_tick();
	}
}

/* Runs some sources at once, for so many seconds or until the deadline. */
static void run_blows(struct blow *blows, unsigned int nr, double seconds)
{
	pthread_t threads[STORM_SOURCES_MAX];
	bool started[STORM_SOURCES_MAX];
	double end = min(clock_seconds() + seconds, storm.deadline);

	for (unsigned int i = 0; i < nr; i++) {
		started[i] = !pthread_create(&threads[i], NULL, blow_main, &blows[i]);
		if (!started[i])
			blows[i].refused = "no thread can be started";
	}
	/* If a lone source was refused, do not wait for the end of its time. */
	if (nr == 1)
		sleep_until(min(end, clock_seconds() + 0.01));
	if (nr > 1 || !atomic_load_relaxed(&blows[0].refused))
		sleep_until(end);
	for (unsigned int i = 0; i < nr; i++) {
		atomic_store_relaxed(&blows[i].stop, true);
		if (started[i])
			pthread_join(threads[i], NULL);
	}
}

static struct storm_source_result *add_source(struct storm_result *result, const char *name)
{
	struct storm_source_result *source = &result->sources[result->nr_sources++];

	source->name = name;
	return source;
}

/*
 * Runs one source alone for its share of the time, and adds to its line. False if it was refused.
 */
static bool run_alone(const struct storm_source *source, double seconds,
		      struct storm_source_result *line)
{
	struct blow blow = { .source = source };
	unsigned long before = all_aborts(), of_each[NR_PRIMITIVES];
	double start = clock_seconds();

	read_aborts(of_each);
	run_blows(&blow, 1, seconds);
	line->aborts += all_aborts() - before;
	line->fewest += fewest_aborts(of_each);
	line->seconds += clock_seconds() - start;
	line->nr += blow.nr;
	if (blow.refused)
		snprintf(line->did, sizeof(line->did), "skipped: %s", blow.refused);
	else
		snprintf(line->did, sizeof(line->did), "%lu %s", line->nr, source->unit);
	return !blow.refused;
}

static void run_together(const struct storm_source *const *sources, unsigned int nr,
			 double seconds, struct storm_result *result)
{
	struct storm_source_result *line = add_source(result, "all at once");
	struct blow blows[STORM_SOURCES_MAX] = { { .source = NULL } };
	unsigned long before = all_aborts();
	double start = clock_seconds();

	for (unsigned int i = 0; i < nr; i++)
		blows[i].source = sources[i];
	run_blows(blows, nr, seconds);
	line->aborts = all_aborts() - before;
	line->seconds = clock_seconds() - start;
	for (unsigned int i = 0; i < nr; i++)
		line->nr += blows[i].nr;
	snprintf(line->did, sizeof(line->did), "%lu of those together", line->nr);
}

/*
 * Continues until it is enough or the deadline, with the source that takes most to the end per
 * second.
 */
static void run_best(const struct storm_source *const *sources,
		     struct storm_source_result *const *lines, unsigned int nr,
		     unsigned long aborts)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < nr; i++)
		if ((double)lines[i]->fewest * lines[best]->seconds >
		    (double)lines[best]->fewest * lines[i]->seconds)
			best = i;
	while (nr && !all_exercised(aborts) && clock_seconds() < storm.deadline)
		run_alone(sources[best], 1, lines[best]);
}

static void run_sources(const struct storm_plan *plan, struct storm_result *result)
{
	const struct storm_source *blew[STORM_SOURCES_MAX];
	struct storm_source_result *lines[STORM_SOURCES_MAX];
	unsigned int shares = ALL_AT_ONCE_SHARE + storm_hotplug.share * plan->hotplug, nr = 0;

	storm.deadline = clock_seconds() + plan->seconds;
	for (unsigned int i = 0; i < storm_nr_sources; i++)
		shares += storm_sources[i].share;
	for (unsigned int i = 0; i <= storm_nr_sources; i++) {
		const struct storm_source *source = i < storm_nr_sources ? &storm_sources[i] :
									   &storm_hotplug;

		lines[nr] = add_source(result, source->name);
		if (source == &storm_hotplug && !plan->hotplug)
			snprintf(lines[nr]->did, sizeof(lines[nr]->did),
				 "skipped: not asked for (--hotplug)");
		else if (run_alone(source, (double)plan->seconds * source->share / shares,
				   lines[nr]))
			blew[nr++] = source;
	}
	run_together(blew, nr, (double)plan->seconds * ALL_AT_ONCE_SHARE / shares, result);
	storm.deadline += plan->patience;
	run_best(blew, lines, nr, plan->aborts);
}

static void see_hand(const struct storm_hand *hand)
{
	for (unsigned int i = 0; i < hand->nr; i++)
		oracle_see(&storm.oracle, hand->objects[i]);
}

/* Call it when the workers have ended, so that the slots no longer change. */
static void see_slot(unsigned int slot)
{
	const struct percpu_array *array = percpu_ptr(storm.array, slot);
	unsigned long head = ((struct percpu_list *)percpu_ptr(storm.list, slot))->head;

	for (unsigned int i = 0; i < array->count && i < ARRAY_LIMIT; i++)
		oracle_see(&storm.oracle, array->items[i]);
	while (percpu_list_top(head) && oracle_see(&storm.oracle, percpu_list_top(head)))
		head = ((struct oracle_object *)percpu_list_top(head))->link;
}

static void count_objects(struct storm_result *result)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		see_slot(slot);
	for (unsigned int i = 0; i < storm.targets.nr; i++) {
		see_hand(&storm.workers[i].own);
		see_hand(&storm.workers[i].handlers);
		for (unsigned int id = 0; id < NR_PRIMITIVES; id++) {
			result->operations[id] += storm.workers[i].operations[id];
			result->aborts[id] += storm.workers[i].aborts[id];
		}
	}
	see_hand(&storm.targets.intruder);
	result->lost = oracle_lost(&storm.oracle, 0, (unsigned int)result->objects);
	result->duplicated = storm.oracle.duplicated;
	if (result->lost || result->duplicated)
		snprintf(result->failure, sizeof(result->failure),
			 "%lu objects lost, %lu duplicated in the storm", result->lost,
			 result->duplicated);
}

static void fill_hand(struct storm_hand *hand, unsigned long *nr_objects)
{
	hand->nr = 0;
	while (hand->nr < STORM_HAND_MAX * 2 / 3)
		take(hand, oracle_object(&storm.oracle, (unsigned int)(*nr_objects)++));
}

/* Initialises every slot's array, which also touches its page, before any worker runs. */
static bool prepare_stacks(void)
{
	storm.array = percpu_alloc(ARRAY_BYTES, 64);
	storm.list = percpu_alloc(sizeof(*storm.list), 64);
	for (unsigned int slot = 0; storm.array && slot < percpu_nr_slots(); slot++)
		*(struct percpu_array *)percpu_ptr(storm.array, slot) =
			(struct percpu_array){ .limit = ARRAY_LIMIT };
	return storm.array && storm.list;
}

static bool start_workers(struct storm_result *result)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct storm_targets *targets = &storm.targets;
	unsigned int nr, started = 0;

	sched_getaffinity(0, sizeof(targets->cpus), &targets->cpus);
	result->nr_cpus = CPU_COUNT(&targets->cpus);
	nr = (unsigned int)min(2 * result->nr_cpus + 1, STORM_WORKERS_MAX);
	sigaction(STORM_SIGNAL, &action, NULL);
	targets->workers = storm.target;
	targets->visit = visit;
	fill_hand(&targets->intruder, &result->objects);
	for (; started < nr; started++) {
		struct worker *worker = &storm.workers[started];

		*worker = (struct worker){ .target = &storm.target[started], .random = started };
		storm.target[started] = (struct storm_target){ 0 };
		fill_hand(&worker->own, &result->objects);
		fill_hand(&worker->handlers, &result->objects);
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
	}
	targets->nr = started;
	result->nr_workers = started;
	for (unsigned int i = 0; i < started; i++)
		while (!atomic_load_acquire(&storm.workers[i].ready))
			sched_yield();
	return started == nr;
}

void storm_run(const struct storm_plan *plan, struct storm_result *result)
{
	double start = clock_seconds();

	memset(result, 0, sizeof(*result));
	oracle_reset(&storm.oracle);
	storm.stop = false;
	if (!prepare_stacks()) {
		snprintf(result->failure, sizeof(result->failure), "no memory for the stacks");
		return;
	}
	if (start_workers(result))
		run_sources(plan, result);
	else
		snprintf(result->failure, sizeof(result->failure),
			 "only %u workers can be started", result->nr_workers);
	result->seconds = clock_seconds() - start;
	atomic_store_relaxed(&storm.stop, true);
	for (unsigned int i = 0; i < storm.targets.nr; i++)
		pthread_join(storm.workers[i].thread, NULL);
	if (!*result->failure)
		count_objects(result);
	percpu_free(storm.array, ARRAY_BYTES);
	percpu_free(storm.list, sizeof(*storm.list));
}
