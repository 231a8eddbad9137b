// SPDX-License-Identifier: MIT
/* Locks: reader-writer locks, reader-writer semaphores, mutexes. */
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "sched/context.h"
#include "futex.h"

#define WAIT_NANOSECONDS 1000000

/* Somebody waits for the lock, and is to be woken. Call it under lock->lock. */
#define TURN_AWAITED 1u

static unsigned int await_turn(struct usermm_rwlock *lock)
{
	__atomic_fetch_or(&lock->turn, TURN_AWAITED, __ATOMIC_RELAXED);
	return lock->turn;
}

/*
 * Tries once to take the lock. If that fails, *turn is the futex value to sleep on. A reader in an
 * interrupt does not queue behind a waiting writer: this writer may wait for the reader that was
 * interrupted.
 */
static bool try_read(struct usermm_rwlock *lock, unsigned int *turn)
{
	bool taken;

	usermm_lock(&lock->lock);
	taken = lock->readers >= 0 && (!lock->writers_waiting || in_interrupt());
	lock->readers += taken;
	if (!taken)
		*turn = await_turn(lock);
	usermm_unlock(&lock->lock);
	return taken;
}

static bool try_write(struct usermm_rwlock *lock, unsigned int *turn, bool *waiting, bool wait)
{
	bool taken;

	usermm_lock(&lock->lock);
	taken = lock->readers == 0;
	if (taken) {
		lock->readers = -1;
		lock->writers_waiting -= *waiting;
		*waiting = false;
	} else if (wait && !*waiting) {
		lock->writers_waiting++;
		*waiting = true;
	}
	if (!taken && wait)
		*turn = await_turn(lock);
	usermm_unlock(&lock->lock);
	return taken;
}

/*
 * Lets those who wait try again. Returns whether there are any to wake. Call it under lock->lock.
 */
static bool next_turn(struct usermm_rwlock *lock)
{
	if (!(lock->turn & TURN_AWAITED))
		return false;
	__atomic_fetch_add(&lock->turn, 1, __ATOMIC_RELAXED);
	return true;
}

/* Sleeps only briefly: this thread must run the calls that are sent to the CPU that it holds. */
static void wait_turn(struct usermm_rwlock *lock, unsigned int turn)
{
	usermm_poll_calls();
	futex_wait(&lock->turn, turn, WAIT_NANOSECONDS);
}

void usermm_read_lock(struct usermm_rwlock *lock)
{
	unsigned int turn;

	while (!try_read(lock, &turn))
		wait_turn(lock, turn);
}

void usermm_write_lock(struct usermm_rwlock *lock)
{
	bool waiting = false;
	unsigned int turn;

	while (!try_write(lock, &turn, &waiting, true))
		wait_turn(lock, turn);
}

bool usermm_read_trylock(struct usermm_rwlock *lock)
{
	unsigned int turn;

	return try_read(lock, &turn);
}

bool usermm_write_trylock(struct usermm_rwlock *lock)
{
	bool waiting = false;
	unsigned int turn;

	return try_write(lock, &turn, &waiting, false);
}

/*
 * Subtracts `by` from readers: 1 for a reader, -1 for a writer, -2 to turn a writer into a reader.
 */
static void leave(struct usermm_rwlock *lock, int by)
{
	bool wake;

	usermm_lock(&lock->lock);
	lock->readers -= by;
	wake = (lock->readers == 0 || by < 0) && next_turn(lock);
	usermm_unlock(&lock->lock);
	if (wake)
		futex_wake(&lock->turn, INT_MAX);
}

void usermm_read_unlock(struct usermm_rwlock *lock)
{
	leave(lock, 1);
}

void usermm_write_unlock(struct usermm_rwlock *lock)
{
	leave(lock, -1);
}

void down_read(struct rw_semaphore *sem)
{
	might_sleep();
	usermm_read_lock(&sem->lock);
}

void down_write(struct rw_semaphore *sem)
{
	might_sleep();
	usermm_write_lock(&sem->lock);
}

int down_read_trylock(struct rw_semaphore *sem)
{
	return usermm_read_trylock(&sem->lock);
}

int down_write_trylock(struct rw_semaphore *sem)
{
	return usermm_write_trylock(&sem->lock);
}

void up_read(struct rw_semaphore *sem)
{
	usermm_read_unlock(&sem->lock);
}

void up_write(struct rw_semaphore *sem)
{
	usermm_write_unlock(&sem->lock);
}

void downgrade_write(struct rw_semaphore *sem)
{
	leave(&sem->lock, -2);
}

int rwsem_is_locked(struct rw_semaphore *sem)
{
	return READ_ONCE(sem->lock.readers) != 0;
}

int rwsem_is_contended(struct rw_semaphore *sem)
{
	return READ_ONCE(sem->lock.writers_waiting) != 0;
}

void mutex_lock(struct mutex *mutex)
{
	might_sleep();
	usermm_lock(&mutex->lock);
	WRITE_ONCE(mutex->owner, current);
}

/* Only a task that works for a program may get a signal while it waits; it looks now and then. */
static int lock_unless(struct mutex *mutex, int (*is_signalled)(struct task_struct *task))
{
	if (!current->usermm_user) {
		mutex_lock(mutex);
		return 0;
	}
	might_sleep();
	while (!mutex_trylock(mutex)) {
		if (is_signalled(current))
			return -EINTR;
		usermm_nsleep(WAIT_NANOSECONDS);
	}
	return 0;
}

int mutex_lock_interruptible(struct mutex *mutex)
{
	return lock_unless(mutex, signal_pending);
}

int mutex_lock_killable(struct mutex *mutex)
{
	return lock_unless(mutex, fatal_signal_pending);
}

int mutex_trylock(struct mutex *mutex)
{
	if (!usermm_trylock(&mutex->lock))
		return 0;
	WRITE_ONCE(mutex->owner, current);
	return 1;
}

void mutex_unlock(struct mutex *mutex)
{
	WARN_ONCE(READ_ONCE(mutex->owner) != current,
		  "mutex_unlock() by a task that does not hold the mutex\n");
	WRITE_ONCE(mutex->owner, NULL);
	usermm_unlock(&mutex->lock);
}

bool mutex_is_locked(struct mutex *mutex)
{
	return READ_ONCE(mutex->lock.word);
}

int atomic_dec_and_mutex_lock(atomic_t *counter, struct mutex *mutex)
{
	if (atomic_add_unless(counter, -1, 1))
		return 0;
	mutex_lock(mutex);
	if (atomic_dec_and_test(counter))
		return 1;
	mutex_unlock(mutex);
	return 0;
}
