/* SPDX-License-Identifier: MIT */
/* Sets of CPUs. All CPUs of the simulated machine are possible, present and online. */
#ifndef KERNEL_LINUX_CPUMASK_H
#define KERNEL_LINUX_CPUMASK_H

#include <asm/atomic.h>
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/cpumask_types.h>
#include <linux/gfp_types.h>
#include <linux/hex.h>
#include <linux/instruction_pointer.h>
#include <linux/kernel.h>
#include <linux/numa.h>
#include <linux/threads.h>
#include <linux/wordpart.h>
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
#define cpu_is_offline(cpu) (!cpu_online(cpu))

#define CPU_BITS_NONE { 0 }
#define CPU_MASK_NONE ((cpumask_t){ CPU_BITS_NONE })
#define CPU_MASK_ALL ((cpumask_t){ { ~0UL } })
#define CPU_MASK_CPU0 ((cpumask_t){ { 1 } })
#define cpumask_bits(mask) ((mask)->bits)
#define cpumask_of(cpu) (&(const struct cpumask){ { 1UL << (cpu) } })
#define get_cpu_mask(cpu) cpumask_of(cpu)
#define to_cpumask(bits) ((struct cpumask *)(bits))
/* For NUMA_NO_NODE: all CPUs. */
const struct cpumask *usermm_cpumask_of_node(int node) __attribute__((visibility("default")));
#define cpumask_of_node(node) usermm_cpumask_of_node(node)
#define cpumask_size() (BITS_TO_LONGS(NR_CPUS) * sizeof(long))
#define cpumask_pr_args(mask) ((int)nr_cpu_ids), cpumask_bits(mask)

/* The calls from before Linux 3.0, which take masks by name; removed in 4.1. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 1, 0)
#define cpu_set(cpu, mask) cpumask_set_cpu((unsigned int)(cpu), &(mask))
#define cpu_clear(cpu, mask) cpumask_clear_cpu((int)(cpu), &(mask))
#define cpu_isset(cpu, mask) cpumask_test_cpu((int)(cpu), &(mask))
#define cpus_clear(mask) cpumask_clear(&(mask))
#define cpus_setall(mask) cpumask_setall(&(mask))
#define cpus_weight(mask) ((int)cpumask_weight(&(mask)))
#define cpus_empty(mask) cpumask_empty(&(mask))
#define for_each_cpu_mask(cpu, mask) for_each_cpu(cpu, &(mask))
#define cpumask_of_cpu(cpu) (*cpumask_of(cpu))
#define cpu_online_map (*cpu_online_mask)
#define cpu_possible_map (*cpu_possible_mask)
#define cpu_present_map (*cpu_present_mask)
#else
USERMM_REMOVED(cpu_set, "4.1", "cpumask_set_cpu()")
USERMM_REMOVED(cpu_clear, "4.1", "cpumask_clear_cpu()")
USERMM_REMOVED(cpu_isset, "4.1", "cpumask_test_cpu()")
USERMM_REMOVED(cpus_clear, "4.1", "cpumask_clear()")
USERMM_REMOVED(cpus_setall, "4.1", "cpumask_setall()")
USERMM_REMOVED(cpus_weight, "4.1", "cpumask_weight()")
USERMM_REMOVED(cpus_empty, "4.1", "cpumask_empty()")
USERMM_REMOVED(for_each_cpu_mask, "4.1", "for_each_cpu()")
USERMM_REMOVED(cpumask_of_cpu, "4.1", "cpumask_of()")
USERMM_REMOVED(cpu_online_map, "4.1", "cpu_online_mask")
USERMM_REMOVED(cpu_possible_map, "4.1", "cpu_possible_mask")
USERMM_REMOVED(cpu_present_map, "4.1", "cpu_present_mask")
#endif

#ifdef CONFIG_DEBUG_PER_CPU_MAPS
#define cpumask_check(cpu) ((void)WARN_ON_ONCE((cpu) >= nr_cpu_ids), (cpu))
#else
#define cpumask_check(cpu) (cpu)
#endif

static __always_inline void cpumask_set_cpu(unsigned int cpu, struct cpumask *mask)
{
	set_bit(cpu, cpumask_bits(mask));
}

static __always_inline void __cpumask_set_cpu(unsigned int cpu, struct cpumask *mask)
{
	__set_bit(cpu, cpumask_bits(mask));
}

static __always_inline void cpumask_clear_cpu(int cpu, struct cpumask *mask)
{
	clear_bit(cpu, cpumask_bits(mask));
}

static __always_inline void __cpumask_clear_cpu(int cpu, struct cpumask *mask)
{
	__clear_bit(cpu, cpumask_bits(mask));
}

static __always_inline bool cpumask_test_cpu(int cpu, const struct cpumask *mask)
{
	return test_bit(cpu, cpumask_bits(mask));
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
static __always_inline void cpumask_assign_cpu(int cpu, struct cpumask *mask, bool value)
{
	if (value)
		cpumask_set_cpu((unsigned int)cpu, mask);
	else
		cpumask_clear_cpu(cpu, mask);
}
#else
USERMM_REMOVED(cpumask_assign_cpu, "7.2", "cpumask_set_cpu()")
#endif

static __always_inline bool cpumask_test_and_set_cpu(int cpu, struct cpumask *mask)
{
	return test_and_set_bit(cpu, cpumask_bits(mask));
}

static __always_inline bool cpumask_test_and_clear_cpu(int cpu, struct cpumask *mask)
{
	return test_and_clear_bit(cpu, cpumask_bits(mask));
}

static __always_inline void cpumask_setall(struct cpumask *mask)
{
	bitmap_fill(cpumask_bits(mask), nr_cpu_ids);
}

static __always_inline void cpumask_clear(struct cpumask *mask)
{
	bitmap_zero(cpumask_bits(mask), NR_CPUS);
}

static __always_inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	bitmap_copy(cpumask_bits(to), cpumask_bits(from), NR_CPUS);
}

static __always_inline bool
cpumask_and(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	return bitmap_and(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline void
cpumask_or(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	bitmap_or(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline void
cpumask_xor(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	bitmap_xor(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline bool
cpumask_andnot(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	return bitmap_andnot(cpumask_bits(to), cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline void cpumask_complement(struct cpumask *to, const struct cpumask *from)
{
	bitmap_complement(cpumask_bits(to), cpumask_bits(from), nr_cpu_ids);
}

static __always_inline bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	return bitmap_equal(cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline bool cpumask_intersects(const struct cpumask *a, const struct cpumask *b)
{
	return bitmap_intersects(cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline bool cpumask_subset(const struct cpumask *a, const struct cpumask *b)
{
	return bitmap_subset(cpumask_bits(a), cpumask_bits(b), NR_CPUS);
}

static __always_inline bool cpumask_empty(const struct cpumask *mask)
{
	return bitmap_empty(cpumask_bits(mask), NR_CPUS);
}

static __always_inline bool cpumask_full(const struct cpumask *mask)
{
	return bitmap_full(cpumask_bits(mask), nr_cpu_ids);
}

static __always_inline unsigned int cpumask_weight(const struct cpumask *mask)
{
	return (unsigned int)bitmap_weight(cpumask_bits(mask), NR_CPUS);
}

/* Returns nr_cpu_ids or more if there is none. */
static __always_inline unsigned int cpumask_first(const struct cpumask *mask)
{
	return (unsigned int)find_first_bit(cpumask_bits(mask), nr_cpu_ids);
}

static __always_inline unsigned int cpumask_first_zero(const struct cpumask *mask)
{
	return (unsigned int)find_first_zero_bit(cpumask_bits(mask), nr_cpu_ids);
}

static __always_inline unsigned int
cpumask_first_and(const struct cpumask *a, const struct cpumask *b)
{
	return (unsigned int)find_first_and_bit(cpumask_bits(a), cpumask_bits(b), nr_cpu_ids);
}

static __always_inline unsigned int cpumask_last(const struct cpumask *mask)
{
	return (unsigned int)find_last_bit(cpumask_bits(mask), nr_cpu_ids);
}

static __always_inline unsigned int cpumask_next(int cpu, const struct cpumask *mask)
{
	return (unsigned int)find_next_bit(cpumask_bits(mask), nr_cpu_ids, (unsigned int)(cpu + 1));
}

static __always_inline unsigned int cpumask_next_zero(int cpu, const struct cpumask *mask)
{
	return (unsigned int)find_next_zero_bit(cpumask_bits(mask), nr_cpu_ids,
						(unsigned int)(cpu + 1));
}

static __always_inline unsigned int
cpumask_next_and(int cpu, const struct cpumask *a, const struct cpumask *b)
{
	return (unsigned int)find_next_and_bit(cpumask_bits(a), cpumask_bits(b), nr_cpu_ids,
					       (unsigned int)(cpu + 1));
}

static inline unsigned int cpumask_any_but(const struct cpumask *mask, unsigned int but)
{
	unsigned int cpu = cpumask_first(mask);

	return cpu == but ? cpumask_next((int)cpu, mask) : cpu;
}

/* The next CPU, wrapping around. After the wrap it stops before `start`. */
static inline unsigned int usermm_cpumask_next_wrap(int cpu, const struct cpumask *mask, int start,
						    bool wrapped)
{
	unsigned int next = cpumask_next(cpu, mask);

	if (next >= nr_cpu_ids) {
		next = cpumask_first(mask);
		wrapped = true;
		cpu = -1;
	}
	return wrapped && cpu < start && next >= (unsigned int)start ? nr_cpu_ids : next;
}

/* (cpu, mask, start, wrapped) up to 6.13; then (cpu, mask), which wraps around for ever. */
#define USERMM_NEXT_WRAP_4(cpu, mask, start, wrapped) \
	usermm_cpumask_next_wrap(cpu, mask, start, wrapped)
#define USERMM_NEXT_WRAP_2(cpu, mask) \
	usermm_cpumask_next_wrap(cpu, mask, (int)nr_cpu_ids, false)
#define USERMM_NEXT_WRAP(a1, a2, a3, a4, chosen, ...) chosen
#define cpumask_next_wrap(...)						\
	USERMM_NEXT_WRAP(__VA_ARGS__, USERMM_NEXT_WRAP_4, 3, USERMM_NEXT_WRAP_2)(__VA_ARGS__)
#define cpumask_any(mask) cpumask_first(mask)
#define cpumask_any_and(a, b) cpumask_first_and(a, b)
#define cpumask_any_distribute(mask) cpumask_first(mask)
#define cpumask_any_and_distribute(a, b) cpumask_first_and(a, b)

static __always_inline unsigned int cpumask_nth(unsigned int n, const struct cpumask *mask)
{
	return (unsigned int)find_nth_bit(cpumask_bits(mask), nr_cpu_ids, n);
}

/* The i-th CPU, wrapping around, to spread work over all CPUs. */
static inline unsigned int cpumask_local_spread(unsigned int i, int node)
{
	(void)node;
	return i % nr_cpu_ids;
}

#define for_each_cpu(cpu, mask) for_each_set_bit(cpu, cpumask_bits(mask), nr_cpu_ids)
#define for_each_cpu_not(cpu, mask) for_each_clear_bit(cpu, cpumask_bits(mask), nr_cpu_ids)
#define for_each_cpu_and(cpu, a, b) \
	for_each_and_bit(cpu, cpumask_bits(a), cpumask_bits(b), nr_cpu_ids)
/* All CPUs of the mask, from start on, wrapping around. */
#define for_each_cpu_wrap(cpu, mask, start)				\
	for (unsigned int wrap_ = 0; wrap_ < nr_cpu_ids; wrap_++)	\
		if (!cpumask_test_cpu((cpu) = ((unsigned int)(start) + wrap_) % nr_cpu_ids, \
				      mask))				\
			;						\
		else
#define for_each_cpu_andnot(cpu, a, b)					\
	for_each_cpu(cpu, a)						\
		if (cpumask_test_cpu(cpu, b)) { } else
#define for_each_cpu_or(cpu, a, b)					\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)			\
		if (!cpumask_test_cpu(cpu, a) && !cpumask_test_cpu(cpu, b)) { } else
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_possible_cpu(cpu) for_each_online_cpu(cpu)
#define for_each_present_cpu(cpu) for_each_online_cpu(cpu)

#define for_each_possible_cpu_wrap(cpu, start) \
	for_each_cpu_wrap(cpu, cpu_possible_mask, start)
#define for_each_online_cpu_wrap(cpu, start) for_each_cpu_wrap(cpu, cpu_online_mask, start)

/* The mask itself, since it is one word (64 CPUs). */
typedef struct cpumask cpumask_var_t[1];
#define CPUMASK_VAR_NULL { { { 0 } } }
static inline bool alloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	(void)mask;
	(void)gfp;
	return true;
}

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	(void)gfp;
	cpumask_clear(*mask);
	return true;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
	(void)mask;
}

#define alloc_cpumask_var_node(mask, gfp, node) ((void)(node), alloc_cpumask_var(mask, gfp))
#define zalloc_cpumask_var_node(mask, gfp, node) ((void)(node), zalloc_cpumask_var(mask, gfp))
#define cpumask_available(mask) true

USERMM_BEGIN_DECLS

/*
 * cpulist_parse() reads a list like "0-3,7" into a mask: 0 or -errno. cpumap_print_to_pagebuf()
 * prints a mask with a newline, and returns the length.
 */
int cpulist_parse(const char *text, struct cpumask *mask) USERMM_API(cpulist_parse);
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0) || defined(USERMM_KERNEL_LAYER)
ssize_t cpumap_print_to_pagebuf(bool list, char *buffer, const struct cpumask *mask)
	USERMM_API(cpumap_print_to_pagebuf);
#else
USERMM_REMOVED(cpumap_print_to_pagebuf, "7.3", "%*pbl")
#endif

USERMM_END_DECLS

#endif
