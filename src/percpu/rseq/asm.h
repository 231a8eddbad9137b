/* SPDX-License-Identifier: MIT */
/*
 * What the sequences of all processors share: how a sequence is built, its descriptor, the places
 * where tests interfere, and the asm statement that holds a sequence.
 *
 * 1. Frame. Each operation is one asm statement with these parts:
 *
 *	label 3		the descriptor (the kernel's struct rseq_cs), in section __rseq_cs
 *	announcement	stores the descriptor's address to the thread's rseq->rseq_cs
 *	label 1		start_ip. From here to label 2 the kernel sends the thread to label 4 if
 *			it preempts or migrates the thread, or delivers a signal to it
 *	slot		loads the slot index, compares it with the bound, makes it an address
 *	work		loads; stores that nobody else looks at
 *	commit		one store to the head of the stack: the last instruction
 *	label 2		the end
 *	label 4		abort_ip, in section __rseq_abort, behind the signature; the function
 *			returns false. To an unwinder it looks like a function that the
 *			instruction before label 1 has called: see RSEQ_UNWIND
 *
 *    No instruction stands between the announcement and label 1. If the kernel interrupted a thread
 *    there it would find the thread outside the sequence and withdraw the announcement.
 *
 * 2. Why an operation happens as a whole or not at all. A thread that is interrupted before its
 *    commit goes to label 4. Until then it has stored only to entries at or above the count, which
 *    nobody reads (dead entries), or to memory that the caller owns. A thread that is interrupted
 *    after its commit is at label 2, outside the sequence, and goes on.
 *
 * 3. Why operations on one slot do not mix. The kernel gives a slot index to one running thread at
 *    a time. It restarts this thread's sequence before another thread, or a signal handler of the
 *    same thread, can use that slot. So what a sequence has loaded from its slot is still true at
 *    its commit. Two cases are handled elsewhere: remote.h has the thread that stops a slot from
 *    another CPU, and vfork.c keeps a child of vfork() away from all slots.
 *
 * 4. Results. A function returns false if its sequence was aborted. Nothing has happened then; only
 *    rseq_push_last() and rseq_push_n_last() may have changed their items. Otherwise *result is
 *    what percpu.h promises for the operation.
 *
 * 5. Descriptors stay mapped. No sequence clears rseq->rseq_cs after its commit. The kernel clears
 *    it when it next finds the thread outside the sequence, and may read the descriptor until then.
 *    So the shared libraries are linked NODELETE, and plugins that contain an archive are kept
 *    (os/keep_loaded.c).
 */
#ifndef PERCPU_RSEQ_ASM_H
#define PERCPU_RSEQ_ASM_H

#include "percpu/rseq/abi.h"

#define RSEQ_SUPPORTED 1
#define RSEQ_IN_C 0

/*
 * Tests define this to interrupt or delay a sequence. Point 1 is behind the choice of the slot,
 * point 2 in front of the commit. The inserted code may change flags and nothing else.
 */
#ifndef RSEQ_INJECT
#define RSEQ_INJECT(point) ""
#endif

/* A number of the C preprocessor, as text for the assembler. */
#define RSEQ_TEXT(word) #word
#define RSEQ_WORD(word) RSEQ_TEXT(word)

/*
 * The kernel's struct rseq_cs, at label 3: version 0, flags 0, start_ip (label 1),
 * post_commit_offset (label 2 - label 1), abort_ip (label 4).
 */
#define RSEQ_DESCRIPTOR							\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n"							\
	"3:\n\t"							\
	".long 0, 0\n\t"						\
	".quad 1f, 2f - 1f, 4f\n\t"					\
	".popsection\n\t"

/*
 * How an unwinder gets from an abort target to the function. A profiler's signal aborts a sequence
 * first, so the profiler often finds a thread there. The function's own unwind table does not reach
 * into another section, and no assembler can copy the table's row. So the abort target is a frame
 * of its own, without anything on the stack, that seems to be called from the sequence's start. The
 * stack pointer and all registers are the caller's, and only the return address must be told.
 *
 * `rule` tells it: DW_CFA_val_expression, the column, and an expression. The column must not be a
 * register that the function may need. The abort target's code is from label 8 to label 9.
 *
 * The table is written out, because clang 14 knows no .cfi_startproc inside of a function. Both
 * entries have a multiple of 8 bytes. Linkers merge equal CIEs. All lengths are numbers, because
 * linkers read them before they relocate the section.
 */
#define RSEQ_UNWIND(cie_bytes, column, stack_pointer, rule)		\
	".pushsection .eh_frame, \"a\", @progbits\n\t"			\
	/* the CIE: its other bytes, id, version 1, "zR", factors 1 and -8 */\
	".long " cie_bytes " - 4, 0\n\t"				\
	".byte 1, 0x7a, 0x52, 0, 1, 0x78, " column "\n\t"		\
	/* addresses are relative, of 4 bytes; DW_CFA_def_cfa: the stack pointer + 0 */\
	".byte 1, 0x1b, 0x0c, " stack_pointer ", 0\n\t"			\
	".byte " rule "\n\t"						\
	/* the FDE: its other bytes, distance to the CIE, start, length, DW_CFA_nop */\
	".long 20, " cie_bytes " + 4\n\t"				\
	".long 8b - .\n\t"						\
	".long 9b - 8b\n\t"						\
	".quad 0\n\t"							\
	".popsection\n\t"

/*
 * gcc before 12.4 mishandles an asm goto with outputs (gcc bug 113921): at one exit it may use the
 * value that the output has at another exit. So the operand that carries the result has the right
 * value at every exit. It goes in as "failed" and stays so on every early exit; the abort target
 * makes it "failed" again; an empty asm follows the statement. Scratch registers are fixed
 * clobbers, not outputs.
 *
 * clang up to version 22 mishandles a pointer that is such an output. It may compute something from
 * the pointer for a later loop, such as the number of turns, behind the asm goto, where its block
 * has ended. It then crashes, or (versions 21 and 22) silently drops the code that follows. So for
 * clang the empty asm makes the result anew.
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
 * percpu.index_field. A thread may start a sequence when this is not 0. The load is plain, so that
 * the compiler needs only one; RSEQ_FRAME orders it before the sequence's own loads of percpu.
 */
static __always_inline unsigned long rseq_index_field(void)
{
	return percpu.index_field;
}

/* The calling thread's slot index. It may be out of date at once. */
static inline uint32_t rseq_index(void)
{
	return *(volatile uint32_t *)((char *)thread_pointer() + rseq_index_field());
}

#endif
