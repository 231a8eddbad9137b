// SPDX-License-Identifier: MIT
/* Wait queues and semaphores. */
#include <linux/kthread.h>
#include <linux/semaphore.h>
#include <linux/wait.h>

#define WQ_FLAG_WOKEN 0x02

int default_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	(void)flags;
	(void)key;
	return wake_up_state(entry->private, mode);
}

/*
 * Takes the entry off the queue as it wakes the task. The entry may be on the woken task's stack,
 * so nobody may touch it after that.
 */
int autoremove_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags,
			     void *key)
{
	struct task_struct *task = entry->private;
	int woken;

	(void)flags;
	(void)key;
	get_task_struct(task);
	woken = wake_up_state(task, mode);
	if (woken)
		list_del_init_careful(&entry->entry);
	put_task_struct(task);
	return woken;
}

int woken_wake_function(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	__atomic_fetch_or(&entry->flags, WQ_FLAG_WOKEN, __ATOMIC_SEQ_CST);
	return default_wake_function(entry, mode, flags, key);
}

long wait_woken(struct wait_queue_entry *entry, unsigned int mode, long jiffies_left)
{
	set_current_state(mode);
	if (!(READ_ONCE(entry->flags) & WQ_FLAG_WOKEN) && !kthread_should_stop() &&
	    !kthread_should_park())
		jiffies_left = schedule_timeout(jiffies_left);
	__set_current_state(TASK_RUNNING);
	__atomic_fetch_and(&entry->flags, ~(unsigned int)WQ_FLAG_WOKEN, __ATOMIC_SEQ_CST);
	return jiffies_left;
}

void init_wait_entry(struct wait_queue_entry *entry, int flags)
{
	*entry = (struct wait_queue_entry){
		.flags = (unsigned int)flags, .private = current,
		.func = autoremove_wake_function,
	};
	INIT_LIST_HEAD(&entry->entry);
}

void add_wait_queue(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	unsigned long flags;

	entry->flags &= ~(unsigned int)WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&queue->lock, flags);
	list_add(&entry->entry, &queue->head);
	spin_unlock_irqrestore(&queue->lock, flags);
}

void add_wait_queue_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	unsigned long flags;

	entry->flags |= WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&queue->lock, flags);
	list_add_tail(&entry->entry, &queue->head);
	spin_unlock_irqrestore(&queue->lock, flags);
}

void remove_wait_queue(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	list_del_init(&entry->entry);
	spin_unlock_irqrestore(&queue->lock, flags);
}

/* Queues the entry; true if it is the first one. The task's state is set under the lock. */
static bool prepare(struct wait_queue_head *queue, struct wait_queue_entry *entry, int state,
		    bool exclusive)
{
	unsigned long flags;
	bool first = false;

	spin_lock_irqsave(&queue->lock, flags);
	if (list_empty(&entry->entry)) {
		first = list_empty(&queue->head);
		if (exclusive)
			list_add_tail(&entry->entry, &queue->head);
		else
			list_add(&entry->entry, &queue->head);
	}
	set_current_state((unsigned int)state);
	spin_unlock_irqrestore(&queue->lock, flags);
	return first;
}

void prepare_to_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry, int state)
{
	entry->flags &= ~(unsigned int)WQ_FLAG_EXCLUSIVE;
	prepare(queue, entry, state, false);
}

bool prepare_to_wait_exclusive(struct wait_queue_head *queue, struct wait_queue_entry *entry,
			       int state)
{
	entry->flags |= WQ_FLAG_EXCLUSIVE;
	return prepare(queue, entry, state, true);
}

long prepare_to_wait_event(struct wait_queue_head *queue, struct wait_queue_entry *entry,
			   int state)
{
	if (signal_pending_state((unsigned int)state, current)) {
		/*
		 * Off the queue first: an exclusive waiter that gives up must not be the one that a
		 * wake-up is spent on.
		 */
		remove_wait_queue(queue, entry);
		return -ERESTARTSYS;
	}
	prepare(queue, entry, state, entry->flags & WQ_FLAG_EXCLUSIVE);
	return 0;
}

/* The caller holds the queue's lock. */
static void prepare_interruptible(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	if (list_empty(&entry->entry))
		list_add_tail(&entry->entry, &queue->head);
	set_current_state(TASK_INTERRUPTIBLE);
}

int do_wait_intr(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	if (signal_pending(current))
		return -ERESTARTSYS;
	prepare_interruptible(queue, entry);
	spin_unlock(&queue->lock);
	schedule();
	spin_lock(&queue->lock);
	return 0;
}

int do_wait_intr_irq(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	if (signal_pending(current))
		return -ERESTARTSYS;
	prepare_interruptible(queue, entry);
	spin_unlock_irq(&queue->lock);
	schedule();
	spin_lock_irq(&queue->lock);
	return 0;
}

u64 usermm_wait_end(ktime_t timeout)
{
	u64 end;

	/* A time beyond the clock's range never comes. */
	if (timeout == KTIME_MAX ||
	    __builtin_add_overflow((u64)max(timeout, (ktime_t)0), ktime_get_ns(), &end))
		return 0;
	return end;
}

void finish_wait(struct wait_queue_head *queue, struct wait_queue_entry *entry)
{
	unsigned long flags;

	__set_current_state(TASK_RUNNING);
	/* pairs with autoremove_wake_function(): a waker that removed the entry is done with it */
	if (list_empty_careful(&entry->entry))
		return;
	spin_lock_irqsave(&queue->lock, flags);
	list_del_init(&entry->entry);
	spin_unlock_irqrestore(&queue->lock, flags);
}

int usermm_wake_up_locked(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
{
	struct wait_queue_entry *entry, *next;
	int woken = 0;

	list_for_each_entry_safe(entry, next, &queue->head, entry) {
		bool exclusive = entry->flags & WQ_FLAG_EXCLUSIVE;
		int done = entry->func(entry, mode, 0, key);

		if (done < 0)
			break;
		if (done) {
			woken++;
			if (exclusive && !--nr)
				break;
		}
	}
	return woken;
}

int __wake_up(struct wait_queue_head *queue, unsigned int mode, int nr, void *key)
{
	unsigned long flags;
	int woken;

	spin_lock_irqsave(&queue->lock, flags);
	woken = usermm_wake_up_locked(queue, mode, nr, key);
	spin_unlock_irqrestore(&queue->lock, flags);
	return woken;
}

void sema_init(struct semaphore *sem, int count)
{
	sem->count = (unsigned int)count;
	init_waitqueue_head(&sem->wait);
}

static bool take(struct semaphore *sem)
{
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&sem->wait.lock, flags);
	taken = sem->count > 0;
	sem->count -= taken;
	spin_unlock_irqrestore(&sem->wait.lock, flags);
	return taken;
}

/* 0, or -EINTR. */
static int wait_for_semaphore(struct semaphore *sem, unsigned int state)
{
	return ___wait_event(sem->wait, take(sem), (int)state, 1, 0, schedule()) ? -EINTR : 0;
}

void down(struct semaphore *sem)
{
	wait_for_semaphore(sem, TASK_UNINTERRUPTIBLE);
}

int down_interruptible(struct semaphore *sem)
{
	return wait_for_semaphore(sem, TASK_INTERRUPTIBLE);
}

int down_killable(struct semaphore *sem)
{
	return wait_for_semaphore(sem, TASK_KILLABLE);
}

int down_trylock(struct semaphore *sem)
{
	return !take(sem);
}

int down_timeout(struct semaphore *sem, long jiffies_left)
{
	bool taken;

	___wait_event(sem->wait, (taken = take(sem)) || !jiffies_left, TASK_UNINTERRUPTIBLE, 1, 0,
		      jiffies_left = schedule_timeout(jiffies_left));
	return taken ? 0 : -ETIME;
}

void up(struct semaphore *sem)
{
	unsigned long flags;

	spin_lock_irqsave(&sem->wait.lock, flags);
	sem->count++;
	usermm_wake_up_locked(&sem->wait, TASK_NORMAL, 1, NULL);
	spin_unlock_irqrestore(&sem->wait.lock, flags);
}
