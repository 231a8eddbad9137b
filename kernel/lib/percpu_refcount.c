// SPDX-License-Identifier: MIT
/*
 * Reference counts with a part for each CPU. While the parts are in use, the common count contains
 * a bias, so that it cannot reach 0. After a grace period no reader uses the parts any more; then
 * their sum replaces the bias (cf. Linux lib/percpu-refcount.c).
 */
#include <linux/kernel.h>
#include <linux/percpu-refcount.h>
#include <linux/slab.h>

#define BIAS (1UL << (BITS_PER_LONG - 2))

int percpu_ref_init(struct percpu_ref *ref, percpu_ref_func_t *release, unsigned int flags,
		    gfp_t gfp)
{
	*ref = (struct percpu_ref){ .release = release };
	ref->percpu = alloc_percpu_gfp(unsigned long, gfp);
	if (!ref->percpu)
		return -ENOMEM;
	ref->dead = flags & PERCPU_REF_INIT_DEAD;
	ref->atomic_mode = flags & (PERCPU_REF_INIT_ATOMIC | PERCPU_REF_INIT_DEAD);
	atomic_long_set(&ref->count, (ref->dead ? 0 : 1) + (ref->atomic_mode ? 0 : (long)BIAS));
	return 0;
}

void percpu_ref_exit(struct percpu_ref *ref)
{
	free_percpu(ref->percpu);
	ref->percpu = NULL;
}

static void release_if_zero(struct percpu_ref *ref, unsigned long nr)
{
	if (atomic_long_sub_and_test((long)nr, &ref->count))
		ref->release(ref);
}

void percpu_ref_get_many(struct percpu_ref *ref, unsigned long nr)
{
	rcu_read_lock();
	if (READ_ONCE(ref->atomic_mode))
		atomic_long_add((long)nr, &ref->count);
	else
		this_cpu_add(*ref->percpu, nr);
	rcu_read_unlock();
}

void percpu_ref_put_many(struct percpu_ref *ref, unsigned long nr)
{
	rcu_read_lock();
	if (READ_ONCE(ref->atomic_mode))
		release_if_zero(ref, nr);
	else
		this_cpu_sub(*ref->percpu, nr);
	rcu_read_unlock();
}

bool percpu_ref_tryget_many(struct percpu_ref *ref, unsigned long nr)
{
	bool got = true;

	rcu_read_lock();
	if (READ_ONCE(ref->atomic_mode))
		got = atomic_long_add_unless(&ref->count, (long)nr, 0);
	else
		this_cpu_add(*ref->percpu, nr);
	rcu_read_unlock();
	return got;
}

bool percpu_ref_tryget_live(struct percpu_ref *ref)
{
	bool got = false;

	rcu_read_lock();
	if (!READ_ONCE(ref->dead))
		got = percpu_ref_tryget_many(ref, 1);
	rcu_read_unlock();
	return got;
}

bool percpu_ref_is_zero(struct percpu_ref *ref)
{
	return READ_ONCE(ref->atomic_mode) && !atomic_long_read(&ref->count);
}

/* Runs after a grace period, so no reader changes the CPUs' parts any more. */
static void sum_up(struct rcu_head *rcu)
{
	struct percpu_ref *ref = container_of(rcu, struct percpu_ref, rcu);
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		sum += *per_cpu_ptr(ref->percpu, cpu);
		*per_cpu_ptr(ref->percpu, cpu) = 0;
	}
	atomic_long_add((long)(sum - BIAS), &ref->count);
	if (ref->confirm)
		ref->confirm(ref);
	/* Drop kill's own reference, taken for the grace period, and the initial one. */
	release_if_zero(ref, 2);
}

void percpu_ref_kill_and_confirm(struct percpu_ref *ref, percpu_ref_func_t *confirm)
{
	if (WARN_ONCE(ref->dead, "percpu_ref_kill called more than once on a reference\n"))
		return;
	WRITE_ONCE(ref->dead, true);
	if (ref->atomic_mode) {
		if (confirm)
			confirm(ref);
		release_if_zero(ref, 1);
		return;
	}
	ref->confirm = confirm;
	atomic_long_inc(&ref->count);
	WRITE_ONCE(ref->atomic_mode, true);
	call_rcu(&ref->rcu, sum_up);
}

void percpu_ref_reinit(struct percpu_ref *ref)
{
	WARN_ON_ONCE(!percpu_ref_is_zero(ref));
	atomic_long_set(&ref->count, (long)(BIAS + 1));
	ref->dead = false;
	/* release: pairs with the readers' reads that depend on atomic_mode */
	smp_store_release(&ref->atomic_mode, false);
}
