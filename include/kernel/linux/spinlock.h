/* SPDX-License-Identifier: MIT */
/*
 * Spin locks. The holder keeps its CPU and must not sleep. A waiter spins briefly, then sleeps in
 * the system, since there may be more simulated CPUs than processors.
 */
#ifndef KERNEL_LINUX_SPINLOCK_H
#define KERNEL_LINUX_SPINLOCK_H

#include <linux/bottom_half.h>
#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/spinlock_types.h>
#include <usermm/compiler.h>

#define SPIN_CONTEXT(name, enter, leave)					\
	static __always_inline void name(raw_spinlock_t *lock)			\
	{									\
		enter;								\
		usermm_lock(&lock->raw_lock);					\
	}									\
	static __always_inline void name##_unlock(raw_spinlock_t *lock)	\
	{									\
		usermm_unlock(&lock->raw_lock);					\
		leave;								\
	}									\
	static __always_inline bool name##_trylock(raw_spinlock_t *lock)	\
	{									\
		enter;								\
		if (usermm_trylock(&lock->raw_lock))				\
			return true;						\
		leave;								\
		return false;							\
	}

SPIN_CONTEXT(usermm_spin, preempt_disable(), preempt_enable())
SPIN_CONTEXT(usermm_spin_bh, local_bh_disable(), local_bh_enable())
#undef SPIN_CONTEXT

/* Disables interrupts; usermm_spin() then also disables preemption, and takes the lock. */
static __always_inline void usermm_spin_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	usermm_spin(lock);
}

static __always_inline void usermm_spin_irq_unlock(raw_spinlock_t *lock)
{
	usermm_spin_unlock(lock);
	local_irq_enable();
}

static __always_inline bool usermm_spin_irq_trylock(raw_spinlock_t *lock)
{
	local_irq_disable();
	if (usermm_spin_trylock(lock))
		return true;
	local_irq_enable();
	return false;
}

static __always_inline unsigned long usermm_spin_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags = usermm_irq_save();

	usermm_spin(lock);
	return flags;
}

static __always_inline void usermm_spin_irqrestore(raw_spinlock_t *lock, unsigned long flags)
{
	usermm_spin_unlock(lock);
	usermm_irq_restore(flags);
}

static __always_inline bool usermm_spin_trylock_irqsave(raw_spinlock_t *lock,
							unsigned long *flags)
{
	*flags = usermm_irq_save();
	if (usermm_spin_trylock(lock))
		return true;
	usermm_irq_restore(*flags);
	return false;
}

#define raw_spin_lock_init(lock) ((void)(*(lock) = (raw_spinlock_t)__RAW_SPIN_LOCK_UNLOCKED()))
#define raw_spin_lock(lock) usermm_spin(lock)
#define raw_spin_lock_nested(lock, subclass) usermm_spin(lock)
#define raw_spin_lock_bh(lock) usermm_spin_bh(lock)
#define raw_spin_lock_irq(lock) usermm_spin_irq(lock)
#define raw_spin_lock_irqsave(lock, flags) \
	((void)(typecheck(unsigned long, flags), (flags) = usermm_spin_irqsave(lock)))
#define raw_spin_lock_irqsave_nested(lock, flags, subclass) raw_spin_lock_irqsave(lock, flags)
#define raw_spin_unlock(lock) usermm_spin_unlock(lock)
#define raw_spin_unlock_bh(lock) usermm_spin_bh_unlock(lock)
#define raw_spin_unlock_irq(lock) usermm_spin_irq_unlock(lock)
#define raw_spin_unlock_irqrestore(lock, flags) usermm_spin_irqrestore(lock, flags)
#define raw_spin_trylock(lock) usermm_spin_trylock(lock)
#define raw_spin_trylock_bh(lock) usermm_spin_bh_trylock(lock)
#define raw_spin_trylock_irq(lock) usermm_spin_irq_trylock(lock)
#define raw_spin_trylock_irqsave(lock, flags) usermm_spin_trylock_irqsave(lock, &(flags))
#define raw_spin_is_locked(lock) (READ_ONCE((lock)->raw_lock.word) != 0)
#define raw_spin_is_contended(lock) (READ_ONCE(*usermm_lock_sleepers(&(lock)->raw_lock)) != 0)
#define assert_raw_spin_locked(lock) BUG_ON(!raw_spin_is_locked(lock))

#define spin_lock_init(lock) ((void)(*(lock) = (spinlock_t)__SPIN_LOCK_UNLOCKED()))
#define spin_lock(lock) raw_spin_lock(&(lock)->rlock)
#define spin_lock_bh(lock) raw_spin_lock_bh(&(lock)->rlock)
#define spin_lock_irq(lock) raw_spin_lock_irq(&(lock)->rlock)
#define spin_unlock(lock) raw_spin_unlock(&(lock)->rlock)
#define spin_unlock_bh(lock) raw_spin_unlock_bh(&(lock)->rlock)
#define spin_unlock_irq(lock) raw_spin_unlock_irq(&(lock)->rlock)
#define spin_trylock(lock) raw_spin_trylock(&(lock)->rlock)
#define spin_trylock_bh(lock) raw_spin_trylock_bh(&(lock)->rlock)
#define spin_trylock_irq(lock) raw_spin_trylock_irq(&(lock)->rlock)
#define spin_is_locked(lock) raw_spin_is_locked(&(lock)->rlock)
#define spin_is_contended(lock) raw_spin_is_contended(&(lock)->rlock)
#define spin_lock_nested(lock, subclass) spin_lock(lock)
#define spin_lock_nest_lock(lock, outer) spin_lock(lock)
#define spin_lock_bh_nested(lock, subclass) spin_lock_bh(lock)
#define spin_lock_irqsave(lock, flags) raw_spin_lock_irqsave(&(lock)->rlock, flags)
#define spin_lock_irqsave_nested(lock, flags, subclass) spin_lock_irqsave(lock, flags)
#define spin_unlock_irqrestore(lock, flags) raw_spin_unlock_irqrestore(&(lock)->rlock, flags)
#define spin_trylock_irqsave(lock, flags) raw_spin_trylock_irqsave(&(lock)->rlock, flags)
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 14, 0)
#define spin_unlock_wait(lock) \
	do { spin_lock(lock); spin_unlock(lock); } while (0)
#else
USERMM_REMOVED(spin_unlock_wait, "4.14", "spin_lock() and spin_unlock()")
#endif
#define assert_spin_locked(lock) assert_raw_spin_locked(&(lock)->rlock)

/* Many readers or one writer. */
void usermm_read_lock(struct usermm_rwlock *lock) __attribute__((visibility("default")));
void usermm_write_lock(struct usermm_rwlock *lock) __attribute__((visibility("default")));
bool usermm_read_trylock(struct usermm_rwlock *lock) __attribute__((visibility("default")));
bool usermm_write_trylock(struct usermm_rwlock *lock) __attribute__((visibility("default")));
void usermm_read_unlock(struct usermm_rwlock *lock) __attribute__((visibility("default")));
void usermm_write_unlock(struct usermm_rwlock *lock) __attribute__((visibility("default")));

#define rwlock_init(lock) ((void)(*(lock) = (rwlock_t)__RW_LOCK_UNLOCKED()))
#define read_lock(lock) \
	do { preempt_disable(); usermm_read_lock(&(lock)->raw_lock); } while (0)
#define read_lock_bh(lock) \
	do { local_bh_disable(); usermm_read_lock(&(lock)->raw_lock); } while (0)
#define read_lock_irq(lock) \
	do { local_irq_disable(); read_lock(lock); } while (0)
#define read_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); read_lock(lock); } while (0)
#define read_unlock(lock) \
	do { usermm_read_unlock(&(lock)->raw_lock); preempt_enable(); } while (0)
#define read_unlock_bh(lock) \
	do { usermm_read_unlock(&(lock)->raw_lock); local_bh_enable(); } while (0)
#define read_unlock_irq(lock) \
	do { read_unlock(lock); local_irq_enable(); } while (0)
#define read_unlock_irqrestore(lock, flags) \
	do { read_unlock(lock); local_irq_restore(flags); } while (0)
#define read_trylock(lock)						\
	({								\
		bool taken_;						\
									\
		preempt_disable();					\
		taken_ = usermm_read_trylock(&(lock)->raw_lock);	\
		if (!taken_)						\
			preempt_enable();				\
		taken_;							\
	})
#define write_lock(lock) \
	do { preempt_disable(); usermm_write_lock(&(lock)->raw_lock); } while (0)
#define write_lock_bh(lock) \
	do { local_bh_disable(); usermm_write_lock(&(lock)->raw_lock); } while (0)
#define write_lock_irq(lock) \
	do { local_irq_disable(); write_lock(lock); } while (0)
#define write_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); write_lock(lock); } while (0)
#define write_unlock(lock) \
	do { usermm_write_unlock(&(lock)->raw_lock); preempt_enable(); } while (0)
#define write_unlock_bh(lock) \
	do { usermm_write_unlock(&(lock)->raw_lock); local_bh_enable(); } while (0)
#define write_unlock_irq(lock) \
	do { write_unlock(lock); local_irq_enable(); } while (0)
#define write_unlock_irqrestore(lock, flags) \
	do { write_unlock(lock); local_irq_restore(flags); } while (0)
#define write_trylock(lock)						\
	({								\
		bool taken_;						\
									\
		preempt_disable();					\
		taken_ = usermm_write_trylock(&(lock)->raw_lock);	\
		if (!taken_)						\
			preempt_enable();				\
		taken_;							\
	})

DEFINE_LOCK_GUARD_1(spinlock, spinlock_t, spin_lock(_T->lock),
		    spin_unlock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(spinlock, _try, spin_trylock(_T->lock))
DEFINE_LOCK_GUARD_1(spinlock_irq, spinlock_t, spin_lock_irq(_T->lock),
		    spin_unlock_irq(_T->lock))
DEFINE_LOCK_GUARD_1_COND(spinlock_irq, _try, spin_trylock_irq(_T->lock))
DEFINE_LOCK_GUARD_1(spinlock_bh, spinlock_t, spin_lock_bh(_T->lock),
		    spin_unlock_bh(_T->lock))
DEFINE_LOCK_GUARD_1_COND(spinlock_bh, _try, spin_trylock_bh(_T->lock))
DEFINE_LOCK_GUARD_1(spinlock_irqsave, spinlock_t, spin_lock_irqsave(_T->lock, _T->flags),
		    spin_unlock_irqrestore(_T->lock, _T->flags), unsigned long flags)
DEFINE_LOCK_GUARD_1_COND(spinlock_irqsave, _try,
			 spin_trylock_irqsave(_T->lock, _T->flags))
DEFINE_LOCK_GUARD_1(raw_spinlock, raw_spinlock_t, raw_spin_lock(_T->lock),
		    raw_spin_unlock(_T->lock))
DEFINE_LOCK_GUARD_1_COND(raw_spinlock, _try, raw_spin_trylock(_T->lock))
DEFINE_LOCK_GUARD_1(raw_spinlock_irq, raw_spinlock_t, raw_spin_lock_irq(_T->lock),
		    raw_spin_unlock_irq(_T->lock))
DEFINE_LOCK_GUARD_1_COND(raw_spinlock_irq, _try, raw_spin_trylock_irq(_T->lock))
DEFINE_LOCK_GUARD_1(raw_spinlock_bh, raw_spinlock_t, raw_spin_lock_bh(_T->lock),
		    raw_spin_unlock_bh(_T->lock))
DEFINE_LOCK_GUARD_1_COND(raw_spinlock_bh, _try, raw_spin_trylock_bh(_T->lock))
DEFINE_LOCK_GUARD_1(raw_spinlock_irqsave, raw_spinlock_t, raw_spin_lock_irqsave(_T->lock,
		    _T->flags),
		    raw_spin_unlock_irqrestore(_T->lock, _T->flags), unsigned long flags)
DEFINE_LOCK_GUARD_1_COND(raw_spinlock_irqsave, _try,
			 raw_spin_trylock_irqsave(_T->lock, _T->flags))
DEFINE_LOCK_GUARD_1(read_lock, rwlock_t, read_lock(_T->lock), read_unlock(_T->lock))
DEFINE_LOCK_GUARD_1(read_lock_irq, rwlock_t, read_lock_irq(_T->lock), read_unlock_irq(_T->lock))
DEFINE_LOCK_GUARD_1(read_lock_bh, rwlock_t, read_lock_bh(_T->lock), read_unlock_bh(_T->lock))
DEFINE_LOCK_GUARD_1(read_lock_irqsave, rwlock_t, read_lock_irqsave(_T->lock, _T->flags),
		    read_unlock_irqrestore(_T->lock, _T->flags), unsigned long flags)
DEFINE_LOCK_GUARD_1(write_lock, rwlock_t, write_lock(_T->lock), write_unlock(_T->lock))
DEFINE_LOCK_GUARD_1(write_lock_irq, rwlock_t, write_lock_irq(_T->lock), write_unlock_irq(_T->lock))
DEFINE_LOCK_GUARD_1(write_lock_bh, rwlock_t, write_lock_bh(_T->lock),
		    write_unlock_bh(_T->lock))
DEFINE_LOCK_GUARD_1(write_lock_irqsave, rwlock_t, write_lock_irqsave(_T->lock, _T->flags),
		    write_unlock_irqrestore(_T->lock, _T->flags), unsigned long flags)

#endif
