// SPDX-License-Identifier: MIT
/*
 * Seed 2's test (docs/glossary.md) as a module: kmalloc() and kfree() by one thread; then by
 * threads on every CPU, which also free each other's objects. Its init returns -EAGAIN, so that it
 * can be loaded again at once. With one CPU there is no second half.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "../loops/kmalloc_single.h"

static unsigned int loops = OBJECTS;
module_param(loops, uint, 0444);
MODULE_PARM_DESC(loops, "objects of a run, 16 to 10000");
static unsigned int rounds = MEASURE_MAX_ROUNDS;
module_param(rounds, uint, 0444);
static bool rows;
module_param(rows, bool, 0444);
static bool single = true;
module_param(single, bool, 0444);
MODULE_PARM_DESC(single, "the tests of one thread");
static bool smp = true;
module_param(smp, bool, 0444);
MODULE_PARM_DESC(smp, "the tests of all CPUs");

#define MAX_WORKERS 16
#define SMP_RUNS 6

static const size_t smp_sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096 };

struct worker {
	unsigned int number;
	size_t bytes;
	struct task_struct *task;
	void **objects;			/* as many as `loops` */
	u64 alloc, free;		/* cycles; 0: this worker had nothing to do */
	bool failed;
	struct completion done;
};

typedef void (*worker_function)(struct worker *worker);

static struct {
	struct worker workers[MAX_WORKERS];
	unsigned int nr;
	worker_function function;
	struct completion go, filled;
} test;

/* Sizes are no constants in this half, as in the seed. */
static void take_all(struct worker *worker, void **into)
{
	u64 start = ticks_begin();

	for (unsigned int i = 0; i < loops; i++)
		into[i] = kmalloc(worker->bytes, GFP_KERNEL);
	worker->alloc += ticks_end() - start;
	for (unsigned int i = 0; i < loops; i++)
		worker->failed |= !into[i];
}

static void give_all(struct worker *worker)
{
	u64 start = ticks_begin();

	for (unsigned int i = 0; i < loops; i++)
		kfree(worker->objects[i]);
	worker->free = ticks_end() - start;
}

static void alloc_then_free(struct worker *worker)
{
	take_all(worker, worker->objects);
	give_all(worker);
}

static void alloc_free(struct worker *worker)
{
	u64 start = ticks_begin();

	for (unsigned int i = 0; i < loops; i++) {
		void *object = kmalloc(worker->bytes, GFP_KERNEL);

		worker->failed |= !object;
		kfree(object);
	}
	worker->alloc = ticks_end() - start;
}

/* The first CPU allocates objects for all others, which then free them all at the same time. */
static void remote_free(struct worker *worker)
{
	if (worker->number) {
		wait_for_completion(&test.filled);
		give_all(worker);
		return;
	}
	for (unsigned int to = 1; to < test.nr; to++)
		take_all(worker, test.workers[to].objects);
	worker->alloc /= test.nr - 1;
	complete_all(&test.filled);
}

/* The first CPU hands objects to the others in turn. */
static void hand_out(struct worker *worker)
{
	u64 start = ticks_begin();

	for (unsigned int i = 0; i < loops; i++)
		for (unsigned int to = 1; to < test.nr; to++) {
			void *object = kmalloc(worker->bytes, GFP_KERNEL);

			worker->failed |= !object;
			/* pairs with take_over(), which frees the object */
			smp_store_release(&test.workers[to].objects[i],
					  object ?: ZERO_SIZE_PTR);
		}
	worker->alloc = (ticks_end() - start) / (test.nr - 1);
}

/* The wait for the next object is part of the measured time, as in the seed. */
static void take_over(struct worker *worker)
{
	u64 start = ticks_begin();

	for (unsigned int i = 0; i < loops; i++) {
		void *object;

		/* pairs with hand_out(): its stores to the object */
		while (!(object = smp_load_acquire(&worker->objects[i])))
			cpu_relax();
		kfree(object);
	}
	worker->free = ticks_end() - start;
}

static void one_alloc_many_free(struct worker *worker)
{
	if (worker->number)
		take_over(worker);
	else
		hand_out(worker);
}

static int work(void *data)
{
	struct worker *worker = data;

	wait_for_completion(&test.go);
	test.function(worker);
	/* Not complete() and return: the module may be unloaded before the return. */
	kthread_complete_and_exit(&worker->done, 0);
	return 0;
}

/* Creates all threads or none: they would wait for missing ones. */
static int create_workers(size_t bytes)
{
	unsigned int cpu, i = 0;

	for_each_online_cpu(cpu) {
		struct worker *worker = &test.workers[i];

		if (i == test.nr)
			break;
		*worker = (struct worker){ .number = i, .bytes = bytes,
					   .objects = worker->objects };
		memset(worker->objects, 0, loops * sizeof(void *));
		init_completion(&worker->done);
		worker->task = kthread_create(work, worker, "slab_test/%u", cpu);
		if (IS_ERR(worker->task)) {
			while (i-- > 0)
				kthread_stop(test.workers[i].task);
			return PTR_ERR(worker->task);
		}
		kthread_bind(worker->task, cpu);
		i++;
	}
	return 0;
}

/* Runs the function on all CPUs at once. */
static int run_workers(worker_function function, size_t bytes)
{
	int error;

	test.function = function;
	init_completion(&test.go);
	init_completion(&test.filled);
	error = create_workers(bytes);
	if (error)
		return error;
	for (unsigned int i = 0; i < test.nr; i++)
		wake_up_process(test.workers[i].task);
	complete_all(&test.go);
	for (unsigned int i = 0; i < test.nr; i++) {
		wait_for_completion(&test.workers[i].done);
		error = test.workers[i].failed ? -ENOMEM : error;
	}
	return error;
}

static u64 per_loop(u64 ticks)
{
	return measure_less(ticks * 100, ticks ? measure.overhead : 0) / loops;
}

static void show_row(const char *row, const char *what, size_t bytes, u64 sum, unsigned int nr)
{
	char name[40];

	snprintf(name, sizeof(name), "%s_%s", row, what);
	if (nr)
		measure_row(name, bytes, sum / nr);
}

/* Prints a line like "Kmalloc N*alloc N*free(8): 0=68/107 1=70/110 Average=69/108". */
static void show(const char *title, const char *row, size_t bytes)
{
	unsigned int allocs = 0, frees = 0;
	u64 alloc = 0, free = 0;

	pr_info("%s(%zu):", title, bytes);
	for (unsigned int i = 0; i < test.nr; i++) {
		u64 a = per_loop(test.workers[i].alloc), f = per_loop(test.workers[i].free);

		pr_cont(" %u=%llu/%llu", i, measure_whole(a), measure_whole(f));
		alloc += a;
		free += f;
		allocs += test.workers[i].alloc > 0;
		frees += test.workers[i].free > 0;
	}
	pr_cont(" Average=%llu/%llu\n", measure_whole(alloc / max(allocs, 1u)),
		measure_whole(free / max(frees, 1u)));
	show_row(row, "alloc", bytes, alloc, allocs);
	show_row(row, "free", bytes, free, frees);
}

static int test_all_sizes(worker_function function, const char *title, const char *row)
{
	int error = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(smp_sizes) && !error; i++) {
		/*
		 * The first runs bring in the memory; the last one is measured. One run before is
		 * not enough, since a run may get other pages, which may be new to the process.
		 */
		for (unsigned int run = 0; run < SMP_RUNS && !error; run++)
			error = run_workers(function, smp_sizes[i]);
		if (!error)
			show(title, row, smp_sizes[i]);
	}
	return error;
}

static int test_all_cpus(void)
{
	int error;

	pr_info("Concurrent allocs\n");
	error = test_all_sizes(alloc_then_free, "Kmalloc N*alloc N*free", "concurrent");
	error = error ?: test_all_sizes(alloc_free, "Kmalloc N*(alloc free)", "concurrent_pair");
	pr_info("Remote free test\n");
	error = error ?: test_all_sizes(remote_free, "N*remote free", "remote");
	pr_info("1 alloc N free test\n");
	return error ?: test_all_sizes(one_alloc_many_free, "1 alloc N free", "handed");
}

static int all_cpus(void)
{
	int error = 0;

	test.nr = min(num_online_cpus(), (unsigned int)MAX_WORKERS);
	if (test.nr < 2)
		return 0;
	for (unsigned int i = 0; i < test.nr; i++) {
		test.workers[i].objects = kvcalloc(loops, sizeof(void *), GFP_KERNEL);
		if (!test.workers[i].objects)
			error = -ENOMEM;
	}
	error = error ?: test_all_cpus();
	for (unsigned int i = 0; i < test.nr; i++)
		kvfree(test.workers[i].objects);
	return error;
}

static int __init slab_test_init(void)
{
	int error = 0;

	if (loops < BATCH || loops > OBJECTS)
		return -EINVAL;
	measure_init(rows);
	if (single && !kmalloc_single_thread(loops, rounds))
		return -ENOMEM;
	if (smp)
		error = all_cpus();
	return error ?: -EAGAIN;
}

module_init(slab_test_init);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Cost of kmalloc and kfree");
