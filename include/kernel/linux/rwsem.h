/* SPDX-License-Identifier: MIT */
/* Sleeping locks for many readers or one writer. */
#ifndef KERNEL_LINUX_RWSEM_H
#define KERNEL_LINUX_RWSEM_H

#include <asm/smp.h>
#include <asm/spinlock.h>
#include <linux/cleanup.h>
#include <linux/rwlock.h>
#include <linux/spinlock_types.h>
#include <linux/thread_info.h>
#include <usermm/compiler.h>

struct rw_semaphore {
	struct usermm_rwlock lock;
};

#define __RWSEM_INITIALIZER(name) { { { 0 }, 0, 0, 0 } }
#define DECLARE_RWSEM(name) struct rw_semaphore name = __RWSEM_INITIALIZER(name)
#define init_rwsem(sem) ((void)(*(sem) = (struct rw_semaphore)__RWSEM_INITIALIZER(sem)))
#define __init_rwsem(sem, name, key) init_rwsem(sem)

USERMM_BEGIN_DECLS

void down_read(struct rw_semaphore *sem) USERMM_API(down_read);
void down_write(struct rw_semaphore *sem) USERMM_API(down_write);
int down_read_trylock(struct rw_semaphore *sem) USERMM_API(down_read_trylock);
int down_write_trylock(struct rw_semaphore *sem) USERMM_API(down_write_trylock);
void up_read(struct rw_semaphore *sem) USERMM_API(up_read);
void up_write(struct rw_semaphore *sem) USERMM_API(up_write);
/* Turns the writer into a reader. */
void downgrade_write(struct rw_semaphore *sem) USERMM_API(downgrade_write);
int rwsem_is_locked(struct rw_semaphore *sem) USERMM_API(rwsem_is_locked);
int rwsem_is_contended(struct rw_semaphore *sem) USERMM_API(rwsem_is_contended);

USERMM_END_DECLS

#define down_read_interruptible(sem) ({ down_read(sem); 0; })
#define down_read_killable(sem) ({ down_read(sem); 0; })
#define down_write_killable(sem) ({ down_write(sem); 0; })
#define down_read_nested(sem, subclass) down_read(sem)
#define down_write_nested(sem, subclass) down_write(sem)
#define down_read_non_owner(sem) down_read(sem)
#define up_read_non_owner(sem) up_read(sem)

DEFINE_LOCK_GUARD_1(rwsem_read, struct rw_semaphore, down_read(_T->lock), up_read(_T->lock))
DEFINE_LOCK_GUARD_1_COND(rwsem_read, _try, down_read_trylock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(rwsem_read, _intr, down_read_interruptible(_T->lock), _RET == 0)
DEFINE_LOCK_GUARD_1(rwsem_write, struct rw_semaphore, down_write(_T->lock), up_write(_T->lock))
DEFINE_LOCK_GUARD_1_COND(rwsem_write, _try, down_write_trylock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(rwsem_write, _kill, down_write_killable(_T->lock), _RET == 0)

#endif
