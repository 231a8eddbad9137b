/* SPDX-License-Identifier: MIT */
/* Sets of CPUs. All of the machine's CPUs are possible, present and online. */
#ifndef KERNEL_LINUX_CPUMASK_H
#define KERNEL_LINUX_CPUMASK_H

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/cpumask_types.h>
#include <linux/gfp_types.h>
#include <linux/kernel.h>
#include <linux/threads.h>
#include <usermm/compiler.h>

extern unsigned int nr_cpu_ids USERMM_API(nr_cpu_ids);
extern struct cpumask __cpu_online_mask USERMM_API(__cpu_online_mask);

#define nr_cpumask_bits nr_cpu_ids
#define small_cpumask_bits NR_CPUS
#define cpu_online_mask ((const struct cpumask *)&__cpu_online_mask)
#define cpu_possible_mask cpu_online_mask
#define cpu_present_mask cpu_online_mask
#define cpu_active_mask cpu_online_mask
#define cpu_all_mask cpu_online_mask
#define cpu_none_mask ((const struct cpumask *)&(const struct cpumask){ { 0 } })
#define num_online_cpus() nr_cpu_ids
#define num_possible_cpus() nr_cpu_ids
#define num_present_cpus() nr_cpu_ids
#define num_active_cpus() nr_cpu_ids
#define cpu_online(cpu) ((unsigned int)(cpu) < nr_cpu_ids)
#define cpu_possible(cpu) cpu_online(cpu)
#define cpu_present(cpu) cpu_online(cpu)
#define cpu_active(cpu) cpu_online(cpu)

#define CPU_BITS_NONE { 0 }
#define CPU_MASK_NONE ((cpumask_t){ CPU_BITS_NONE })
#define CPU_MASK_ALL ((cpumask_t){ { ~0UL } })
#define CPU_MASK_CPU0 ((cpumask_t){ { 1 } })
#define cpumask_bits(mask) ((mask)->bits)
#define cpumask_of(cpu) (&(const struct cpumask){ { 1UL << (cpu) } })
#define cpumask_of_node(node) cpu_online_mask
#define cpumask_size() (BITS_TO_LONGS(NR_CPUS) * sizeof(long))
#define cpumask_pr_args(mask) ((int)nr_cpu_ids), cpumask_bits(mask)

#define cpumask_set_cpu(cpu, mask) set_bit((unsigned int)(cpu), cpumask_bits(mask))
#define __cpumask_set_cpu(cpu, mask) __set_bit((unsigned int)(cpu), cpumask_bits(mask))
#define cpumask_clear_cpu(cpu, mask) clear_bit((unsigned int)(cpu), cpumask_bits(mask))
#define __cpumask_clear_cpu(cpu, mask) __clear_bit((unsigned int)(cpu), cpumask_bits(mask))
#define cpumask_test_cpu(cpu, mask) test_bit((unsigned int)(cpu), cpumask_bits(mask))
#define cpumask_test_and_set_cpu(cpu, mask) \
	test_and_set_bit((unsigned int)(cpu), cpumask_bits(mask))
#define cpumask_test_and_clear_cpu(cpu, mask) \
	test_and_clear_bit((unsigned int)(cpu), cpumask_bits(mask))
#define cpumask_setall(mask) bitmap_fill(cpumask_bits(mask), nr_cpu_ids)
#define cpumask_clear(mask) bitmap_zero(cpumask_bits(mask), NR_CPUS)
#define cpumask_copy(to, from) bitmap_copy(cpumask_bits(to), cpumask_bits(from), NR_CPUS)
#define cpumask_and(to, a, b) \
	bitmap_and(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_or(to, a, b) \
	bitmap_or(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_xor(to, a, b) \
	bitmap_xor(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_andnot(to, a, b) \
	bitmap_andnot(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_complement(to, from) \
	bitmap_complement(cpumask_bits(to), cpumask_bits(from), nr_cpu_ids)
#define cpumask_equal(a, b) bitmap_equal(cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_intersects(a, b) bitmap_intersects(cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_subset(a, b) bitmap_subset(cpumask_bits(a), cpumask_bits(b), NR_CPUS)
#define cpumask_empty(mask) bitmap_empty(cpumask_bits(mask), NR_CPUS)
#define cpumask_full(mask) bitmap_full(cpumask_bits(mask), nr_cpu_ids)
#define cpumask_weight(mask) ((unsigned int)bitmap_weight(cpumask_bits(mask), NR_CPUS))

/* nr_cpu_ids or more: there is none. */
#define cpumask_first(mask) ((unsigned int)find_first_bit(cpumask_bits(mask), nr_cpu_ids))
#define cpumask_first_zero(mask) \
	((unsigned int)find_first_zero_bit(cpumask_bits(mask), nr_cpu_ids))
#define cpumask_first_and(a, b) \
	((unsigned int)find_first_and_bit(cpumask_bits(a), cpumask_bits(b), nr_cpu_ids))
#define cpumask_last(mask) ((unsigned int)find_last_bit(cpumask_bits(mask), nr_cpu_ids))
#define cpumask_next(cpu, mask) \
	((unsigned int)find_next_bit(cpumask_bits(mask), nr_cpu_ids, (unsigned int)((cpu) + 1)))
#define cpumask_next_zero(cpu, mask) \
	((unsigned int)find_next_zero_bit(cpumask_bits(mask), nr_cpu_ids, (unsigned int)((cpu) + 1)))
#define cpumask_next_and(cpu, a, b)					\
	((unsigned int)find_next_and_bit(cpumask_bits(a), cpumask_bits(b), nr_cpu_ids, \
					 (unsigned int)((cpu) + 1)))
#define cpumask_any(mask) cpumask_first(mask)
#define cpumask_any_and(a, b) cpumask_first_and(a, b)
#define cpumask_any_but(mask, cpu) usermm_cpumask_any_but(mask, cpu)
#define cpumask_nth(n, mask) ((unsigned int)find_nth_bit(cpumask_bits(mask), nr_cpu_ids, n))
/* The i-th one, going around: a way to spread over all. */
#define cpumask_local_spread(i, node) ((unsigned int)(i) % nr_cpu_ids)

static inline unsigned int usermm_cpumask_any_but(const struct cpumask *mask, unsigned int but)
{
	unsigned int cpu = cpumask_first(mask);

	return cpu == but ? cpumask_next(cpu, mask) : cpu;
}

#define for_each_cpu(cpu, mask) for_each_set_bit(cpu, cpumask_bits(mask), nr_cpu_ids)
#define for_each_cpu_not(cpu, mask) for_each_clear_bit(cpu, cpumask_bits(mask), nr_cpu_ids)
#define for_each_cpu_and(cpu, a, b) \
	for_each_and_bit(cpu, cpumask_bits(a), cpumask_bits(b), nr_cpu_ids)
/* All of the mask, from start on and around. */
#define for_each_cpu_wrap(cpu, mask, start)				\
	for (unsigned int wrap_ = 0; wrap_ < nr_cpu_ids; wrap_++)	\
		if (!cpumask_test_cpu((cpu) = ((unsigned int)(start) + wrap_) % nr_cpu_ids, \
				      mask))				\
			;						\
		else
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_possible_cpu(cpu) for_each_online_cpu(cpu)
#define for_each_present_cpu(cpu) for_each_online_cpu(cpu)

/* The mask itself: 64 CPUs are one word. */
typedef struct cpumask cpumask_var_t[1];
#define CPUMASK_VAR_NULL { { { 0 } } }
#define alloc_cpumask_var(mask, gfp) ((void)(gfp), (void)(mask), true)
#define alloc_cpumask_var_node(mask, gfp, node) alloc_cpumask_var(mask, gfp)
#define zalloc_cpumask_var(mask, gfp) ((void)(gfp), cpumask_clear(*(mask)), true)
#define zalloc_cpumask_var_node(mask, gfp, node) zalloc_cpumask_var(mask, gfp)
#define free_cpumask_var(mask) ((void)(mask))
#define cpumask_available(mask) true

USERMM_BEGIN_DECLS

/* "0-3,7" into a mask; 0 or -errno. And back, with a newline; the length. */
int cpulist_parse(const char *text, struct cpumask *mask) USERMM_API(cpulist_parse);
ssize_t cpumap_print_to_pagebuf(bool list, char *buffer, const struct cpumask *mask)
	USERMM_API(cpumap_print_to_pagebuf);

USERMM_END_DECLS

#endif
