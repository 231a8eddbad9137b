// SPDX-License-Identifier: MIT
/*
 * Work queues. Each has its own threads; a new one is made when an item may run and all threads are
 * busy. A queue may run up to max_active items at a time, on each CPU or, if it is unbound, in all.
 *
 * A work item is first pending: its data is 1, and it is on its queue's list or its timer runs.
 * Then it runs. It may be queued again meanwhile, but runs in one thread at a time. Each time that
 * it goes on a list it gets a new number. Whoever waits for its end waits for the number, not for
 * the item: the item may be queued again for ever, or may free itself.
 *
 * Order of locks: queues_lock, then the timers' lock. A timer's function takes queues_lock, so
 * nobody who holds queues_lock may wait for such a function to end.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "context.h"
#include "module/module_run.h"

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
	bool look;				/* such an item has ended */
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
	bool ending;
};

/* Protects all queues and their items. */
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
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
			flusher->look = true;
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
	pthread_mutex_unlock(&queues_lock);
	call(queue, work);
	pthread_mutex_lock(&queues_lock);
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
	pthread_mutex_lock(&queues_lock);
	queue->nr_idle--;		/* add_worker() has counted this worker */
	for (;;) {
		struct work_struct *work = next_work(queue);

		if (work) {
			run(worker, work);
		} else if (queue->ending) {
			break;
		} else {
			queue->nr_idle++;
			pthread_cond_wait(&queues_changed, &queues_lock);
			queue->nr_idle--;
		}
	}
	leave_queue(worker);
	pthread_mutex_unlock(&queues_lock);
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

/* Puts an item on a queue's list. The item is pending, and on no list yet. */
static void put_locked(struct workqueue_struct *queue, struct work_struct *work, int cpu)
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

/* Makes the item pending; false if it is pending already or disabled. */
static bool claim_locked(struct work_struct *work)
{
	if (work->disabled || atomic_long_read(&work->data))
		return false;
	atomic_long_set(&work->data, 1);
	return true;
}

bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work)
{
	bool claimed;

	pthread_mutex_lock(&queues_lock);
	claimed = claim_locked(work);
	if (claimed)
		put_locked(queue, work, cpu);
	pthread_mutex_unlock(&queues_lock);
	return claimed;
}

/* It may run late, after the timer was stopped or restarted. */
void delayed_work_timer_fn(struct timer_list *timer)
{
	struct delayed_work *delayed = timer_container_of(delayed, timer, timer);

	pthread_mutex_lock(&queues_lock);
	if (delayed->armed && !timer_pending(timer)) {
		delayed->armed = false;
		put_locked(delayed->wq, &delayed->work, delayed->cpu);
	}
	pthread_mutex_unlock(&queues_lock);
}

static void start_delayed(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			  unsigned long delay)
{
	work->wq = queue;
	work->cpu = cpu;
	work->armed = delay;
	if (delay)
		mod_timer(&work->timer, jiffies + delay);
	else
		put_locked(queue, &work->work, cpu);
}

bool queue_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			   unsigned long delay)
{
	bool claimed;

	pthread_mutex_lock(&queues_lock);
	claimed = claim_locked(&work->work);
	if (claimed)
		start_delayed(cpu, queue, work, delay);
	pthread_mutex_unlock(&queues_lock);
	return claimed;
}

/*
 * Cancels a pending item; true if it was pending. An item that waits for RCU cannot be cancelled.
 */
static bool take_back(struct work_struct *work)
{
	if (!on_list(work))
		return false;
	take_off_list(work->queue, work);
	atomic_long_set(&work->data, 0);
	number_ended(work->queue, work->number);
	return true;
}

/*
 * take_back() for delayed work. *late is set if the timer's function runs, which still uses the
 * item. The caller must then call usermm_timer_wait(), without the lock, before it says that the
 * item is cancelled.
 */
static bool take_back_delayed(struct delayed_work *work, bool *late)
{
	if (!work->armed)
		return take_back(&work->work);
	work->armed = false;
	*late = !timer_delete(&work->timer);
	atomic_long_set(&work->work.data, 0);
	return true;
}

bool mod_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			 unsigned long delay)
{
	bool was_pending, late = false;

	pthread_mutex_lock(&queues_lock);
	was_pending = take_back_delayed(work, &late);
	if (late) {
		/* Wait before the timer is started again: *late tells only of the latest start. */
		pthread_mutex_unlock(&queues_lock);
		usermm_timer_wait(&work->timer);
		pthread_mutex_lock(&queues_lock);
	}
	if (claim_locked(&work->work))
		start_delayed(cpu, queue, work, delay);
	pthread_mutex_unlock(&queues_lock);
	return was_pending;
}

static void rcu_work_function(struct rcu_head *head)
{
	struct rcu_work *work = container_of(head, struct rcu_work, rcu);

	pthread_mutex_lock(&queues_lock);
	put_locked(work->wq, &work->work, WORK_CPU_UNBOUND);
	pthread_mutex_unlock(&queues_lock);
}

bool queue_rcu_work(struct workqueue_struct *queue, struct rcu_work *work)
{
	bool claimed;

	pthread_mutex_lock(&queues_lock);
	claimed = claim_locked(&work->work);
	pthread_mutex_unlock(&queues_lock);
	if (claimed) {
		work->wq = queue;
		call_rcu(&work->rcu, rcu_work_function);
	}
	return claimed;
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
		flusher.look = false;
		while (!flusher.look)
			pthread_cond_wait(&queues_changed, &queues_lock);
	}
	while (*link != &flusher)
		link = &(*link)->next;
	*link = flusher.next;
	return waited;
}

static bool wait_until_idle(struct work_struct *work)
{
	struct worker *worker = runner_of(work);

	return worker && wait_for_numbers(worker->queue, worker->number, worker->number);
}

bool flush_work(struct work_struct *work)
{
	bool waited;

	might_sleep();
	pthread_mutex_lock(&queues_lock);
	if (on_list(work))
		waited = wait_for_numbers(work->queue, work->number, work->number);
	else
		waited = wait_until_idle(work);
	pthread_mutex_unlock(&queues_lock);
	return waited;
}

bool flush_delayed_work(struct delayed_work *work)
{
	bool late = false;

	pthread_mutex_lock(&queues_lock);
	if (work->armed) {
		take_back_delayed(work, &late);
		if (claim_locked(&work->work))
			put_locked(work->wq, &work->work, work->cpu);
	}
	pthread_mutex_unlock(&queues_lock);
	if (late)
		usermm_timer_wait(&work->timer);
	return flush_work(&work->work);
}

bool flush_rcu_work(struct rcu_work *work)
{
	bool pending = work_pending(&work->work);

	if (pending)
		rcu_barrier();
	return flush_work(&work->work) || pending;
}

/* delayed is the delayed_work that contains work, or NULL. */
static bool cancel(struct work_struct *work, struct delayed_work *delayed, bool sync,
		   bool stays_disabled)
{
	bool was_pending, late = false;

	pthread_mutex_lock(&queues_lock);
	was_pending = delayed ? take_back_delayed(delayed, &late) : take_back(work);
	work->disabled++;
	if (sync)
		wait_until_idle(work);
	work->disabled -= !stays_disabled;
	pthread_mutex_unlock(&queues_lock);
	/* The caller may free the item after this. */
	if (delayed && (late || sync))
		usermm_timer_wait(&delayed->timer);
	return was_pending;
}

bool cancel_work(struct work_struct *work)
{
	return cancel(work, NULL, false, false);
}

bool cancel_work_sync(struct work_struct *work)
{
	might_sleep();
	return cancel(work, NULL, true, false);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work, work, false, false);
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	might_sleep();
	return cancel(&work->work, work, true, false);
}

bool disable_work(struct work_struct *work)
{
	return cancel(work, NULL, false, true);
}

bool disable_work_sync(struct work_struct *work)
{
	might_sleep();
	return cancel(work, NULL, true, true);
}

bool disable_delayed_work(struct delayed_work *work)
{
	return cancel(&work->work, work, false, true);
}

bool disable_delayed_work_sync(struct delayed_work *work)
{
	might_sleep();
	return cancel(&work->work, work, true, true);
}

bool enable_work(struct work_struct *work)
{
	bool enabled;

	pthread_mutex_lock(&queues_lock);
	if (!WARN_ON_ONCE(!work->disabled))
		work->disabled--;
	enabled = !work->disabled;
	pthread_mutex_unlock(&queues_lock);
	return enabled;
}

unsigned int work_busy(struct work_struct *work)
{
	unsigned int busy = work_pending(work) ? WORK_BUSY_PENDING : 0;

	pthread_mutex_lock(&queues_lock);
	if (runner_of(work))
		busy |= WORK_BUSY_RUNNING;
	pthread_mutex_unlock(&queues_lock);
	return busy;
}

void __flush_workqueue(struct workqueue_struct *queue)
{
	might_sleep();
	pthread_mutex_lock(&queues_lock);
	wait_for_numbers(queue, 1, last_number);
	pthread_mutex_unlock(&queues_lock);
}

static void drain_locked(struct workqueue_struct *queue)
{
	while (queue->nr_waiting || queue->nr_running)
		pthread_cond_wait(&queues_changed, &queues_lock);
}

/* Waits until the queue is empty, also of items that queue themselves again. */
void drain_workqueue(struct workqueue_struct *queue)
{
	might_sleep();
	pthread_mutex_lock(&queues_lock);
	drain_locked(queue);
	pthread_mutex_unlock(&queues_lock);
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
	queue->max_active = clamp(max_active ? max_active : WQ_DFL_ACTIVE, 1, (int)WQ_MAX_ACTIVE);
	pthread_mutex_lock(&queues_lock);
	queue->next = queues;
	queues = queue;
	pthread_mutex_unlock(&queues_lock);
	return queue;
}

void destroy_workqueue(struct workqueue_struct *queue)
{
	struct workqueue_struct **link = &queues;

	pthread_mutex_lock(&queues_lock);
	drain_locked(queue);
	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	queue->ending = true;
	pthread_cond_broadcast(&queues_changed);
	while (queue->nr_workers)
		pthread_cond_wait(&queues_changed, &queues_lock);
	pthread_mutex_unlock(&queues_lock);
	free(queue);
}

static bool somebody_works(void)
{
	bool works = false;

	pthread_mutex_lock(&queues_lock);
	for (struct workqueue_struct *queue = queues; queue && !works; queue = queue->next)
		works = queue->nr_running || queue->nr_waiting;
	pthread_mutex_unlock(&queues_lock);
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
	pthread_mutex_lock(&queues_lock);
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
	pthread_mutex_unlock(&queues_lock);
}
