// SPDX-License-Identifier: MIT
/*
 * Work queues. Each has its own threads; a new one is made when an item may run and all threads are
 * busy. A queue may run up to max_active items at a time, on each CPU or, if it is unbound, in all.
 * delayed_work.c has the items that wait for a time or for RCU first, and cancels all kinds.
 *
 * A work item is first pending: its data is 1, and it is on its queue's list or its timer runs.
 * Then it runs. It may be queued again meanwhile, but runs in one thread at a time. Each time that
 * it goes on a list it gets a new number. Whoever waits for its end waits for the number, not for
 * the item: the item may be queued again for ever, or may free itself.
 *
 * Order of locks: usermm_queues_lock, then the timers' lock. A timer's function takes
 * usermm_queues_lock, so nobody who holds it may wait for such a function to end.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "module/module_run.h"
#include "work.h"

#define MAX_WORKERS WQ_MAX_ACTIVE

struct worker {
	struct worker *next;
	struct workqueue_struct *queue;
	struct work_struct *current_work;	/* NULL: idle */
	work_func_t current_function;
	u64 number;				/* 0: idle */
};

/* Somebody who waits until no item has a number from first to last. */
struct flusher {
	struct flusher *next;
	u64 first, last;
	bool has_news;				/* such an item has ended since it last looked */
};

struct workqueue_struct {
	char name[24];
	/* By number, for each CPU; an unbound queue has only the first list. See works_of(). */
	struct list_head works[NR_CPUS];
	struct worker *workers;
	struct flusher *flushers;
	unsigned int nr_workers, nr_idle, nr_running, nr_waiting, max_active, flags;
	unsigned int running_on[NR_CPUS];
	struct workqueue_struct *next;
	struct device *dev;			/* its files, with WQ_SYSFS */
	bool ending;
};

pthread_mutex_t usermm_queues_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queues_changed = PTHREAD_COND_INITIALIZER;
static u64 last_number;

static struct workqueue_struct system_queue = {
	.name = "events", .max_active = WQ_DFL_ACTIVE,
};
struct workqueue_struct *system_wq = &system_queue;
static struct workqueue_struct *queues = &system_queue;

/*
 * The worker that runs the item, or NULL. An item at the same address with another function is a
 * different one: the first one was freed meanwhile.
 */
static struct worker *runner_of(const struct work_struct *work)
{
	struct workqueue_struct *queue = work->queue;

	for (struct worker *worker = queue ? queue->workers : NULL; worker; worker = worker->next)
		if (worker->current_work == work && worker->current_function == work->func)
			return worker;
	return NULL;
}

static bool on_list(const struct work_struct *work)
{
	return work->entry.next && !list_empty(&work->entry);
}

static unsigned int nr_lists(const struct workqueue_struct *queue)
{
	return queue->flags & WQ_UNBOUND ? 1 : nr_cpu_ids;
}

/* A list that was never used is all zero. */
static struct list_head *works_of(struct workqueue_struct *queue, unsigned int list)
{
	struct list_head *works = &queue->works[list];

	if (!works->next)
		INIT_LIST_HEAD(works);
	return works;
}

static unsigned int list_of(const struct workqueue_struct *queue, const struct work_struct *work)
{
	return queue->flags & WQ_UNBOUND ? 0 : (unsigned int)work->cpu;
}

/* The first item of the list that may run. */
static struct work_struct *next_of(struct workqueue_struct *queue, unsigned int list)
{
	unsigned int active = queue->flags & WQ_UNBOUND ? queue->nr_running :
			      queue->running_on[list];
	struct work_struct *work;

	if (active >= queue->max_active)
		return NULL;
	/* Passes over items that were queued again while they run. These are few. */
	list_for_each_entry(work, works_of(queue, list), entry)
		if (!runner_of(work))
			return work;
	return NULL;
}

/* The oldest item that may run. */
static struct work_struct *next_work(struct workqueue_struct *queue)
{
	struct work_struct *oldest = NULL;

	for (unsigned int i = 0; queue->nr_waiting && i < nr_lists(queue); i++) {
		struct work_struct *work = next_of(queue, i);

		if (work && (!oldest || work->number < oldest->number))
			oldest = work;
	}
	return oldest;
}

static void put_on_list(struct workqueue_struct *queue, struct work_struct *work)
{
	work->number = ++last_number;
	list_add_tail(&work->entry, works_of(queue, list_of(queue, work)));
	queue->nr_waiting++;
}

static void take_off_list(struct workqueue_struct *queue, struct work_struct *work)
{
	list_del_init(&work->entry);
	queue->nr_waiting--;
}

static bool is_between(u64 number, u64 first, u64 last)
{
	return number >= first && number <= last;
}

/* An item with this number has run, or was cancelled. */
static void number_ended(struct workqueue_struct *queue, u64 number)
{
	for (struct flusher *flusher = queue->flushers; flusher; flusher = flusher->next)
		if (is_between(number, flusher->first, flusher->last))
			flusher->has_news = true;
	pthread_cond_broadcast(&queues_changed);
}

static void add_worker(struct workqueue_struct *queue);

/*
 * Adds a worker if one is needed. Each worker does so before it runs an item, so no item waits
 * long.
 */
static void need_worker(struct workqueue_struct *queue)
{
	if (!queue->nr_idle && queue->nr_workers < MAX_WORKERS && next_work(queue))
		add_worker(queue);
}

static void call(struct workqueue_struct *queue, struct work_struct *work)
{
	unsigned int softirq = queue->flags & WQ_BH ? SOFTIRQ_OFFSET : 0;

	if (softirq)
		usermm_cpu_hold(softirq);
	work->func(work);
	if (softirq)
		usermm_cpu_drop(softirq);
	if (usermm_self()->count) {
		pr_err("BUG: workqueue leaked atomic: %s\n", queue->name);
		usermm_cpu_drop(usermm_self()->count);
	}
}

static void run(struct worker *worker, struct work_struct *work)
{
	struct workqueue_struct *queue = worker->queue;
	unsigned int cpu = (unsigned int)work->cpu;
	u64 number;

	take_off_list(queue, work);
	worker->current_work = work;
	worker->current_function = work->func;
	worker->number = work->number;
	queue->nr_running++;
	queue->running_on[cpu]++;
	usermm_cpu_switch(cpu);
	/* No longer pending: from here on it may be queued again. */
	atomic_long_set_release(&work->data, 0);
	need_worker(queue);
	pthread_mutex_unlock(&usermm_queues_lock);
	call(queue, work);
	pthread_mutex_lock(&usermm_queues_lock);
	number = worker->number;
	worker->current_work = NULL;
	worker->number = 0;
	queue->nr_running--;
	queue->running_on[cpu]--;
	number_ended(queue, number);
}

static void leave_queue(struct worker *worker)
{
	struct worker **link = &worker->queue->workers;

	while (*link != worker)
		link = &(*link)->next;
	*link = worker->next;
	worker->queue->nr_workers--;
	pthread_cond_broadcast(&queues_changed);
	free(worker);
}

static void *worker_main(void *worker_ptr)
{
	struct worker *worker = worker_ptr;
	struct workqueue_struct *queue = worker->queue;
	struct task_struct *task = usermm_task_new(queue->name, PF_KTHREAD | PF_WQ_WORKER);

	if (!task)
		panic("no task for a worker of %s\n", queue->name);
	usermm_task_enter(task);
	pthread_setname_np(pthread_self(), task->comm);
	pthread_mutex_lock(&usermm_queues_lock);
	queue->nr_idle--;		/* add_worker() has counted this worker */
	for (;;) {
		struct work_struct *work = next_work(queue);

		if (work) {
			run(worker, work);
		} else if (queue->ending) {
			break;
		} else {
			queue->nr_idle++;
			pthread_cond_wait(&queues_changed, &usermm_queues_lock);
			queue->nr_idle--;
		}
	}
	leave_queue(worker);
	pthread_mutex_unlock(&usermm_queues_lock);
	return NULL;
}

static void add_worker(struct workqueue_struct *queue)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	pthread_t thread;

	if (!worker)
		panic("no memory for a worker of %s\n", queue->name);
	*worker = (struct worker){ .next = queue->workers, .queue = queue };
	queue->workers = worker;
	queue->nr_workers++;
	queue->nr_idle++;
	if (pthread_create(&thread, NULL, worker_main, worker))
		panic("no thread for a worker of %s\n", queue->name);
	pthread_detach(thread);
}

void usermm_work_put(struct workqueue_struct *queue, struct work_struct *work, int cpu)
{
	work->cpu = cpu >= 0 && (unsigned int)cpu < nr_cpu_ids ? cpu : (int)usermm_cpu_id();
	/* If the item still runs on another queue it stays there: runner_of() needs the queue. */
	if (!runner_of(work))
		work->queue = queue;
	queue = work->queue;
	put_on_list(queue, work);
	need_worker(queue);
	pthread_cond_broadcast(&queues_changed);
}

bool usermm_work_claim(struct work_struct *work)
{
	if (work->disabled || atomic_long_read(&work->data))
		return false;
	atomic_long_set(&work->data, 1);
	return true;
}

bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work)
{
	bool claimed;

	pthread_mutex_lock(&usermm_queues_lock);
	claimed = usermm_work_claim(work);
	if (claimed)
		usermm_work_put(queue, work, cpu);
	pthread_mutex_unlock(&usermm_queues_lock);
	return claimed;
}

bool usermm_work_take_back(struct work_struct *work)
{
	if (!on_list(work))
		return false;
	take_off_list(work->queue, work);
	atomic_long_set(&work->data, 0);
	number_ended(work->queue, work->number);
	return true;
}

static bool in_use(struct workqueue_struct *queue, u64 first, u64 last)
{
	const struct work_struct *work;

	for (unsigned int i = 0; queue->nr_waiting && i < nr_lists(queue); i++)
		list_for_each_entry(work, works_of(queue, i), entry) {
			if (is_between(work->number, first, last))
				return true;
			if (work->number > last)
				break;
		}
	for (const struct worker *worker = queue->workers; worker; worker = worker->next)
		if (worker->number && is_between(worker->number, first, last))
			return true;
	return false;
}

/*
 * Waits until the items with these numbers are done; true if it had to wait. It does not touch the
 * items, which may be gone. It looks again only after such an item has ended, since a look costs
 * as much as the list is long.
 */
static bool wait_for_numbers(struct workqueue_struct *queue, u64 first, u64 last)
{
	struct flusher flusher = { .first = first, .last = last }, **link = &queue->flushers;
	bool waited = false;

	flusher.next = queue->flushers;
	queue->flushers = &flusher;
	for (; in_use(queue, first, last); waited = true) {
		flusher.has_news = false;
		while (!flusher.has_news)
			pthread_cond_wait(&queues_changed, &usermm_queues_lock);
	}
	while (*link != &flusher)
		link = &(*link)->next;
	*link = flusher.next;
	return waited;
}

bool usermm_work_wait(struct work_struct *work)
{
	struct worker *worker = runner_of(work);

	return worker && wait_for_numbers(worker->queue, worker->number, worker->number);
}

bool flush_work(struct work_struct *work)
{
	bool waited;

	might_sleep();
	pthread_mutex_lock(&usermm_queues_lock);
	if (on_list(work))
		waited = wait_for_numbers(work->queue, work->number, work->number);
	else
		waited = usermm_work_wait(work);
	pthread_mutex_unlock(&usermm_queues_lock);
	return waited;
}

unsigned int work_busy(struct work_struct *work)
{
	unsigned int busy = work_pending(work) ? WORK_BUSY_PENDING : 0;

	pthread_mutex_lock(&usermm_queues_lock);
	if (runner_of(work))
		busy |= WORK_BUSY_RUNNING;
	pthread_mutex_unlock(&usermm_queues_lock);
	return busy;
}

void __flush_workqueue(struct workqueue_struct *queue)
{
	might_sleep();
	pthread_mutex_lock(&usermm_queues_lock);
	wait_for_numbers(queue, 1, last_number);
	pthread_mutex_unlock(&usermm_queues_lock);
}

static void drain_locked(struct workqueue_struct *queue)
{
	while (queue->nr_waiting || queue->nr_running)
		pthread_cond_wait(&queues_changed, &usermm_queues_lock);
}

/* Waits until the queue is empty, also of items that queue themselves again. */
void drain_workqueue(struct workqueue_struct *queue)
{
	might_sleep();
	pthread_mutex_lock(&usermm_queues_lock);
	drain_locked(queue);
	pthread_mutex_unlock(&usermm_queues_lock);
}

static unsigned int active_within_limits(int max_active)
{
	return (unsigned int)clamp(max_active ? max_active : WQ_DFL_ACTIVE, 1, (int)WQ_MAX_ACTIVE);
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active, ...)
{
	struct workqueue_struct *queue = calloc(1, sizeof(*queue));
	va_list args;

	if (!queue)
		return NULL;
	va_start(args, max_active);
	vsnprintf(queue->name, sizeof(queue->name), name, args);
	va_end(args);
	queue->flags = flags;
	queue->max_active = active_within_limits(max_active);
	pthread_mutex_lock(&usermm_queues_lock);
	queue->next = queues;
	queues = queue;
	pthread_mutex_unlock(&usermm_queues_lock);
	if (flags & WQ_SYSFS && workqueue_sysfs_register(queue)) {
		destroy_workqueue(queue);
		return NULL;
	}
	return queue;
}

/* Items that had to wait for others run now, if there may be more at a time. */
void workqueue_set_max_active(struct workqueue_struct *queue, int max_active)
{
	pthread_mutex_lock(&usermm_queues_lock);
	queue->max_active = active_within_limits(max_active);
	need_worker(queue);
	pthread_cond_broadcast(&queues_changed);
	pthread_mutex_unlock(&usermm_queues_lock);
}

unsigned int usermm_workqueue_max_active(struct workqueue_struct *queue)
{
	unsigned int max_active;

	pthread_mutex_lock(&usermm_queues_lock);
	max_active = queue->max_active;
	pthread_mutex_unlock(&usermm_queues_lock);
	return max_active;
}

int workqueue_sysfs_register(struct workqueue_struct *queue)
{
	struct device *dev;

	if (queue->flags & __WQ_ORDERED)	/* files would let programs break the order */
		return -EINVAL;
	dev = usermm_workqueue_device(queue, queue->name, queue->flags & WQ_UNBOUND);
	if (IS_ERR(dev))
		return (int)PTR_ERR(dev);
	queue->dev = dev;
	return 0;
}

void destroy_workqueue(struct workqueue_struct *queue)
{
	struct workqueue_struct **link = &queues;

	if (queue->dev)
		device_unregister(queue->dev);
	pthread_mutex_lock(&usermm_queues_lock);
	drain_locked(queue);
	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	queue->ending = true;
	pthread_cond_broadcast(&queues_changed);
	while (queue->nr_workers)
		pthread_cond_wait(&queues_changed, &usermm_queues_lock);
	pthread_mutex_unlock(&usermm_queues_lock);
	free(queue);
}

static bool somebody_works(void)
{
	bool works = false;

	pthread_mutex_lock(&usermm_queues_lock);
	for (struct workqueue_struct *queue = queues; queue && !works; queue = queue->next)
		works = queue->nr_running || queue->nr_waiting;
	pthread_mutex_unlock(&usermm_queues_lock);
	return works;
}

static void report_work(const struct workqueue_struct *queue, work_func_t function,
			const char *what)
{
	char name[128];

	symbol_text((const void *)function, name, sizeof(name));
	fprintf(stderr, "usermm module: leak: work %s of queue %s %s\n", name, queue->name, what);
}

#define ENDING_MILLISECONDS 200

void module_works_report(void)
{
	const struct work_struct *work;

	for (int i = 0; i < ENDING_MILLISECONDS && somebody_works(); i++)
		usleep(1000);
	pthread_mutex_lock(&usermm_queues_lock);
	for (struct workqueue_struct *queue = queues; queue; queue = queue->next) {
		for (struct worker *worker = queue->workers; worker; worker = worker->next)
			if (worker->number)
				report_work(queue, worker->current_function, "still runs");
		for (unsigned int i = 0; i < nr_lists(queue); i++)
			list_for_each_entry(work, works_of(queue, i), entry)
				report_work(queue, work->func, "still waits");
		if (queue != &system_queue)
			fprintf(stderr, "usermm module: leak: work queue %s was not destroyed\n",
				queue->name);
	}
	pthread_mutex_unlock(&usermm_queues_lock);
}
