/* SPDX-License-Identifier: MIT */
/* Locks for per-CPU data. Each holds the CPU, as preempt_disable() does. */
#ifndef KERNEL_LINUX_LOCAL_LOCK_H
#define KERNEL_LINUX_LOCAL_LOCK_H

#include <asm/irqflags.h>
#include <asm/preempt.h>
#include <asm/smp.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/thread_info.h>

typedef struct {
	char unused;
} local_lock_t;

#define INIT_LOCAL_LOCK(name) { 0 }
#define local_lock_init(lock) ((void)(lock))
#define local_lock_nested_bh(lock) ((void)(lock))
#define local_unlock_nested_bh(lock) ((void)(lock))

/* A lock that a holder's own interrupt finds taken, so it may try it and never deadlocks. */
typedef struct {
	u8 acquired;
} local_trylock_t;

#define INIT_LOCAL_TRYLOCK(name) { 0 }
#define local_trylock_init(lock) ((void)((lock)->acquired = 0))
#define local_lock_is_locked(lock) (READ_ONCE(this_cpu_ptr(lock)->acquired) != 0)

static __always_inline bool usermm_local_trylock(local_trylock_t *lock)
{
	if (READ_ONCE(lock->acquired))
		return false;
	WRITE_ONCE(lock->acquired, 1);
	return true;
}

static __always_inline void usermm_local_lock(void *lock, bool is_trylock, bool taken)
{
	if (is_trylock)
		WRITE_ONCE(((local_trylock_t *)lock)->acquired, taken);
}

#define USERMM_IS_TRYLOCK(lock) \
	_Generic((lock), local_trylock_t *: true, default: false)
#define USERMM_LOCAL_SET(lock, taken) \
	usermm_local_lock((void *)this_cpu_ptr(lock), USERMM_IS_TRYLOCK(lock), taken)

#define local_lock(lock) (preempt_disable(), USERMM_LOCAL_SET(lock, true))
#define local_unlock(lock) (USERMM_LOCAL_SET(lock, false), preempt_enable())
#define local_lock_irq(lock) (local_irq_disable(), USERMM_LOCAL_SET(lock, true))
#define local_unlock_irq(lock) (USERMM_LOCAL_SET(lock, false), local_irq_enable())
#define local_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); USERMM_LOCAL_SET(lock, true); } while (0)
#define local_unlock_irqrestore(lock, flags) \
	do { USERMM_LOCAL_SET(lock, false); local_irq_restore(flags); } while (0)
#define local_trylock(lock)						\
	({								\
		bool local_taken_;					\
									\
		preempt_disable();					\
		local_taken_ = usermm_local_trylock(this_cpu_ptr(lock)); \
		if (!local_taken_)					\
			preempt_enable();				\
		local_taken_;						\
	})
#define local_trylock_irqsave(lock, flags)				\
	({								\
		bool local_taken_;					\
									\
		local_irq_save(flags);					\
		local_taken_ = usermm_local_trylock(this_cpu_ptr(lock)); \
		if (!local_taken_)					\
			local_irq_restore(flags);			\
		local_taken_;						\
	})

#endif
