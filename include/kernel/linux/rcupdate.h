/* SPDX-License-Identifier: MIT */
/*
 * Read-copy update. Readers mark where they begin and end. synchronize_rcu() waits for all readers
 * that have begun, and for code with preemption off. Readers may sleep here.
 */
#ifndef KERNEL_LINUX_RCUPDATE_H
#define KERNEL_LINUX_RCUPDATE_H

#include <asm/current.h>
#include <asm/irqflags.h>
#include <asm/smp.h>
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/thread_info.h>
#include <linux/types.h>
#include <usermm/compiler.h>

extern unsigned int usermm_rcu_phase __attribute__((visibility("default")));	/* Sync: atomic */

static __always_inline void rcu_read_lock(void)
{
	struct usermm_context *self = usermm_self();

	if (self->rcu_nesting++)
		return;
	if (unlikely(!self->registered))
		usermm_thread_register();
	/*
	 * release: after the reads of an earlier section. A grace period may see this store without
	 * having seen that of rcu_read_unlock().
	 */
	__atomic_store_n(&self->rcu_phase, READ_ONCE(usermm_rcu_phase), __ATOMIC_RELEASE);
	/* Store the phase before the section's reads; pairs with change_phase(). */
	usermm_light_fence();
}

static __always_inline void rcu_read_unlock(void)
{
	struct usermm_context *self = usermm_self();

	if (--self->rcu_nesting)
		return;
	/*
	 * release: after the section's reads; pairs with somebody_reads() in
	 * kernel/locking/rcupdate.c
	 */
	__atomic_store_n(&self->rcu_phase, 0, __ATOMIC_RELEASE);
}

#define rcu_read_lock_held() (usermm_self()->rcu_nesting != 0)
#define rcu_read_lock_any_held() (rcu_read_lock_held() || !preemptible())
#define rcu_read_lock_bh_held() rcu_read_lock_any_held()
#define rcu_read_lock_sched_held() rcu_read_lock_any_held()
#define rcu_read_lock_bh() do { local_bh_disable(); rcu_read_lock(); } while (0)
#define rcu_read_unlock_bh() do { rcu_read_unlock(); local_bh_enable(); } while (0)
#define rcu_read_lock_sched() preempt_disable()
#define rcu_read_unlock_sched() preempt_enable()
#define rcu_read_lock_sched_notrace() preempt_disable()
#define rcu_read_unlock_sched_notrace() preempt_enable()

#define RCU_INITIALIZER(v) (v)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)
#define RCU_POINTER_INITIALIZER(p, v) .p = (v)
#define rcu_assign_pointer(p, v)					\
	do {								\
		__typeof__(p) rcu_value_ = (v);				\
									\
		__atomic_store_n(&(p), rcu_value_, __ATOMIC_RELEASE);	\
	} while (0)
#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_CONSUME)
#define rcu_dereference_raw(p) rcu_dereference(p)
#define rcu_dereference_raw_check(p) rcu_dereference(p)
#define rcu_dereference_bh(p) rcu_dereference(p)
#define rcu_dereference_sched(p) rcu_dereference(p)
#define rcu_dereference_check(p, condition) rcu_dereference(p)
#define rcu_dereference_all(p) rcu_dereference(p)
#define rcu_dereference_all_check(p, condition) rcu_dereference(p)
#define rcu_dereference_bh_check(p, condition) rcu_dereference(p)
#define rcu_dereference_protected(p, condition) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_pointer_handoff(p) (p)
#define unrcu_pointer(p) (p)
#define rcu_replace_pointer(p, v, condition)				\
	({								\
		__typeof__(p) rcu_old_ = (p);				\
									\
		rcu_assign_pointer(p, v);				\
		rcu_old_;						\
	})
#define RCU_LOCKDEP_WARN(condition, text) ((void)0)
#define rcu_sleep_check() ((void)0)

USERMM_BEGIN_DECLS

void synchronize_rcu(void) USERMM_API(synchronize_rcu);
/* Calls function(head) after a grace period, in RCU's own thread. */
void call_rcu(struct rcu_head *head, rcu_callback_t function) USERMM_API(call_rcu);
/* Starts RCU's thread. Call it early: it must not start while memory is being given back. */
void usermm_rcu_start(void);
/* Waits until the functions of all call_rcu() so far have run. */
void rcu_barrier(void) USERMM_API(rcu_barrier);
unsigned long get_state_synchronize_rcu(void) USERMM_API(get_state_synchronize_rcu);
unsigned long start_poll_synchronize_rcu(void) USERMM_API(start_poll_synchronize_rcu);
bool poll_state_synchronize_rcu(unsigned long state) USERMM_API(poll_state_synchronize_rcu);
void cond_synchronize_rcu(unsigned long state) USERMM_API(cond_synchronize_rcu);

/* kvfree() after a grace period. head is inside the object; if it is NULL, the caller waits. */
void usermm_kvfree_rcu(struct rcu_head *head, const void *object)
	__attribute__((visibility("default")));
void kvfree_rcu_barrier(void) USERMM_API(kvfree_rcu_barrier);

USERMM_END_DECLS

/* What head is: here both have the size of struct rcu_head. */
#define USERMM_RCU_HEAD(head)						\
	((struct rcu_head *)_Generic((head), struct rcu_head *: (head),	\
				     struct kvfree_rcu_head *: (head)))
#define KVFREE_RCU_2(ptr, field)					\
	do {								\
		__typeof__(ptr) free_ = (ptr);				\
									\
		if (free_)						\
			usermm_kvfree_rcu(USERMM_RCU_HEAD(&free_->field), free_); \
	} while (0)
#define KVFREE_RCU_1(ptr)						\
	do {								\
		__typeof__(ptr) free_ = (ptr);				\
									\
		if (free_)						\
			usermm_kvfree_rcu(NULL, free_);			\
	} while (0)
#define KVFREE_RCU_PICK(a, b, pick, ...) pick
/* Up to Linux 6.3 the field could be left out if the caller may wait. */
#define kvfree_rcu(args...) KVFREE_RCU_PICK(args, KVFREE_RCU_2, KVFREE_RCU_1, )(args)
#define kfree_rcu(args...) kvfree_rcu(args)
#define kvfree_rcu_mightsleep(ptr) KVFREE_RCU_1(ptr)
#define kfree_rcu_mightsleep(ptr) KVFREE_RCU_1(ptr)

/* The head has one word (struct kvfree_rcu_head), or two (struct rcu_head). */
#define kfree_rcu_nolock(ptr, field)					\
	do {								\
		__typeof__(ptr) free_ = (ptr);				\
									\
		if (free_)						\
			usermm_kvfree_rcu(USERMM_RCU_HEAD(&free_->field), free_); \
	} while (0)

#define call_rcu_hurry(head, function) call_rcu(head, function)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 1, 0)
#define call_rcu_bh(head, function) call_rcu(head, function)
#define call_rcu_sched(head, function) call_rcu(head, function)
#else
USERMM_REMOVED(call_rcu_bh, "5.1", "call_rcu()")
USERMM_REMOVED(call_rcu_sched, "5.1", "call_rcu()")
#endif
#define call_rcu_tasks(head, function) call_rcu(head, function)
#define synchronize_rcu_expedited() synchronize_rcu()
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 1, 0)
#define synchronize_rcu_bh() synchronize_rcu()
#define synchronize_sched() synchronize_rcu()
#else
USERMM_REMOVED(synchronize_rcu_bh, "5.1", "synchronize_rcu()")
USERMM_REMOVED(synchronize_sched, "5.1", "synchronize_rcu()")
#endif
#define synchronize_net() synchronize_rcu()
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 1, 0)
#define rcu_barrier_bh() rcu_barrier()
#define rcu_barrier_sched() rcu_barrier()
#else
USERMM_REMOVED(rcu_barrier_bh, "5.1", "rcu_barrier()")
USERMM_REMOVED(rcu_barrier_sched, "5.1", "rcu_barrier()")
#endif
/* Prepares a head for rcu_head_after_call_rcu(). */
#define rcu_head_init(head) ((void)((head)->func = (rcu_callback_t)~0L))
#define init_rcu_head(head) ((void)(head))
#define destroy_rcu_head(head) ((void)(head))
#define init_rcu_head_on_stack(head) ((void)(head))
#define destroy_rcu_head_on_stack(head) ((void)(head))
#define rcu_softirq_qs() ((void)0)
#define rcu_is_watching() true
#define rcu_expedite_gp() ((void)0)
#define rcu_unexpedite_gp() ((void)0)
#define cond_resched_tasks_rcu_qs() cond_resched()

/* Was call_rcu() called for the head, with this function? */
static inline bool rcu_head_after_call_rcu(struct rcu_head *head, rcu_callback_t function)
{
	rcu_callback_t now = READ_ONCE(head->func);

	WARN_ON_ONCE(now != function && now != (rcu_callback_t)~0L);
	return now == function;
}

DEFINE_LOCK_GUARD_0(rcu, rcu_read_lock(), rcu_read_unlock())

#endif
