// SPDX-License-Identifier: MIT
/*
 * Work queues: each has threads of its own, made when work waits and all of them
 * are busy, at most as many as the queue may have active.
 *
 * A work item is pending (its data is 1, it is on its queue's list or its timer
 * runs), then runs: it may be queued again meanwhile, but runs in one thread at a
 * time. What waits for an item's end waits for the worker that has it.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "context.h"

#define MAX_WORKERS 16

struct worker {
	struct worker *next;
	struct workqueue_struct *queue;
	struct work_struct *current_work;	/* NULL: idle */
};

struct workqueue_struct {
	char name[24];
	struct list_head works;
	struct worker *workers;
	unsigned int nr_workers, nr_idle, nr_running, max_workers;
	bool ending;
};

/* Everything of all queues. */
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queues_changed = PTHREAD_COND_INITIALIZER;

static struct workqueue_struct system_queue = {
	.name = "events", .works = LIST_HEAD_INIT(system_queue.works), .max_workers = MAX_WORKERS,
};
struct workqueue_struct *system_wq = &system_queue;

static struct worker *runner_of(struct work_struct *work)
{
	struct workqueue_struct *queue = work->queue;

	for (struct worker *worker = queue ? queue->workers : NULL; worker; worker = worker->next)
		if (worker->current_work == work)
			return worker;
	return NULL;
}

/* The first that does not run in another thread. */
static struct work_struct *next_work(struct workqueue_struct *queue)
{
	struct work_struct *work;

	list_for_each_entry(work, &queue->works, entry)
		if (!runner_of(work))
			return work;
	return NULL;
}

static void run(struct worker *worker, struct work_struct *work)
{
	struct workqueue_struct *queue = worker->queue;

	list_del_init(&work->entry);
	worker->current_work = work;
	queue->nr_running++;
	usermm_cpu_switch((unsigned int)work->cpu);
	/* Not pending any more: from here on it may be queued again. */
	atomic_long_set_release(&work->data, 0);
	pthread_mutex_unlock(&queues_lock);
	work->func(work);
	if (usermm_self()->count) {
		pr_err("BUG: workqueue leaked atomic: %s\n", queue->name);
		usermm_cpu_drop(usermm_self()->count);
	}
	pthread_mutex_lock(&queues_lock);
	worker->current_work = NULL;
	queue->nr_running--;
	pthread_cond_broadcast(&queues_changed);
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
	pthread_mutex_lock(&queues_lock);
	queue->nr_idle--;		/* it was counted when it was made */
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

static void put_on_queue(struct workqueue_struct *queue, struct work_struct *work, int cpu)
{
	work->cpu = cpu >= 0 && (unsigned int)cpu < nr_cpu_ids ? cpu : (int)usermm_cpu_id();
	pthread_mutex_lock(&queues_lock);
	/* A work item that still runs elsewhere goes there: it is known by its queue. */
	if (!runner_of(work))
		work->queue = queue;
	queue = work->queue;
	list_add_tail(&work->entry, &queue->works);
	if (list_count_nodes(&queue->works) > queue->nr_idle &&
	    queue->nr_workers < queue->max_workers)
		add_worker(queue);
	pthread_cond_broadcast(&queues_changed);
	pthread_mutex_unlock(&queues_lock);
}

bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work)
{
	if (atomic_long_xchg(&work->data, 1))
		return false;
	put_on_queue(queue, work, cpu);
	return true;
}

void delayed_work_timer_fn(struct timer_list *timer)
{
	struct delayed_work *delayed = from_timer(delayed, timer, timer);

	put_on_queue(delayed->wq, &delayed->work, delayed->cpu);
}

static void start_delayed(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			  unsigned long delay)
{
	work->wq = queue;
	work->cpu = cpu;
	if (delay)
		mod_timer(&work->timer, jiffies + delay);
	else
		put_on_queue(queue, &work->work, cpu);
}

bool queue_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			   unsigned long delay)
{
	if (atomic_long_xchg(&work->work.data, 1))
		return false;
	start_delayed(cpu, queue, work, delay);
	return true;
}

/* Off its queue; true if it was on one. */
static bool take_off(struct work_struct *work)
{
	bool was;

	pthread_mutex_lock(&queues_lock);
	was = work->entry.next && !list_empty(&work->entry);
	if (was)
		list_del_init(&work->entry);
	pthread_mutex_unlock(&queues_lock);
	return was;
}

bool mod_delayed_work_on(int cpu, struct workqueue_struct *queue, struct delayed_work *work,
			 unsigned long delay)
{
	bool was_pending = atomic_long_xchg(&work->work.data, 1);

	/* The timer may be between its end and the queue: then it is on the queue soon. */
	if (was_pending && !timer_delete_sync(&work->timer))
		take_off(&work->work);
	if (was_pending)
		atomic_long_set(&work->work.data, 1);
	start_delayed(cpu, queue, work, delay);
	return was_pending;
}

static void rcu_work_function(struct rcu_head *head)
{
	struct rcu_work *work = container_of(head, struct rcu_work, rcu);

	put_on_queue(work->wq, &work->work, WORK_CPU_UNBOUND);
}

bool queue_rcu_work(struct workqueue_struct *queue, struct rcu_work *work)
{
	if (atomic_long_xchg(&work->work.data, 1))
		return false;
	work->wq = queue;
	call_rcu(&work->rcu, rcu_work_function);
	return true;
}

/* With pending: also until it does not wait any more. */
static bool wait_for_end(struct work_struct *work, bool pending)
{
	bool waited = false;

	might_sleep();
	pthread_mutex_lock(&queues_lock);
	while ((pending && work->entry.next && !list_empty(&work->entry)) || runner_of(work)) {
		waited = true;
		pthread_cond_wait(&queues_changed, &queues_lock);
	}
	pthread_mutex_unlock(&queues_lock);
	return waited;
}

bool flush_work(struct work_struct *work)
{
	return wait_for_end(work, true);
}

bool flush_delayed_work(struct delayed_work *work)
{
	if (timer_delete_sync(&work->timer))
		put_on_queue(work->wq, &work->work, work->cpu);
	return flush_work(&work->work);
}

bool flush_rcu_work(struct rcu_work *work)
{
	if (work_pending(&work->work))
		rcu_barrier();
	return flush_work(&work->work);
}

bool cancel_work(struct work_struct *work)
{
	if (!take_off(work))
		return false;
	atomic_long_set(&work->data, 0);
	return true;
}

/* Again if it has queued itself while it was waited for. */
bool cancel_work_sync(struct work_struct *work)
{
	bool was_pending = false;

	do {
		was_pending |= cancel_work(work);
		wait_for_end(work, false);
	} while (work_pending(work));
	return was_pending;
}

bool cancel_delayed_work(struct delayed_work *work)
{
	if (timer_delete(&work->timer)) {
		atomic_long_set(&work->work.data, 0);
		return true;
	}
	return cancel_work(&work->work);
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	bool was_pending = false;

	do {
		if (timer_delete_sync(&work->timer)) {
			atomic_long_set(&work->work.data, 0);
			was_pending = true;
		}
		was_pending |= cancel_work(&work->work);
		wait_for_end(&work->work, false);
	} while (work_pending(&work->work));
	return was_pending;
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

static void flush_locked(struct workqueue_struct *queue)
{
	while (!list_empty(&queue->works) || queue->nr_running)
		pthread_cond_wait(&queues_changed, &queues_lock);
}

void __flush_workqueue(struct workqueue_struct *queue)
{
	might_sleep();
	pthread_mutex_lock(&queues_lock);
	flush_locked(queue);
	pthread_mutex_unlock(&queues_lock);
}

void drain_workqueue(struct workqueue_struct *queue)
{
	__flush_workqueue(queue);
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
	INIT_LIST_HEAD(&queue->works);
	queue->max_workers = flags & __WQ_ORDERED ? 1 : MAX_WORKERS;
	if (max_active > 0 && (flags & WQ_UNBOUND))
		queue->max_workers = min((unsigned int)max_active, queue->max_workers);
	return queue;
}

void destroy_workqueue(struct workqueue_struct *queue)
{
	pthread_mutex_lock(&queues_lock);
	flush_locked(queue);
	queue->ending = true;
	pthread_cond_broadcast(&queues_changed);
	while (queue->nr_workers)
		pthread_cond_wait(&queues_changed, &queues_lock);
	pthread_mutex_unlock(&queues_lock);
	free(queue);
}

int schedule_on_each_cpu(work_func_t function)
{
	struct work_struct *works = calloc(nr_cpu_ids, sizeof(*works));
	unsigned int cpu;

	if (!works)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		INIT_WORK(&works[cpu], function);
		schedule_work_on((int)cpu, &works[cpu]);
	}
	for_each_online_cpu(cpu)
		flush_work(&works[cpu]);
	free(works);
	return 0;
}
