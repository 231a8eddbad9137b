// SPDX-License-Identifier: MIT
/* Simulated CPUs: being alone on one, per-CPU data, calls between them; locks; RCU. */
#include <kunit/test.h>

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#define NR_THREADS 12
#define ROUNDS 3000

struct shared {
	struct kunit *test;
	struct completion done;
	void (*function)(struct shared *shared, unsigned int index);
	atomic_t index;
	/* Shared data of the functions below. */
	spinlock_t spin;
	rwlock_t rwlock;
	struct mutex mutex;
	struct rw_semaphore rwsem;
	seqlock_t seq;
	unsigned long plain, copy;
	atomic_t atomic, errors;
	atomic64_t atomic64;
	unsigned int __percpu *counters;
	int *pointer;
};

static int thread(void *data)
{
	struct shared *shared = data;

	shared->function(shared, (unsigned int)atomic_inc_return(&shared->index) - 1);
	complete(&shared->done);
	return 0;
}

static struct shared *new_shared(struct kunit *test)
{
	struct shared *shared = kunit_kzalloc(test, sizeof(*shared), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, shared);
	shared->test = test;
	spin_lock_init(&shared->spin);
	rwlock_init(&shared->rwlock);
	mutex_init(&shared->mutex);
	init_rwsem(&shared->rwsem);
	seqlock_init(&shared->seq);
	return shared;
}

/* In threads on all CPUs, several on each; returns when all are done. */
static void run(struct shared *shared, void (*function)(struct shared *, unsigned int))
{
	shared->function = function;
	atomic_set(&shared->index, 0);
	init_completion(&shared->done);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		struct task_struct *task = kthread_create(thread, shared, "t%u", i);

		KUNIT_ASSERT_FALSE(shared->test, IS_ERR(task));
		kthread_bind(task, i % nr_cpu_ids);
		wake_up_process(task);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++)
		wait_for_completion(&shared->done);
}

static DEFINE_PER_CPU(unsigned int, on_cpu);
static DEFINE_PER_CPU(int, initialised) = 7;
static DEFINE_PER_CPU_ALIGNED(struct { u64 a; char b[3]; }, aligned);

/* Nobody else is on this CPU while preemption is off, and the CPU stays the same. */
static void alone_on_cpu(struct shared *shared, unsigned int index)
{
	(void)index;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int cpu = (unsigned int)get_cpu(), *here = this_cpu_ptr(&on_cpu);
		unsigned long flags;

		atomic_add(!cpumask_test_cpu(cpu, &current->cpus_mask), &shared->errors);
		*here += 1;
		atomic_add(READ_ONCE(*here) != 1, &shared->errors);
		if (i % 100 == 0)
			usermm_ndelay(20000);
		local_irq_save(flags);
		atomic_add(!irqs_disabled() || *here != 1, &shared->errors);
		local_irq_restore(flags);
		atomic_add(irqs_disabled() || smp_processor_id() != (int)cpu, &shared->errors);
		*here -= 1;
		put_cpu();
	}
}

static void test_preempt_disable_is_alone(struct kunit *test)
{
	struct shared *shared = new_shared(test);

	run(shared, alone_on_cpu);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0u);
}

static void count_per_cpu(struct shared *shared, unsigned int index)
{
	(void)index;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		this_cpu_inc(*shared->counters);
		preempt_disable();
		__this_cpu_add(*shared->counters, 1);
		preempt_enable();
	}
}

static void test_alloc_percpu(struct kunit *test)
{
	struct shared *shared = new_shared(test);
	size_t before = usermm_percpu_in_use();
	unsigned long sum = 0;
	unsigned int cpu;

	shared->counters = alloc_percpu(unsigned int);
	KUNIT_ASSERT_NOT_NULL(test, shared->counters);
	run(shared, count_per_cpu);
	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(shared->counters, cpu);
	KUNIT_EXPECT_EQ(test, sum, 2UL * NR_THREADS * ROUNDS);
	free_percpu(shared->counters);
	KUNIT_EXPECT_EQ(test, usermm_percpu_in_use(), before);
}

static void test_percpu_pieces_do_not_overlap(struct kunit *test)
{
	u8 __percpu *pieces[100];
	size_t before = usermm_percpu_in_use();
	unsigned int cpu;

	for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
		pieces[i] = __alloc_percpu(i * 7 + 1, 1u << (i % 8));
		KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
		KUNIT_EXPECT_EQ(test, (unsigned long)pieces[i] % (1u << (i % 8)), 0UL);
		for_each_possible_cpu(cpu) {
			u8 *piece = per_cpu_ptr(pieces[i], cpu);

			KUNIT_EXPECT_NULL(test, memchr_inv(piece, 0, i * 7 + 1));
			memset(piece, (int)(i + cpu), i * 7 + 1);
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
		for_each_possible_cpu(cpu)
			KUNIT_EXPECT_NULL(test, memchr_inv(per_cpu_ptr(pieces[i], cpu),
							   (int)(i + cpu), i * 7 + 1));
		free_percpu(pieces[i]);
	}
	KUNIT_EXPECT_EQ(test, usermm_percpu_in_use(), before);
	KUNIT_EXPECT_NULL(test, __alloc_percpu_gfp(PCPU_MIN_UNIT_SIZE + 1, 8,
						   GFP_KERNEL | __GFP_NOWARN));
}

static void test_static_percpu(struct kunit *test)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, per_cpu(initialised, cpu), 7);
		per_cpu(initialised, cpu) = (int)cpu;
		KUNIT_EXPECT_EQ(test, (unsigned long)per_cpu_ptr(&aligned, cpu) % 64, 0UL);
	}
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, per_cpu(initialised, cpu), (int)cpu);
	preempt_disable();
	KUNIT_EXPECT_EQ(test, __this_cpu_read(initialised), smp_processor_id());
	preempt_enable();
	for_each_possible_cpu(cpu)
		per_cpu(initialised, cpu) = 7;
}

static void with_locks(struct shared *shared, unsigned int index)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned long flags;

		switch ((i + index) % 3) {
		case 0:
			spin_lock(&shared->spin);
			shared->plain++;
			spin_unlock(&shared->spin);
			break;
		case 1:
			spin_lock_irqsave(&shared->spin, flags);
			shared->plain++;
			spin_unlock_irqrestore(&shared->spin, flags);
			break;
		default:
			while (!spin_trylock_bh(&shared->spin))
				cpu_relax();
			shared->plain++;
			spin_unlock_bh(&shared->spin);
		}
		mutex_lock(&shared->mutex);
		shared->copy++;
		mutex_unlock(&shared->mutex);
		atomic_inc(&shared->atomic);
		atomic64_add(3, &shared->atomic64);
	}
}

static void test_locks_exclude(struct kunit *test)
{
	struct shared *shared = new_shared(test);

	run(shared, with_locks);
	KUNIT_EXPECT_EQ(test, shared->plain, 1UL * NR_THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, shared->copy, 1UL * NR_THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->atomic), NR_THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, atomic64_read(&shared->atomic64), 3LL * NR_THREADS * ROUNDS);
	KUNIT_EXPECT_FALSE(test, spin_is_locked(&shared->spin));
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&shared->mutex));
}

/* Two words that writers change together: readers must find them equal. */
static void readers_and_writers(struct shared *shared, unsigned int index)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int sequence;
		unsigned long a, b;

		if (index % 4 == 0) {
			write_lock(&shared->rwlock);
			down_write_trylock(&shared->rwsem) ? up_write(&shared->rwsem) : (void)0;
			write_seqlock(&shared->seq);
			WRITE_ONCE(shared->plain, shared->plain + 1);
			WRITE_ONCE(shared->copy, shared->copy + 1);
			write_sequnlock(&shared->seq);
			write_unlock(&shared->rwlock);
			continue;
		}
		read_lock(&shared->rwlock);
		atomic_add(shared->plain != shared->copy, &shared->errors);
		read_unlock(&shared->rwlock);
		do {
			sequence = read_seqbegin(&shared->seq);
			a = READ_ONCE(shared->plain);
			b = READ_ONCE(shared->copy);
		} while (read_seqretry(&shared->seq, sequence));
		atomic_add(a != b, &shared->errors);
	}
}

static void rwsem_users(struct shared *shared, unsigned int index)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (index % 4 == 0) {
			down_write(&shared->rwsem);
			shared->plain++;
			shared->copy++;
			if (i % 2)
				downgrade_write(&shared->rwsem);
			atomic_add(shared->plain != shared->copy, &shared->errors);
			if (i % 2)
				up_read(&shared->rwsem);
			else
				up_write(&shared->rwsem);
		} else {
			down_read(&shared->rwsem);
			atomic_add(shared->plain != shared->copy, &shared->errors);
			up_read(&shared->rwsem);
		}
	}
}

static void test_readers_and_writers(struct kunit *test)
{
	struct shared *shared = new_shared(test);
	unsigned long writes = NR_THREADS / 4 * ROUNDS;

	run(shared, readers_and_writers);
	KUNIT_EXPECT_EQ(test, shared->plain, writes);
	run(shared, rwsem_users);
	KUNIT_EXPECT_EQ(test, shared->plain, 2 * writes);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
	KUNIT_EXPECT_FALSE(test, rwsem_is_locked(&shared->rwsem));
}

static void note_call(void *info)
{
	struct shared *shared = info;

	atomic_add(!irqs_disabled(), &shared->errors);
	__this_cpu_inc(*shared->counters);
	atomic_inc(&shared->atomic);
}

/* All CPUs call all others with preemption off. No call may wait for ever. */
static void call_each_other(struct shared *shared, unsigned int index)
{
	for (unsigned int i = 0; i < ROUNDS / 30; i++) {
		preempt_disable();
		smp_call_function_single((int)((index + i) % nr_cpu_ids), note_call, shared, 1);
		preempt_enable();
		if (i % 10 == 0)
			on_each_cpu(note_call, shared, 1);
	}
}

static void test_calls_between_cpus(struct kunit *test)
{
	struct shared *shared = new_shared(test);
	unsigned int cpu, calls = ROUNDS / 30, sum = 0;

	shared->counters = alloc_percpu(unsigned int);
	KUNIT_ASSERT_NOT_NULL(test, shared->counters);
	on_each_cpu(note_call, shared, 1);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, *per_cpu_ptr(shared->counters, cpu), 1u);
	run(shared, call_each_other);
	for_each_online_cpu(cpu)
		sum += *per_cpu_ptr(shared->counters, cpu);
	KUNIT_EXPECT_EQ(test, sum, nr_cpu_ids + NR_THREADS * (calls + calls / 10 * nr_cpu_ids));
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
	KUNIT_EXPECT_EQ(test, smp_call_function_single((int)nr_cpu_ids, note_call, shared, 1),
			-ENXIO);
	free_percpu(shared->counters);
}

#define BUSY_MS 20

static int is_busy(void *data)
{
	struct shared *shared = data;

	preempt_disable();
	mdelay(BUSY_MS);
	preempt_enable();
	complete(&shared->done);
	return 0;
}

static int spins_until_called(void *data)
{
	struct shared *shared = data;

	preempt_disable();
	complete(&shared->done);
	while (!atomic_read(&shared->atomic))
		cpu_relax();
	preempt_enable();
	complete(&shared->done);
	return 0;
}

static void ends_spinning(void *data)
{
	struct shared *shared = data;

	atomic_add(!in_hardirq() || !irqs_disabled(), &shared->errors);
	atomic_set(&shared->atomic, 1);
}

/*
 * On this thread's CPU, which goes on elsewhere. Interrupts are on there, so it is called
 * though it does not let go.
 */
static void test_spinning_cpu(struct kunit *test)
{
	struct shared *shared = new_shared(test);
	int cpu = smp_processor_id();
	struct task_struct *task;

	if (nr_cpu_ids < 2)
		kunit_skip(test, "one CPU");
	init_completion(&shared->done);
	task = kthread_create(spins_until_called, shared, "spins");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, (unsigned int)cpu);
	wake_up_process(task);
	wait_for_completion(&shared->done);
	KUNIT_EXPECT_NE(test, smp_processor_id(), cpu);
	KUNIT_EXPECT_EQ(test, smp_call_function_single(cpu, ends_spinning, shared, 1), 0);
	wait_for_completion(&shared->done);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
}

static struct task_struct *start_on(struct kunit *test, int (*function)(void *data),
				    struct shared *shared, unsigned int cpu)
{
	struct task_struct *task = kthread_create(function, shared, "on_cpu");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	return task;
}

/*
 * The same while all other CPUs are held for a moment: the thread goes on at the first CPU that is
 * free.
 */
static void test_spinning_cpu_beside_busy_ones(struct kunit *test)
{
	struct shared *shared = new_shared(test);
	unsigned int cpu, own;
	struct task_struct *spins;

	if (nr_cpu_ids < 2)
		kunit_skip(test, "one CPU");
	init_completion(&shared->done);
	migrate_disable();
	own = smp_processor_id();
	spins = start_on(test, spins_until_called, shared, own);
	for_each_online_cpu(cpu)
		if (cpu != own)
			wake_up_process(start_on(test, is_busy, shared, cpu));
	migrate_enable();
	wake_up_process(spins);
	for_each_online_cpu(cpu)	/* one is the spinning one's */
		wait_for_completion(&shared->done);
	KUNIT_EXPECT_NE(test, smp_processor_id(), own);
	KUNIT_EXPECT_EQ(test, smp_call_function_single((int)own, ends_spinning, shared, 1), 0);
	wait_for_completion(&shared->done);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
}

static void test_set_cpus_allowed(struct kunit *test)
{
	struct cpumask before = current->cpus_mask;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
		KUNIT_EXPECT_EQ(test, smp_processor_id(), (int)cpu);
		KUNIT_EXPECT_EQ(test, task_cpu(current), cpu);
	}
	KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, cpu_none_mask), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, &before), 0);
}

#define POISONED (-1)

static void rcu_users(struct shared *shared, unsigned int index)
{
	for (unsigned int i = 0; i < ROUNDS / 10; i++) {
		int *value;

		if (index == 0) {
			int *old, *new = kmalloc(sizeof(*new), GFP_KERNEL);

			*new = (int)i;
			old = shared->pointer;
			rcu_assign_pointer(shared->pointer, new);
			synchronize_rcu();
			*old = POISONED;
			kfree(old);
			continue;
		}
		if (index % 2)
			rcu_read_lock();
		else
			preempt_disable();
		value = rcu_dereference(shared->pointer);
		if (i % 50 == 0)
			usermm_ndelay(100000);
		atomic_add(READ_ONCE(*value) == POISONED, &shared->errors);
		if (index % 2)
			rcu_read_unlock();
		else
			preempt_enable();
	}
}

static void test_synchronize_rcu_waits(struct kunit *test)
{
	struct shared *shared = new_shared(test);

	shared->pointer = kmalloc(sizeof(int), GFP_KERNEL);
	*shared->pointer = 0;
	run(shared, rcu_users);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared->errors), 0);
	kfree(shared->pointer);
}

struct callback {
	struct rcu_head rcu;
	atomic_t *served;
	char payload[40];
};

static void serve(struct rcu_head *head)
{
	struct callback *callback = container_of(head, struct callback, rcu);

	atomic_inc(callback->served);
	kfree(callback);
}

/* Where the system has no membarrier() both sides of each pair use fences of their own. */
static void test_without_light_fences(struct kunit *test)
{
	bool before = usermm_fences_are_light;

	/* The last case's threads may still be on their way out. */
	__atomic_store_n(&usermm_fences_are_light, false, __ATOMIC_RELAXED);
	test_locks_exclude(test);
	test_readers_and_writers(test);
	test_synchronize_rcu_waits(test);
	__atomic_store_n(&usermm_fences_are_light, before, __ATOMIC_RELAXED);
}

static void test_call_rcu_and_barrier(struct kunit *test)
{
	atomic_t served = ATOMIC_INIT(0);
	unsigned long state = get_state_synchronize_rcu();

	for (unsigned int i = 0; i < 100; i++) {
		struct callback *callback = kmalloc(sizeof(*callback), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, callback);
		callback->served = &served;
		call_rcu(&callback->rcu, serve);
		callback = kmalloc(sizeof(*callback), GFP_KERNEL);
		kfree_rcu(callback, rcu);
	}
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&served), 100);
	KUNIT_EXPECT_TRUE(test, poll_state_synchronize_rcu(state));
}

static void test_atomic_results(struct kunit *test)
{
	atomic_t v = ATOMIC_INIT(5);
	atomic_long_t l = ATOMIC_LONG_INIT(1);
	int expected = 4;

	KUNIT_EXPECT_EQ(test, atomic_add_return(2, &v), 7);
	KUNIT_EXPECT_EQ(test, atomic_fetch_sub(2, &v), 7);
	KUNIT_EXPECT_EQ(test, atomic_cmpxchg(&v, 5, 6), 5);
	KUNIT_EXPECT_FALSE(test, atomic_try_cmpxchg(&v, &expected, 9));
	KUNIT_EXPECT_EQ(test, expected, 6);
	KUNIT_EXPECT_FALSE(test, atomic_add_unless(&v, 1, 6));
	KUNIT_EXPECT_EQ(test, atomic_fetch_andnot_relaxed(2, &v), 6);
	KUNIT_EXPECT_EQ(test, atomic_xchg(&v, 1), 4);
	KUNIT_EXPECT_EQ(test, atomic_dec_if_positive(&v), 0);
	KUNIT_EXPECT_EQ(test, atomic_dec_if_positive(&v), -1);
	KUNIT_EXPECT_EQ(test, atomic_read(&v), 0);
	KUNIT_EXPECT_FALSE(test, atomic_inc_not_zero(&v));
	atomic_set(&v, INT_MAX);
	KUNIT_EXPECT_EQ(test, atomic_inc_return(&v), INT_MIN);
	KUNIT_EXPECT_TRUE(test, atomic_long_dec_and_test(&l));
}

#if system_has_cmpxchg128()
static void test_wide_exchange(struct kunit *test)
{
	u128 wide __attribute__((aligned(16))) = 7;
	u128 old = 6;

	KUNIT_EXPECT_FALSE(test, try_cmpxchg128(&wide, &old, (u128)1 << 100));
	KUNIT_EXPECT_TRUE(test, old == 7);
	KUNIT_EXPECT_TRUE(test, try_cmpxchg128(&wide, &old, (u128)1 << 100));
	KUNIT_EXPECT_TRUE(test, wide == (u128)1 << 100);
}
#endif

static struct kunit_case cpus_cases[] = {
	KUNIT_CASE(test_preempt_disable_is_alone),
	KUNIT_CASE(test_alloc_percpu),
	KUNIT_CASE(test_percpu_pieces_do_not_overlap),
	KUNIT_CASE(test_static_percpu),
	KUNIT_CASE(test_locks_exclude),
	KUNIT_CASE(test_readers_and_writers),
	KUNIT_CASE(test_calls_between_cpus),
	KUNIT_CASE(test_spinning_cpu),
	KUNIT_CASE(test_spinning_cpu_beside_busy_ones),
	KUNIT_CASE(test_set_cpus_allowed),
	KUNIT_CASE(test_synchronize_rcu_waits),
	KUNIT_CASE(test_without_light_fences),
	KUNIT_CASE(test_call_rcu_and_barrier),
	KUNIT_CASE(test_atomic_results),
#if system_has_cmpxchg128()
	KUNIT_CASE(test_wide_exchange),
#endif
	{ }
};

static struct kunit_suite cpus_suite = {
	.name = "kernel_cpus",
	.test_cases = cpus_cases,
};
kunit_test_suite(cpus_suite);
