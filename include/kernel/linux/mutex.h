/* SPDX-License-Identifier: MIT */
/* Sleeping locks that are owned by the task that took them. */
#ifndef KERNEL_LINUX_MUTEX_H
#define KERNEL_LINUX_MUTEX_H

#include <asm/current.h>
#include <linux/cleanup.h>
#include <linux/debug_locks.h>
#include <linux/lockdep.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct mutex {
	struct usermm_lock lock;
	struct task_struct *owner;	/* Sync: atomic; the holder writes it */
};

#define __MUTEX_INITIALIZER(name) { { 0 }, NULL }
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)
#define mutex_init(m) ((void)(*(m) = (struct mutex)__MUTEX_INITIALIZER(m)))
#define mutex_init_with_key(lock, key) ((void)(key), mutex_init(lock))
#define __mutex_init(m, name, key) mutex_init(m)
#define mutex_destroy(mutex) ((void)(mutex))

USERMM_BEGIN_DECLS

void mutex_lock(struct mutex *mutex) USERMM_API(mutex_lock);
/* 0; or -EINTR if a signal ended the wait, the second only if it is fatal. */
int mutex_lock_interruptible(struct mutex *mutex) USERMM_API(mutex_lock_interruptible)
	__must_check;
int mutex_lock_killable(struct mutex *mutex) USERMM_API(mutex_lock_killable) __must_check;
int mutex_trylock(struct mutex *mutex) USERMM_API(mutex_trylock);
/* Warns if another task holds the mutex. */
void mutex_unlock(struct mutex *mutex) USERMM_API(mutex_unlock);
bool mutex_is_locked(struct mutex *mutex) USERMM_API(mutex_is_locked);
int atomic_dec_and_mutex_lock(atomic_t *counter, struct mutex *mutex)
	USERMM_API(atomic_dec_and_mutex_lock);

USERMM_END_DECLS

#define mutex_lock_io(mutex) mutex_lock(mutex)
#define mutex_lock_nested(mutex, subclass) mutex_lock(mutex)
#define mutex_lock_nest_lock(mutex, outer) mutex_lock(mutex)
#define mutex_lock_interruptible_nested(mutex, subclass) mutex_lock_interruptible(mutex)
#define mutex_lock_killable_nested(mutex, subclass) mutex_lock_killable(mutex)

DEFINE_LOCK_GUARD_1(mutex, struct mutex, mutex_lock(_T->lock), mutex_unlock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(mutex, _try, mutex_trylock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(mutex, _intr, mutex_lock_interruptible(_T->lock), _RET == 0)
DEFINE_LOCK_GUARD_1_COND(mutex, _kill, mutex_lock_killable(_T->lock), _RET == 0)

#endif
