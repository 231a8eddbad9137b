/* SPDX-License-Identifier: MIT */
/*
 * Threads and CPUs of the simulated machine.
 *
 * Each thread belongs to one of the machine's CPUs, 0 .. nr_cpu_ids - 1. In the kernel, disabled
 * preemption or interrupts and spin locks keep a thread on its CPU. Here a thread in such a section
 * holds the CPU's lock (it "holds the CPU"), and sections nest. So at most one thread of a CPU is
 * inside such a section, and its CPU does not change there.
 *
 * A thread gets its CPU when it first needs one. `bound` is 0 until then, and again after its
 * affinity was changed; the thread then moves when it is outside of a section. A thread that may
 * run on several CPUs enters a section on one that is free.
 */
#ifndef KERNEL_ASM_CURRENT_H
#define KERNEL_ASM_CURRENT_H

#include <asm/barrier.h>
#include <asm/cache.h>
#include <linux/build_bug.h>
#include <linux/linkage.h>
#include <linux/threads.h>
#include <linux/types.h>

/* A futex lock: 0 free, 1 held. usermm_lock_sleepers() counts the threads that sleep on it. */
struct usermm_lock {
	unsigned int word;	/* Sync: atomic */
};

struct usermm_cpu_call;

struct usermm_cpu {
	struct usermm_lock lock;
	struct usermm_cpu_call *calls;	/* Sync: atomic; calls that others sent to this CPU */
} __attribute__((aligned(64)));

struct usermm_context {
	unsigned int bound;		/* Sync: atomic; others clear it */
	unsigned int cpu;		/* the thread's own */
	unsigned int count;		/* the thread's own; not 0: holds its CPU */
	unsigned int migration_disabled; /* the thread's own; nesting depth */
	unsigned int rcu_nesting;	/* the thread's own */
	unsigned int rcu_phase;		/* Sync: atomic; not 0: phase when its RCU section began */
	unsigned int registered;	/* the thread's own */
	struct task_struct *task;	/* the thread's own */
	struct usermm_context *next;	/* Sync: the registry's lock */
};

/* Fields of count: those of preempt_count(), and a bit for disabled interrupts. */
#define PREEMPT_SHIFT 0
#define SOFTIRQ_SHIFT 8
#define HARDIRQ_SHIFT 16
#define NMI_SHIFT 20
#define PREEMPT_MASK 0x000000ffu
#define SOFTIRQ_MASK 0x0000ff00u
#define HARDIRQ_MASK 0x000f0000u
#define NMI_MASK 0x00f00000u
#define PREEMPT_OFFSET (1u << PREEMPT_SHIFT)
#define SOFTIRQ_OFFSET (1u << SOFTIRQ_SHIFT)
#define SOFTIRQ_DISABLE_OFFSET (2 * SOFTIRQ_OFFSET)
#define HARDIRQ_OFFSET (1u << HARDIRQ_SHIFT)
#define USERMM_IRQS_OFF (1u << 30)

extern __thread struct usermm_context usermm_context
	__attribute__((visibility("default")));
extern struct usermm_cpu usermm_cpus[] __attribute__((visibility("default")));
/*
 * True if membarrier(2) works. usermm_heavy_fence() then orders both sides, and
 * usermm_light_fence() only keeps the compiler from moving accesses. Sync: written before there are
 * threads.
 */
extern bool usermm_fences_are_light __attribute__((visibility("default")));

void usermm_cpu_bind(void) __attribute__((visibility("default"), cold));
void usermm_cpu_acquire_slow(void) __attribute__((visibility("default")));
void usermm_cpu_release_slow(void) __attribute__((visibility("default")));
void usermm_thread_register(void) __attribute__((visibility("default"), cold));
void usermm_lock_slow(struct usermm_lock *lock) __attribute__((visibility("default")));
void usermm_unlock_slow(struct usermm_lock *lock) __attribute__((visibility("default")));

static __always_inline struct usermm_context *usermm_self(void)
{
	struct usermm_context *self = &usermm_context;

#ifdef __SANITIZE_ADDRESS__
	/*
	 * The linker may turn the addition that computes the address into a lea, but the
	 * sanitizer's check for NULL needs the flags of this addition (gcc 12, binutils 2.40).
	 */
	OPTIMIZER_HIDE_VAR(self);
#endif
	return self;
}

/*
 * A fence for the side that runs often; the other side calls usermm_heavy_fence(). If both sides
 * store before their fence and load behind it, at least one of them sees the other one's store.
 */
static __always_inline void usermm_light_fence(void)
{
	if (likely(__atomic_load_n(&usermm_fences_are_light, __ATOMIC_RELAXED)))
		barrier();
	else
		smp_mb();
}

#define USERMM_LOCK_BUCKETS 256
extern unsigned int usermm_lock_buckets[USERMM_LOCK_BUCKETS]
	__attribute__((visibility("default")));

/*
 * How many threads may sleep on this lock, or on another one of its bucket. Sync: atomic. A count
 * within the lock would make an unlock that is one plain store impossible.
 */
static __always_inline unsigned int *usermm_lock_sleepers(const struct usermm_lock *lock)
{
	return &usermm_lock_buckets[(unsigned long)lock / 16 % USERMM_LOCK_BUCKETS];
}

static __always_inline bool usermm_trylock(struct usermm_lock *lock)
{
	unsigned int free = 0;

	/* Acquire: pairs with the release in usermm_unlock(). */
	return __atomic_compare_exchange_n(&lock->word, &free, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static __always_inline void usermm_lock(struct usermm_lock *lock)
{
	if (unlikely(!usermm_trylock(lock)))
		usermm_lock_slow(lock);
}

static __always_inline void usermm_unlock(struct usermm_lock *lock)
{
	/* Release: pairs with the acquire in usermm_trylock(). */
	__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
	/*
	 * This thread sees the sleeper, or the sleeper sees that the lock is free: pairs with
	 * prepare_to_sleep().
	 */
	usermm_light_fence();
	if (unlikely(READ_ONCE(*usermm_lock_sleepers(lock))))
		usermm_unlock_slow(lock);
}

static __always_inline void usermm_cpu_hold(unsigned int amount)
{
	struct usermm_context *self = usermm_self();

	if (!self->count &&
	    unlikely(!READ_ONCE(self->bound) ||
		     !usermm_trylock(&usermm_cpus[self->cpu].lock)))
		usermm_cpu_acquire_slow();
	self->count += amount;
	barrier();
}

static __always_inline void usermm_cpu_drop(unsigned int amount)
{
	struct usermm_context *self = usermm_self();
	struct usermm_cpu *cpu = &usermm_cpus[self->cpu];

	barrier();
	if (self->count != amount) {
		self->count -= amount;
	} else if (unlikely(READ_ONCE(cpu->calls))) {
		usermm_cpu_release_slow();
	} else {
		self->count = 0;
		barrier();
		usermm_unlock(&cpu->lock);
	}
}

static __always_inline unsigned int usermm_cpu_id(void)
{
	struct usermm_context *self = usermm_self();

	if (unlikely(!READ_ONCE(self->bound)) && !self->count)
		usermm_cpu_bind();
	return self->cpu;
}

struct task_struct;

static __always_inline struct task_struct *get_current(void)
{
	if (unlikely(!usermm_self()->task))
		usermm_thread_register();
	return usermm_self()->task;
}

#define current get_current()

#endif
