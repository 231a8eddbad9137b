// SPDX-License-Identifier: MIT
/* Counters with a part for each CPU (cf. Linux lib/percpu_counter.c). */
#include <linux/percpu_counter.h>

int percpu_counter_batch = 32;

int usermm_percpu_counter_init(struct percpu_counter *counter, s64 amount, gfp_t gfp)
{
	raw_spin_lock_init(&counter->lock);
	counter->count = amount;
	counter->counters = alloc_percpu_gfp(s32, gfp);
	return counter->counters ? 0 : -ENOMEM;
}

void percpu_counter_destroy(struct percpu_counter *counter)
{
	free_percpu(counter->counters);
	counter->counters = NULL;
}

void percpu_counter_set(struct percpu_counter *counter, s64 amount)
{
	unsigned long flags;
	unsigned int cpu;

	raw_spin_lock_irqsave(&counter->lock, flags);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(*per_cpu_ptr(counter->counters, cpu), 0);
	WRITE_ONCE(counter->count, amount);
	raw_spin_unlock_irqrestore(&counter->lock, flags);
}

void percpu_counter_add_batch(struct percpu_counter *counter, s64 amount, s32 batch)
{
	unsigned long flags;
	s64 sum;

	local_irq_save(flags);
	sum = __this_cpu_read(*counter->counters) + amount;
	if (sum >= batch || sum <= -batch) {
		raw_spin_lock(&counter->lock);
		WRITE_ONCE(counter->count, counter->count + sum);
		__this_cpu_write(*counter->counters, 0);
		raw_spin_unlock(&counter->lock);
	} else {
		__this_cpu_write(*counter->counters, (s32)sum);
	}
	local_irq_restore(flags);
}

static s64 sum_locked(struct percpu_counter *counter)
{
	s64 sum = counter->count;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter->counters, cpu));
	return sum;
}

s64 __percpu_counter_sum(struct percpu_counter *counter)
{
	unsigned long flags;
	s64 sum;

	raw_spin_lock_irqsave(&counter->lock, flags);
	sum = sum_locked(counter);
	raw_spin_unlock_irqrestore(&counter->lock, flags);
	return sum;
}

int __percpu_counter_compare(struct percpu_counter *counter, s64 value, s32 batch)
{
	s64 count = percpu_counter_read(counter), error = (s64)batch * num_online_cpus();

	if (count - value <= error && value - count <= error)
		count = percpu_counter_sum(counter);
	return count < value ? -1 : count > value;
}

void percpu_counter_sync(struct percpu_counter *counter)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&counter->lock, flags);
	WRITE_ONCE(counter->count, counter->count + __this_cpu_read(*counter->counters));
	__this_cpu_write(*counter->counters, 0);
	raw_spin_unlock_irqrestore(&counter->lock, flags);
}

bool __percpu_counter_limited_add(struct percpu_counter *counter, s64 limit, s64 amount,
				  s32 batch)
{
	unsigned long flags;
	bool fits;
	s64 sum;

	(void)batch;
	if (!amount)
		return true;
	raw_spin_lock_irqsave(&counter->lock, flags);
	sum = sum_locked(counter) + amount;
	fits = amount > 0 ? sum <= limit : sum >= limit;
	if (fits)
		WRITE_ONCE(counter->count, counter->count + amount);
	raw_spin_unlock_irqrestore(&counter->lock, flags);
	return fits;
}
