/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of restartable sequences: the area that is registered for each thread. Facts
 * from include/uapi/linux/rseq.h and rseq(2). Only the kernel writes to the fields of a registered
 * area, except for rseq_cs.
 */
#ifndef PERCPU_RSEQ_ABI_H
#define PERCPU_RSEQ_ABI_H

#include "base/compiler.h"

struct rseq_area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;	/* the only field that user space writes */
	uint32_t flags;
	uint32_t node_id;
	uint32_t mm_cid;
};

#define RSEQ_CPU_ID_BYTES 20	/* up to and including flags: every kernel has these */
#define RSEQ_MM_CID_BYTES 28
#define RSEQ_ORIGINAL_BYTES 32
#define RSEQ_AREA_ALIGN 32UL

_Static_assert(offsetof(struct rseq_area, rseq_cs) == 8, "kernel ABI");
_Static_assert(offsetof(struct rseq_area, mm_cid) + 4 == RSEQ_MM_CID_BYTES, "kernel ABI");
_Static_assert(sizeof(struct rseq_area) == RSEQ_ORIGINAL_BYTES, "kernel ABI");
_Static_assert(RSEQ_MM_CID_BYTES <= RSEQ_AREA_ALIGN, "rseq_area_of()");

/*
 * The area that contains the index field; both are offsets from the thread pointer. Arithmetic
 * replaces a load, because a malloc/free pair costs what its loads cost. All index fields are in
 * the area's first RSEQ_AREA_ALIGN bytes, and registration.c accepts only areas aligned to as many.
 */
static __always_inline unsigned long rseq_area_of(unsigned long index_field)
{
	return index_field & -RSEQ_AREA_ALIGN;
}

/* cpu_id of an area that the kernel does not maintain: not registered (yet), or refused. */
#define RSEQ_CPU_ID_UNINITIALIZED ((uint32_t)-1)
#define RSEQ_CPU_ID_REGISTRATION_FAILED ((uint32_t)-2)

/* rseq(2)'s flag. */
#define RSEQ_FLAG_UNREGISTER 1

/* The word in front of every abort target. libc registers areas with the same signature. */
#if defined(__x86_64__)
#define RSEQ_SIGNATURE 0x53053053
#elif defined(__aarch64__)
#define RSEQ_SIGNATURE 0xd428bc00
#elif defined(__riscv)
#define RSEQ_SIGNATURE 0xf1401073
#else
#define RSEQ_SIGNATURE 0
#endif

/* getauxval() key: how many bytes of the area this kernel fills; 0 before Linux 6.3. */
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

#endif
