/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of restartable sequences: the area that libc registers for
 * each thread. Facts from include/uapi/linux/rseq.h; only the kernel writes to
 * the fields behind rseq_cs and before it.
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

#define RSEQ_CPU_ID_BYTES 20	/* up to and with flags: always there */
#define RSEQ_MM_CID_BYTES 28
#define RSEQ_ORIGINAL_BYTES 32

_Static_assert(offsetof(struct rseq_area, rseq_cs) == 8, "kernel ABI");
_Static_assert(offsetof(struct rseq_area, mm_cid) + 4 == RSEQ_MM_CID_BYTES, "kernel ABI");

/* getauxval(): bytes of the area that this kernel fills; 0 before Linux 6.3. */
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

#endif
