/* SPDX-License-Identifier: MIT */
/*
 * For an architecture that usermm has no restartable sequences for. percpu.index_field stays 0, so
 * percpu.h uses the locked slots and never reaches these functions.
 */
#ifndef PERCPU_RSEQ_NONE_H
#define PERCPU_RSEQ_NONE_H

#define RSEQ_SUPPORTED 0
#define RSEQ_IN_C 0
#define RSEQ_BY_ADDRESS 0

static inline unsigned long rseq_index_field(void)
{
	return 0;
}

#define RSEQ_ABSENT(name, ...)					\
	static __always_inline bool name(__VA_ARGS__)		\
	{							\
		__builtin_unreachable();			\
	}

RSEQ_ABSENT(rseq_pop, struct percpu_array *, void **)
RSEQ_ABSENT(rseq_push, struct percpu_array *, void *, bool *)
RSEQ_ABSENT(rseq_pop_n, struct percpu_array *, void **, unsigned int, unsigned int *)
RSEQ_ABSENT(rseq_push_n, struct percpu_array *, void *const *, unsigned int, unsigned int *)
RSEQ_ABSENT(rseq_list_pop, struct percpu_list *, void **)
RSEQ_ABSENT(rseq_list_push, struct percpu_list *, void *, bool *)
RSEQ_ABSENT(rseq_tagged_pop, struct percpu_tagged_list *, unsigned long, void **)
RSEQ_ABSENT(rseq_tagged_push, struct percpu_tagged_list *, void *, unsigned long, unsigned long,
	    bool *)
RSEQ_ABSENT(rseq_tagged_cas, struct percpu_tagged_list *, unsigned long, unsigned long, bool *)
RSEQ_ABSENT(rseq_push_last, struct percpu_array *, void *, bool *, bool *)
RSEQ_ABSENT(rseq_push_n_last, struct percpu_array *, void *const *, unsigned int, uint32_t *,
	    unsigned int *)

static inline uint32_t rseq_index(void)
{
	__builtin_unreachable();
}

#endif
