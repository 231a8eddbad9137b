/* SPDX-License-Identifier: MIT */
/*
 * The restartable sequences for x86-64.
 *
 * Every sequence has the same frame. Its descriptor lies in section __rseq_cs;
 * the thread announces it by a store to rseq->rseq_cs; from label 1 to label 2
 * the kernel sends the thread to the abort label when it is preempted, moved
 * or interrupted. The instruction before label 2 is the only store that others
 * on this slot can see the effect of: the commit. Earlier stores go to entries
 * above the count, or to the caller's own memory.
 *
 * Each function is false if its sequence was aborted: nothing has happened then.
 * Otherwise *result is what percpu.h promises for the operation.
 *
 * rseq->rseq_cs is not cleared after the commit: the instruction pointer is
 * then outside the sequence and the kernel clears it lazily. The descriptors
 * must therefore stay mapped: the shared libraries are linked NODELETE, and
 * plugins with an archive in them are kept (os/keep_loaded.c).
 */
#ifndef PERCPU_RSEQ_X86_64_H
#define PERCPU_RSEQ_X86_64_H

#include "percpu/rseq/asm.h"

#define RSEQ_BY_ADDRESS 1

/*
 * The descriptor and the abort target: a signed landing place that clears the
 * half-made result and jumps back to the C label. The signature is the operand of an
 * undefined instruction, so that a disassembler stays in step.
 *
 * The operand `index` was loaded before the sequence loads the rest of percpu, and
 * loads stay in order here: that pairs with start_sequences().
 */
#define RSEQ_FRAME(result) RSEQ_FRAME_KEEPING(result, "")
/* The same; at_abort is done at the abort target, with the registers as they were. */
#define RSEQ_FRAME_KEEPING(result, at_abort)				\
	RSEQ_FRAME_DOING(at_abort "xorl %k[" result "], %k[" result "]\n\t")
#define RSEQ_FRAME_DOING(at_abort) RSEQ_FRAME_BY("%%rcx", at_abort)
/* The same; in the register, which is not 0 then, is the descriptor's address. */
#define RSEQ_FRAME_BY(descriptor, at_abort)				\
	RSEQ_DESCRIPTOR							\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".byte 0x0f, 0xb9, 0x3d\n\t"					\
	".long " RSEQ_WORD(RSEQ_SIGNATURE) "\n"				\
	"4:\n\t"							\
	at_abort							\
	"jmp %l[aborted]\n\t"						\
	".popsection\n\t"						\
	"leaq 3b(%%rip), " descriptor "\n\t"				\
	"movq " descriptor ", %%fs:8(%[area])\n"			\
	"1:\n\t"

/* rcx = percpu_ptr(array, index); an index out of range leaves the sequence. */
#define RSEQ_SLOT RSEQ_SLOT_OR("2f")
#define RSEQ_SLOT_OR(out_of_range) RSEQ_SLOT_BY(RSEQ_OF_PIECE, out_of_range)
/* What array is: a piece, or its address in the first slot, which takes no load. */
#define RSEQ_OF_PIECE "addq %[slots], %%rcx\n\t"
#define RSEQ_OF_ADDRESS ""
#define RSEQ_SLOT_BY(kind, out_of_range)				\
	"movl %%fs:(%[index]), %%ecx\n\t"				\
	"cmpl %[limit], %%ecx\n\t"					\
	"jae " out_of_range "\n\t"					\
	"shlq %[shift], %%rcx\n\t"					\
	kind								\
	"addq %[array], %%rcx\n\t"					\
	RSEQ_INJECT(1)

/* The end of a sequence, right behind its commit. */
#define RSEQ_END "2:\n\t"

/*
 * Leaves for a C label because there is nothing to do, so that nobody has to look at a result for
 * that. Straight, since the label is near: that takes two bytes of code in place of six.
 */
#define RSEQ_OUT(label) "%l[" label "]"

#define RSEQ_INPUTS							\
	[index] "r"(rseq_index_field()),				\
	[area] "r"(rseq_area_of(rseq_index_field())),			\
	[limit] "m"(percpu.bound.limit), [slots] "m"(percpu.slots),	\
	[shift] "i"(PERCPU_SLOT_SHIFT)

/*
 * slot = slot_of(array);
 * if (slot->count <= 0) return NULL;		// signed: PERCPU_STOPPED is below 0
 * item = slot->items[slot->count - 1];
 * slot->count--;				// commit
 */
#define RSEQ_DEFINE_POP(name, kind)					\
static __always_inline bool name(struct percpu_array *array, void **result)\
{									\
	void *item = NULL;						\
									\
	RSEQ_ASM_GIVING(item, RSEQ_FRAME("item")				\
		 RSEQ_SLOT_BY(kind, RSEQ_OUT("empty"))			\
		 "movl (%%rcx), %%edx\n\t"				\
		 "subl $1, %%edx\n\t"					\
		 "jl " RSEQ_OUT("empty") "\n\t"				\
		 "movq 8(%%rcx, %%rdx, 8), %[item]\n\t"			\
		 RSEQ_INJECT(2)						\
		 "movl %%edx, (%%rcx)\n"		/* commit */	\
		 RSEQ_END						\
		 : [item] "+&r"(item)					\
		 : RSEQ_INPUTS, [array] "r"(array)			\
		 : "rcx", "rdx", "memory", "cc"				\
		 : empty, aborted);					\
	if (!item)							\
		__builtin_unreachable();	/* none of them is NULL */\
	*result = item;							\
	return true;							\
empty:									\
	*result = NULL;							\
	return true;							\
aborted:								\
	return false;							\
}
RSEQ_DEFINE_POP(rseq_pop, RSEQ_OF_PIECE)
RSEQ_DEFINE_POP(rseq_pop_at, RSEQ_OF_ADDRESS)

/*
 * slot = slot_of(array);
 * if (slot->count >= slot->limit) return false;
 * slot->items[slot->count] = item;		// dead entry
 * slot->count++;				// commit
 */
#define RSEQ_DEFINE_PUSH(name, kind)					\
static __always_inline bool name(struct percpu_array *array, void *item, bool *result)\
{									\
	RSEQ_ASM(RSEQ_FRAME_DOING("")					\
		 RSEQ_SLOT_BY(kind, RSEQ_OUT("full"))			\
		 "movl (%%rcx), %%edx\n\t"				\
		 "cmpl 4(%%rcx), %%edx\n\t"				\
		 "jae " RSEQ_OUT("full") "\n\t"				\
		 "movq %[item], 8(%%rcx, %%rdx, 8)\n\t"			\
		 "addl $1, %%edx\n\t"					\
		 RSEQ_INJECT(2)						\
		 "movl %%edx, (%%rcx)\n"		/* commit */	\
		 RSEQ_END						\
		 :							\
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item)	\
		 : "rcx", "rdx", "memory", "cc"				\
		 : full, aborted);					\
	*result = true;							\
	return true;							\
full:									\
	*result = false;						\
	return true;							\
aborted:								\
	return false;							\
}
RSEQ_DEFINE_PUSH(rseq_push, RSEQ_OF_PIECE)
RSEQ_DEFINE_PUSH(rseq_push_at, RSEQ_OF_ADDRESS)

/* Copies edx pointers, last ones first. Destroys rax and rdx. */
#define RSEQ_COPY_ONE(from, to, offset)					\
	"movq " offset "(" from ", %%rdx, 8), %%rax\n\t"		\
	"movq %%rax, " offset "(" to ", %%rdx, 8)\n\t"
#define RSEQ_COPY_BY(from, to, of_many)					\
	"testl $1, %%edx\n\t"						\
	"jz 5f\n\t"							\
	RSEQ_COPY_ONE(from, to, "-8")					\
	"subl $1, %%edx\n\t"						\
	"jz 7f\n"							\
	"5:\n\t"							\
	of_many								\
	"6:\n\t"							\
	RSEQ_COPY_ONE(from, to, "-8")					\
	RSEQ_COPY_ONE(from, to, "-16")					\
	"subl $2, %%edx\n\t"						\
	"jnz 6b\n"							\
	"7:\n\t"
/* Two at once. Destroys xmm0 besides. */
#define RSEQ_COPY_TWO(from, to, offset)					\
	"movups " offset "(" from ", %%rdx, 8), %%xmm0\n\t"		\
	"movups %%xmm0, " offset "(" to ", %%rdx, 8)\n\t"
#define RSEQ_COPY_FOUR(from, to)					\
	RSEQ_COPY_TWO(from, to, "-16")					\
	RSEQ_COPY_TWO(from, to, "-32")					\
	"subl $4, %%edx\n\t"
/*
 * Into an array of a slot two at once if they are 32 and more: what is 16 bytes long may cross a
 * line there, and is then not forwarded from the store that made it; nor are two stores of the
 * caller's, if he has just made them, to one load of both. That is a wait for each batch.
 */
#define RSEQ_COPY_IN(from, to)						\
	RSEQ_COPY_BY(from, to,						\
		     "cmpl $32, %%edx\n\t"				\
		     "jb 6f\n"						\
		     "8:\n\t"						\
		     RSEQ_COPY_FOUR(from, to)				\
		     "cmpl $4, %%edx\n\t"				\
		     "ja 8b\n")
/*
 * Out of it as far as they were stored some time ago. The last ones to be copied are the last
 * that push_n stored, perhaps just before; so are all, if they are few.
 */
#define RSEQ_COPY_OUT(from, to)						\
	RSEQ_COPY_BY(from, to,						\
		     "cmpl $16, %%edx\n\t"				\
		     "jbe 6f\n"						\
		     "8:\n\t"						\
		     RSEQ_COPY_FOUR(from, to)				\
		     "cmpl $16, %%edx\n\t"				\
		     "ja 8b\n")

/*
 * Takes up to n items; returns how many. out[] is in the array's order: the
 * item pushed last is the last one. out must have been written to before.
 *
 * slot = slot_of(array);
 * if (slot->count <= 0) return 0;		// signed
 * n = min(n, slot->count);
 * memcpy(out, &slot->items[slot->count - n], n * 8);	// caller's memory
 * slot->count -= n;					// commit
 */
static __always_inline bool rseq_pop_n(struct percpu_array *array, void **out,
				       unsigned int n, unsigned int *result)
{
	unsigned long taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "movl (%%rcx), %%r8d\n\t"
		 "testl %%r8d, %%r8d\n\t"
		 "jle 2f\n\t"
		 "cmpl %%r8d, %[n]\n\t"
		 "movl %[n], %k[taken]\n\t"
		 "cmoval %%r8d, %k[taken]\n\t"
		 "subl %k[taken], %%r8d\n\t"
		 "leaq 8(%%rcx, %%r8, 8), %%r9\n\t"
		 "movl %k[taken], %%edx\n\t"
		 "testl %%edx, %%edx\n\t"
		 "jz 2f\n\t"
		 RSEQ_COPY_OUT("%%r9", "%[out]")
		 RSEQ_INJECT(2)
		 "movl %%r8d, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out), [n] "r"(n)
		 : "rax", "rcx", "rdx", "r8", "r9", "xmm0", "memory", "cc"
		 : aborted);
	*result = (unsigned int)taken;
	return true;
aborted:
	return false;
}

/*
 * Puts the first items of in[] on top, as many as fit; returns how many.
 *
 * slot = slot_of(array);
 * if (slot->count >= slot->limit) return 0;
 * n = min(n, slot->limit - slot->count);
 * memcpy(&slot->items[slot->count], in, n * 8);	// dead entries
 * slot->count += n;					// commit
 */
static __always_inline bool rseq_push_n(struct percpu_array *array, void *const *in,
					unsigned int n, unsigned int *result)
{
	unsigned long taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "movl (%%rcx), %%r8d\n\t"
		 "movl 4(%%rcx), %%edx\n\t"
		 "subl %%r8d, %%edx\n\t"
		 "jbe 2f\n\t"
		 "cmpl %%edx, %[n]\n\t"
		 "cmovbl %[n], %%edx\n\t"
		 "movl %%edx, %k[taken]\n\t"
		 "leaq 8(%%rcx, %%r8, 8), %%r9\n\t"
		 "addl %%edx, %%r8d\n\t"
		 "testl %%edx, %%edx\n\t"
		 "jz 2f\n\t"
		 RSEQ_COPY_IN("%[in]", "%%r9")
		 RSEQ_INJECT(2)
		 "movl %%r8d, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"(n)
		 : "rax", "rcx", "rdx", "r8", "r9", "xmm0", "memory", "cc"
		 : aborted);
	*result = (unsigned int)taken;
	return true;
aborted:
	return false;
}

/*
 * slot = slot_of(list);
 * if (!slot->head) return NULL;
 * item = slot->head >> 16;
 * slot->head = *(unsigned long *)item;		// commit
 */
static __always_inline bool rseq_list_pop(struct percpu_list *list, void **result)
{
	void *item = NULL;

	RSEQ_ASM_GIVING(item, RSEQ_FRAME("item")
		 RSEQ_SLOT
		 "movq (%%rcx), %[item]\n\t"
		 "shrq $16, %[item]\n\t"
		 "jz 2f\n\t"
		 "movq (%[item]), %%rdx\n\t"
		 RSEQ_INJECT(2)
		 "movq %%rdx, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [item] "+&r"(item)
		 : RSEQ_INPUTS, [array] "r"(list)
		 : "rcx", "rdx", "memory", "cc"
		 : aborted);
	*result = item;
	return true;
aborted:
	return false;
}

/*
 * False when the list is full. (Of the number's 16 bits -1 is the largest, and an immediate
 * of one byte, which decodes faster than one of two.)
 *
 * slot = slot_of(list);
 * if ((uint16_t)slot->head == 0xffff) return false;
 * *(unsigned long *)item = slot->head;			// caller's memory
 * slot->head = item << 16 | (uint16_t)slot->head + 1;	// commit
 */
static __always_inline bool rseq_list_push(struct percpu_list *list, void *item, bool *result)
{
	unsigned long pushed = 0;
	unsigned long high = (unsigned long)item << PERCPU_LIST_NR_BITS;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "movq (%%rcx), %%rdx\n\t"
		 "cmpw $-1, %%dx\n\t"
		 "je 2f\n\t"
		 "movq %%rdx, (%[item])\n\t"
		 "movzwl %%dx, %%edx\n\t"
		 "leaq 1(%[high], %%rdx), %[pushed]\n\t"
		 RSEQ_INJECT(2)
		 "movq %[pushed], (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(list), [item] "r"(item), [high] "r"(high)
		 : "rcx", "rdx", "memory", "cc"
		 : aborted);
	*result = pushed != 0;
	return true;
aborted:
	return false;
}

/*
 * The tagged lists of tagged_list.h. A head without an item is 0 or odd: shifted to the
 * right it leaves 0, or the carry. One is in the item's block if they differ in no bit
 * above the block's, so by no more than the mask.
 *
 * slot = slot_of(list);
 * item = slot->head;
 * if (!item || item & 1) return NULL;
 * slot->head = *(unsigned long *)(item + link_offset);	// commit
 */
static __always_inline bool rseq_tagged_pop(struct percpu_tagged_list *list,
					    unsigned long link_offset, void **result)
{
	void *item = NULL;

	RSEQ_ASM_GIVING(item, RSEQ_FRAME("item")
		 RSEQ_SLOT
		 "movq (%%rcx), %%rdx\n\t"
		 "movq %%rdx, %%rax\n\t"
		 "shrq $1, %%rax\n\t"
		 "jbe 2f\n\t"
		 "movq (%%rdx, %[link]), %%rax\n\t"
		 "movq %%rdx, %[item]\n\t"
		 RSEQ_INJECT(2)
		 "movq %%rax, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [item] "+&r"(item)
		 : RSEQ_INPUTS, [array] "r"(list), [link] "r"(link_offset)
		 : "rax", "rcx", "rdx", "memory", "cc"
		 : aborted);
	*result = item;
	return true;
aborted:
	return false;
}

/*
 * slot = slot_of(list);
 * if ((slot->head ^ item) > mask) return false;
 * *(unsigned long *)(item + link_offset) = slot->head;	// caller's memory
 * slot->head = item;					// commit
 */
static __always_inline bool rseq_tagged_push(struct percpu_tagged_list *list, void *item,
					     unsigned long link_offset, unsigned long mask,
					     bool *result)
{
	unsigned int pushed = 0;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "movq (%%rcx), %%rdx\n\t"
		 "movq %%rdx, %%rax\n\t"
		 "xorq %[item], %%rax\n\t"
		 "cmpq %[mask], %%rax\n\t"
		 "ja 2f\n\t"
		 "movq %%rdx, (%[item], %[link])\n\t"
		 "movl $1, %[pushed]\n\t"
		 RSEQ_INJECT(2)
		 "movq %[item], (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(list), [item] "r"(item), [link] "r"(link_offset),
		   [mask] "r"(mask)
		 : "rax", "rcx", "rdx", "memory", "cc"
		 : aborted);
	*result = pushed;
	return true;
aborted:
	return false;
}

/*
 * slot = slot_of(list);
 * if (slot->head != old) return false;
 * slot->head = new;			// commit
 */
static __always_inline bool rseq_tagged_cas(struct percpu_tagged_list *list, unsigned long old,
					    unsigned long new, bool *result)
{
	unsigned int swapped = 0;

	RSEQ_ASM_GIVING(swapped, RSEQ_FRAME("swapped")
		 RSEQ_SLOT
		 "cmpq (%%rcx), %[old]\n\t"
		 "jne 2f\n\t"
		 "movl $1, %[swapped]\n\t"
		 RSEQ_INJECT(2)
		 "movq %[new], (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [swapped] "+&r"(swapped)
		 : RSEQ_INPUTS, [array] "r"(list), [old] "r"(old), [new] "r"(new)
		 : "rcx", "memory", "cc"
		 : aborted);
	*result = swapped;
	return true;
aborted:
	return false;
}

/*
 * An item whose only owner gives it up: see percpu_push_last_fast(). rax becomes 0 when the
 * count is found right, and has not been before (no sole_count is 0 either): so it tells at the
 * abort target whether the count may have been made 0.
 *
 * slot = slot_of(array);
 * if (slot->count >= slot->limit || item->count != percpu.sole_count) return false;
 * item->count = 0;				// caller's memory
 * item->flags = 0;				// behind the count, which tells of it
 * slot->items[slot->count] = item;		// dead entry
 * slot->count++;				// commit
 */
static __always_inline bool rseq_push_last(struct percpu_array *array, void *item, bool *seen,
					   bool *result)
{
	RSEQ_ASM(RSEQ_FRAME_BY("%%rax", "testq %%rax, %%rax\n\tjz %l[taken]\n\t")
		 RSEQ_SLOT_OR(RSEQ_OUT("kept"))
		 "movl (%%rcx), %%edx\n\t"
		 "cmpl 4(%%rcx), %%edx\n\t"
		 "jae " RSEQ_OUT("kept") "\n\t"
		 "movl %[sole], %%eax\n\t"
		 "subl %c[count](%[item]), %%eax\n\t"
		 "jne " RSEQ_OUT("kept") "\n\t"
		 "movl %%eax, %c[count](%[item])\n\t"
		 "movq %%rax, %c[flags](%[item])\n\t"
		 "movq %[item], 8(%%rcx, %%rdx, 8)\n\t"
		 "addl $1, %%edx\n\t"
		 RSEQ_INJECT(2)
		 "movl %%edx, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 :
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item), [sole] "m"(percpu.sole_count),
		   [flags] "i"(PERCPU_ITEM_FLAGS), [count] "i"(PERCPU_ITEM_COUNT)
		 : "rax", "rcx", "rdx", "memory", "cc"
		 : kept, aborted, taken);
	*result = true;
	return true;
kept:
	*result = false;
	return true;
taken:
	*seen = true;
	return false;
aborted:
	*seen = false;
	return false;
}

/* `checked` is stored by the sequence before it can jump to `aborted`, which clang does not see. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#endif

/*
 * As many of the first items as fit and can be given up: up to the first NULL, and the
 * first whose flags or count are not right. n is not 0. Before a count is made 0, r8 is the
 * number of items whose counts were found right: what *seen is if the sequence is aborted.
 * The flags are looked at behind the count, which tells that nobody else changes them any more.
 *
 * slot = slot_of(array);
 * if (slot->count >= slot->limit) return 0;
 * n = min(n, slot->limit - slot->count);
 * for (i = 0; i < n && in[i] && in[i]->count == percpu.sole_count && !in[i]->flags; i++) {
 *	in[i]->count = 0;			// caller's memory
 *	slot->items[slot->count + i] = in[i];	// dead entries
 * }
 * slot->count += i;				// commit
 */
static __always_inline bool rseq_push_n_last(struct percpu_array *array, void *const *in,
					     unsigned int n, uint32_t *seen,
					     unsigned int *result)
{
	unsigned long taken = 0;
	uint32_t checked;

	RSEQ_ASM_GIVING(taken, "xorl %%r8d, %%r8d\n\t"
		 RSEQ_FRAME_KEEPING("taken", "movl %%r8d, %[checked]\n\t")
		 RSEQ_SLOT
		 "movl (%%rcx), %%r9d\n\t"
		 "movl 4(%%rcx), %%edx\n\t"
		 "subl %%r9d, %%edx\n\t"
		 "jbe 2f\n\t"
		 "cmpl %%edx, %[n]\n\t"
		 "cmovbl %[n], %%edx\n\t"
		 "leaq 8(%%rcx, %%r9, 8), %%r10\n\t"
		 "movl %[sole], %%eax\n"
		 "5:\n\t"
		 "movq (%[in], %%r8, 8), %[taken]\n\t"
		 "testq %[taken], %[taken]\n\t"
		 "jz 6f\n\t"
		 "cmpl %c[count](%[taken]), %%eax\n\t"
		 "jne 6f\n\t"
		 "cmpq $0, %c[flags](%[taken])\n\t"
		 "jne 6f\n\t"
		 "addl $1, %%r8d\n\t"
		 "movl $0, %c[count](%[taken])\n\t"
		 "movq %[taken], -8(%%r10, %%r8, 8)\n\t"
		 "cmpl %%edx, %%r8d\n\t"
		 "jb 5b\n"
		 "6:\n\t"
		 "addl %%r8d, %%r9d\n\t"
		 "movq %%r8, %[taken]\n\t"
		 RSEQ_INJECT(2)
		 "movl %%r9d, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken), [checked] "=m"(checked)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"(n),
		   [sole] "m"(percpu.sole_count), [flags] "i"(PERCPU_ITEM_FLAGS),
		   [count] "i"(PERCPU_ITEM_COUNT)
		 : "rax", "rcx", "rdx", "r8", "r9", "r10", "memory", "cc"
		 : aborted);
	*result = (unsigned int)taken;
	return true;
aborted:
	*seen = checked;
	return false;
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
