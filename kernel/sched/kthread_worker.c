// SPDX-License-Identifier: MIT
/* kthread workers: threads that run the work on their own list (cf. Linux kernel/kthread.c). */
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/slab.h>

/* A work item that is queued behind another one, to learn when that one is done. */
struct flusher {
	struct kthread_work work;
	struct completion done;
};

static void flushed(struct kthread_work *work)
{
	complete(&container_of(work, struct flusher, work)->done);
}

int kthread_worker_fn(void *data)
{
	struct kthread_worker *worker = data;

	raw_spin_lock_irq(&worker->lock);
	worker->task = current;
	raw_spin_unlock_irq(&worker->lock);
	for (;;) {
		struct kthread_work *work;

		set_current_state(TASK_INTERRUPTIBLE);
		raw_spin_lock_irq(&worker->lock);
		work = list_first_entry_or_null(&worker->work_list, struct kthread_work, node);
		if (work)
			list_del_init(&work->node);
		worker->current_work = work;
		raw_spin_unlock_irq(&worker->lock);
		if (work) {
			__set_current_state(TASK_RUNNING);
			/* The function may free its work item. */
			work->func(work);
			continue;
		}
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static struct kthread_worker *create(int cpu, const char *format, va_list args)
{
	struct kthread_worker *worker = kzalloc(sizeof(*worker), GFP_KERNEL);
	char name[TASK_COMM_LEN];
	struct task_struct *task;

	if (!worker)
		return ERR_PTR(-ENOMEM);
	kthread_init_worker(worker);
	vsnprintf(name, sizeof(name), format, args);
	task = kthread_create(kthread_worker_fn, worker, "%s", name);
	if (IS_ERR(task)) {
		kfree(worker);
		return ERR_CAST(task);
	}
	if (cpu >= 0)
		kthread_bind(task, (unsigned int)cpu);
	worker->task = task;
	wake_up_process(task);
	return worker;
}

struct kthread_worker *kthread_create_worker_on_node(unsigned int flags, int node,
						     const char *name, ...)
{
	struct kthread_worker *worker;
	va_list args;

	(void)flags;
	(void)node;
	va_start(args, name);
	worker = create(-1, name, args);
	va_end(args);
	return worker;
}

struct kthread_worker *kthread_create_worker_on_cpu(int cpu, unsigned int flags,
						    const char *name, ...)
{
	struct kthread_worker *worker;
	va_list args;

	(void)flags;
	va_start(args, name);
	worker = create(cpu, name, args);
	va_end(args);
	return worker;
}

static void insert_locked(struct kthread_worker *worker, struct kthread_work *work,
			  struct list_head *before)
{
	list_add_tail(&work->node, before);
	work->worker = worker;
	if (!worker->current_work && worker->task)
		wake_up_process(worker->task);
}

bool kthread_queue_work(struct kthread_worker *worker, struct kthread_work *work)
{
	unsigned long flags;
	bool queued;

	raw_spin_lock_irqsave(&worker->lock, flags);
	queued = list_empty(&work->node) && !work->canceling;
	if (queued)
		insert_locked(worker, work, &worker->work_list);
	raw_spin_unlock_irqrestore(&worker->lock, flags);
	return queued;
}

void kthread_delayed_work_timer_fn(struct timer_list *timer)
{
	struct kthread_delayed_work *work = timer_container_of(work, timer, timer);

	kthread_queue_work(work->work.worker, &work->work);
}

bool kthread_queue_delayed_work(struct kthread_worker *worker, struct kthread_delayed_work *work,
				unsigned long delay)
{
	if (timer_pending(&work->timer) || !list_empty(&work->work.node))
		return false;
	work->work.worker = worker;
	if (!delay)
		return kthread_queue_work(worker, &work->work);
	mod_timer(&work->timer, jiffies + delay);
	return true;
}

bool kthread_mod_delayed_work(struct kthread_worker *worker, struct kthread_delayed_work *work,
			      unsigned long delay)
{
	bool was_pending = timer_delete_sync(&work->timer);

	was_pending |= kthread_cancel_work_sync(&work->work);
	kthread_queue_delayed_work(worker, work, delay);
	return was_pending;
}

static void flush(struct kthread_worker *worker, struct kthread_work *work)
{
	struct flusher flusher;
	bool wait = true;

	kthread_init_work(&flusher.work, flushed);
	init_completion(&flusher.done);
	raw_spin_lock_irq(&worker->lock);
	if (!work)
		insert_locked(worker, &flusher.work, &worker->work_list);
	else if (!list_empty(&work->node))
		insert_locked(worker, &flusher.work, work->node.next);
	else if (worker->current_work == work)
		insert_locked(worker, &flusher.work, worker->work_list.next);
	else
		wait = false;
	raw_spin_unlock_irq(&worker->lock);
	if (wait)
		wait_for_completion(&flusher.done);
}

void kthread_flush_work(struct kthread_work *work)
{
	if (work->worker)
		flush(work->worker, work);
}

void kthread_flush_worker(struct kthread_worker *worker)
{
	flush(worker, NULL);
}

bool kthread_cancel_work_sync(struct kthread_work *work)
{
	struct kthread_worker *worker = work->worker;
	bool was_pending;

	if (!worker)
		return false;
	raw_spin_lock_irq(&worker->lock);
	was_pending = !list_empty(&work->node);
	list_del_init(&work->node);
	/* Prevents that the item is queued again meanwhile. */
	work->canceling++;
	raw_spin_unlock_irq(&worker->lock);
	flush(worker, work);
	raw_spin_lock_irq(&worker->lock);
	work->canceling--;
	raw_spin_unlock_irq(&worker->lock);
	return was_pending;
}

bool kthread_cancel_delayed_work_sync(struct kthread_delayed_work *work)
{
	bool was_pending = timer_delete_sync(&work->timer);

	return kthread_cancel_work_sync(&work->work) || was_pending;
}

void kthread_destroy_worker(struct kthread_worker *worker)
{
	kthread_flush_worker(worker);
	kthread_stop(worker->task);
	WARN_ON(!list_empty(&worker->work_list));
	kfree(worker);
}
