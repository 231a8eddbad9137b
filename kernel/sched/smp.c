// SPDX-License-Identifier: MIT
/*
 * The simulated CPUs: which one a thread is on, holding a CPU, calls from one to another.
 *
 * A CPU is a lock (asm/current.h). A call to another CPU is put on this CPU's list. It runs in the
 * thread that holds the CPU, when this thread releases the CPU or waits; or in the caller, if the
 * CPU is free. So two CPUs that call each other with preemption off do not deadlock.
 *
 * Order of locks: a thread that holds a CPU takes a second one only by trylock.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "context.h"
#include "module/environment.h"
#include "locking/futex.h"

/* Values of the system's linux/membarrier.h. */
#define MEMBARRIER_PRIVATE_EXPEDITED (1 << 3)
#define MEMBARRIER_REGISTER_PRIVATE_EXPEDITED (1 << 4)

__thread struct usermm_context usermm_context;
struct usermm_cpu usermm_cpus[NR_CPUS];

#ifdef __SANITIZE_THREAD__
unsigned int usermm_fence_word;
#endif

/* Sync: written before there are modules. */
unsigned int nr_cpu_ids;
struct cpumask __cpu_online_mask;

static cpu_set_t process_cpus;		/* processors that the process may run on */

void usermm_kernel_set_cpus(unsigned int nr)
{
	nr_cpu_ids = clamp(nr, 1u, (unsigned int)NR_CPUS);
	cpumask_clear(&__cpu_online_mask);
	bitmap_set(cpumask_bits(&__cpu_online_mask), 0, nr_cpu_ids);
	usermm_nodes_set_cpus();
}

bool usermm_fences_are_light;
unsigned int usermm_lock_buckets[USERMM_LOCK_BUCKETS];

void usermm_heavy_fence(void)
{
	smp_mb();
	/* make_fences_light() has tried the call. If it fails now, a filter was set since. */
	if (usermm_fences_are_light && syscall(SYS_membarrier, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0))
		panic("membarrier() failed, which worked before\n");
}

/* The sanitizer for threads does not know membarrier(). */
__attribute__((constructor(101))) static void make_fences_light(void)
{
#ifndef __SANITIZE_THREAD__
	usermm_fences_are_light =
		!syscall(SYS_membarrier, MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
		!syscall(SYS_membarrier, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0);
#endif
}

__attribute__((constructor(101))) static void count_cpus(void)
{
	char wish[16];
	unsigned int nr = 0;

	if (sched_getaffinity(0, sizeof(process_cpus), &process_cpus))
		CPU_SET(0, &process_cpus);
	if (usermm_environment("USERMM_KERNEL_CPUS", wish, sizeof(wish)) < 0 ||
	    kstrtouint(wish, 10, &nr) || !nr)
		nr = (unsigned int)get_nprocs();
	usermm_kernel_set_cpus(nr);
}

/* The processor that a CPU is pinned to. CPUs share processors if there are fewer processors. */
int usermm_cpu_processor(unsigned int cpu)
{
	unsigned int index = cpu % (unsigned int)CPU_COUNT(&process_cpus);
	int processor = 0;

	while (!CPU_ISSET(processor, &process_cpus) || index--)
		processor++;
	return processor;
}

void usermm_pin_thread(unsigned long thread, unsigned int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(usermm_cpu_processor(cpu), &one);
	pthread_setaffinity_np((pthread_t)thread, sizeof(one), &one);
}

void usermm_unpin_thread(unsigned long thread)
{
	pthread_setaffinity_np((pthread_t)thread, sizeof(process_cpus), &process_cpus);
}

/* Runs the calls for this CPU, which the thread holds, as an interrupt would. */
static void serve_calls(struct usermm_cpu *cpu)
{
	unsigned int count = usermm_self()->count;
	struct usermm_cpu_call *call, *next;

	/* acquire: the call's fields; pairs with the release in call_cpu() */
	call = __atomic_exchange_n(&cpu->calls, NULL, __ATOMIC_ACQUIRE);
	usermm_self()->count = count | USERMM_IRQS_OFF | HARDIRQ_OFFSET;
	for (; call; call = next) {
		next = call->next;
		call->function(call->info);
		/* release: pairs with the acquire in call_cpu(), after which the call is gone */
		__atomic_store_n(&call->done, true, __ATOMIC_RELEASE);
	}
	usermm_self()->count = count;
}

void usermm_poll_calls(void)
{
	struct usermm_cpu *cpu = &usermm_cpus[usermm_self()->cpu];

	if (usermm_self()->count && !irqs_disabled() && READ_ONCE(cpu->calls))
		serve_calls(cpu);
}

void usermm_cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" : : : "memory");
#else
	barrier();
#endif
	usermm_poll_calls();
}

#define SPINS 100
#define WAIT_NANOSECONDS 1000000

/* Until stop_sleeping() each unlock wakes a sleeper; pairs with the fence in usermm_unlock(). */
static void prepare_to_sleep(struct usermm_lock *lock)
{
	__atomic_fetch_add(usermm_lock_sleepers(lock), 1, __ATOMIC_SEQ_CST);
	usermm_heavy_fence();
}

static void stop_sleeping(struct usermm_lock *lock)
{
	__atomic_fetch_sub(usermm_lock_sleepers(lock), 1, __ATOMIC_RELAXED);
}

/*
 * Sleeps while the lock is held, but only briefly: then the caller must look for calls that other
 * CPUs sent to this one.
 */
static void sleep_on(struct usermm_lock *lock)
{
	futex_wait(&lock->word, 1, WAIT_NANOSECONDS);
}

void usermm_lock_slow(struct usermm_lock *lock)
{
	for (int i = 0; i < SPINS; i++) {
		cpu_relax();
		if (!READ_ONCE(lock->word) && usermm_trylock(lock))
			return;
	}
	prepare_to_sleep(lock);
	while (!usermm_trylock(lock)) {
		usermm_poll_calls();
		sleep_on(lock);
	}
	stop_sleeping(lock);
}

void usermm_unlock_slow(struct usermm_lock *lock)
{
	futex_wake(&lock->word, 1);
}

/* Gives the thread a CPU that it may run on: its current one, if that is allowed. */
void usermm_cpu_bind(void)
{
	struct task_struct *task = current;
	unsigned int cpu = usermm_self()->cpu;

	/* Set it before reading the mask; pairs with set_cpus_allowed_ptr(). */
	__atomic_store_n(&usermm_self()->bound, 1, __ATOMIC_SEQ_CST);
	if (!cpumask_test_cpu(cpu, &task->cpus_mask))
		usermm_self()->cpu = cpumask_first(&task->cpus_mask);
}

/* Takes another CPU that is free and allowed, as a scheduler would, instead of waiting. */
static bool take_other_cpu(struct usermm_context *self)
{
	unsigned int cpu;

	if (self->migration_disabled)
		return false;
	for_each_cpu(cpu, &current->cpus_mask)
		if (cpu != self->cpu && usermm_trylock(&usermm_cpus[cpu].lock)) {
			WRITE_ONCE(self->cpu, cpu);
			return true;
		}
	return false;
}

/*
 * Locks the thread's own CPU or another allowed one, whichever is free first. It must not wait for
 * its own alone: the holder may be waiting for this thread to run.
 */
static void lock_any_cpu(struct usermm_context *self)
{
	struct usermm_lock *own = &usermm_cpus[self->cpu].lock;

	for (unsigned int tries = 0; tries < SPINS; tries++) {
		if (take_other_cpu(self))
			return;
		cpu_relax();
		if (usermm_trylock(own))
			return;
	}
	prepare_to_sleep(own);
	while (!usermm_trylock(own) && !take_other_cpu(self))
		sleep_on(own);
	stop_sleeping(own);
}

void usermm_cpu_acquire_slow(void)
{
	struct usermm_context *self = usermm_self();

	for (;;) {
		if (!READ_ONCE(self->bound))
			usermm_cpu_bind();
		if (!usermm_trylock(&usermm_cpus[self->cpu].lock))
			lock_any_cpu(self);
		if (READ_ONCE(self->bound))
			return;
		usermm_unlock(&usermm_cpus[self->cpu].lock);
	}
}

void usermm_cpu_release_slow(void)
{
	struct usermm_cpu *cpu = &usermm_cpus[usermm_self()->cpu];

	while (READ_ONCE(cpu->calls))
		serve_calls(cpu);
	usermm_self()->count = 0;
	barrier();
	usermm_unlock(&cpu->lock);
}

/* Runs the calls for the CPU, if nobody holds it. */
static void serve_if_free(struct usermm_cpu *target)
{
	struct usermm_context saved = usermm_context;

	if (!usermm_trylock(&target->lock))
		return;
	usermm_self()->cpu = (unsigned int)(target - usermm_cpus);
	usermm_self()->count = PREEMPT_OFFSET;
	while (READ_ONCE(target->calls))
		serve_calls(target);
	usermm_self()->cpu = saved.cpu;
	usermm_self()->count = saved.count;
	usermm_unlock(&target->lock);
}

static void call_cpu(struct usermm_cpu *target, smp_call_func_t function, void *info)
{
	struct usermm_cpu_call call = { .function = function, .info = info };

	call.next = READ_ONCE(target->calls);
	/* release: the call's fields; pairs with the acquire in serve_calls() */
	while (!__atomic_compare_exchange_n(&target->calls, &call.next, &call, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	for (unsigned int tries = 0;; tries++) {
		serve_if_free(target);
		/* acquire: pairs with the release in serve_calls() */
		if (__atomic_load_n(&call.done, __ATOMIC_ACQUIRE))
			return;
		usermm_poll_calls();
		if (tries < SPINS)
			sched_yield();
		else
			usleep(50);
	}
}

int smp_call_function_single(int cpu, smp_call_func_t function, void *info, int wait)
{
	(void)wait;
	if (!cpu_online(cpu))
		return -ENXIO;
	get_current();
	preempt_disable();
	if ((unsigned int)cpu == usermm_self()->cpu) {
		unsigned long flags = usermm_irq_save();

		function(info);
		usermm_irq_restore(flags);
	} else {
		call_cpu(&usermm_cpus[cpu], function, info);
	}
	preempt_enable();
	return 0;
}

static void call_mask(const struct cpumask *mask, smp_call_func_t function, void *info,
		      smp_cond_func_t condition, bool self)
{
	unsigned int cpu;

	preempt_disable();
	for_each_cpu(cpu, mask)
		if ((self || cpu != usermm_self()->cpu) &&
		    (!condition || condition((int)cpu, info)))
			smp_call_function_single((int)cpu, function, info, 1);
	preempt_enable();
}

void smp_call_function_many(const struct cpumask *mask, smp_call_func_t function, void *info,
			    bool wait)
{
	(void)wait;
	call_mask(mask, function, info, NULL, false);
}

void on_each_cpu_mask(const struct cpumask *mask, smp_call_func_t function, void *info, bool wait)
{
	(void)wait;
	call_mask(mask, function, info, NULL, true);
}

void on_each_cpu_cond_mask(smp_cond_func_t condition, smp_call_func_t function, void *info,
			   bool wait, const struct cpumask *mask)
{
	(void)wait;
	call_mask(mask, function, info, condition, true);
}

/* Runs the function as work, so it may sleep. */
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
