/* SPDX-License-Identifier: MIT */
/*
 * What the sequences of all processors have in common: the descriptor, where tests
 * may put something, and the statement that holds a sequence.
 */
#ifndef PERCPU_RSEQ_ASM_H
#define PERCPU_RSEQ_ASM_H

#include "percpu/rseq/abi.h"

#define RSEQ_SUPPORTED 1
#define RSEQ_IN_C 0

/*
 * Where tests interrupt or delay a sequence: point 1 is behind the choice of the
 * slot, point 2 in front of the commit. Nothing but flags may be changed there.
 */
#ifndef RSEQ_INJECT
#define RSEQ_INJECT(point) ""
#endif

/* The C preprocessor's number as the assembler's. */
#define RSEQ_TEXT(word) #word
#define RSEQ_WORD(word) RSEQ_TEXT(word)

/*
 * Version 0, flags 0, start, length, abort target: label 3 describes the sequence
 * from label 1 to label 2, which the kernel sends to label 4.
 */
#define RSEQ_DESCRIPTOR							\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n"							\
	"3:\n\t"							\
	".long 0, 0\n\t"						\
	".quad 1f, 2f - 1f, 4f\n\t"					\
	".popsection\n\t"

/*
 * gcc before 12.4 mishandles values that change on the edges of an asm goto
 * with outputs (gcc bug 113921): it may take the operand as it is for the value
 * of another exit. So on every way out the operand that carries the result holds
 * what that exit means: it goes in as "failed", stays so on every early exit, is
 * made so again at the abort target, and an empty asm follows the statement.
 * Scratch registers are fixed clobbers.
 *
 * clang mishandles a pointer that is such an output: what it computes from it for a loop, as the
 * number of turns, may end up behind the statement, which ends its block. Versions up to 22 crash
 * then, or drop what follows without a word (21, 22). So there the empty asm makes the result anew.
 */
#ifdef __clang__
#define RSEQ_RESULT(result) "+r"(result)
#else
#define RSEQ_RESULT(result)
#endif
#define RSEQ_ASM(...)							\
	do {								\
		__asm__ volatile goto(__VA_ARGS__);			\
		__asm__ volatile("");					\
	} while (0)
#define RSEQ_ASM_GIVING(result, ...)					\
	do {								\
		__asm__ volatile goto(__VA_ARGS__);			\
		__asm__ volatile("" : RSEQ_RESULT(result));		\
	} while (0)

/*
 * percpu.index_field, after which a sequence may be started: RSEQ_FRAME says what orders
 * it before the sequence's own loads. Plain, so that the compiler needs only one load.
 */
static __always_inline unsigned long rseq_index_field(void)
{
	return percpu.index_field;
}

/* The calling thread's slot index, which may be out of date at once. */
static inline uint32_t rseq_index(void)
{
	return *(volatile uint32_t *)((char *)thread_pointer() + rseq_index_field());
}

#endif
