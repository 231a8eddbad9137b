/* SPDX-License-Identifier: MIT */
/*
 * The restartable sequences for x86-64. asm.h explains how a sequence is built and why it holds.
 *
 * Order. This processor lets nobody see two loads, two stores, or a load and a later store in
 * another order than the program's. So what aarch64.h says about order holds here without an
 * instruction. "memory" among the clobbers binds the compiler.
 */
#ifndef PERCPU_RSEQ_X86_64_H
#define PERCPU_RSEQ_X86_64_H

#include "percpu/rseq/asm.h"

#define RSEQ_BY_ADDRESS 1

/*
 * The return address (rip, 16): with p = rip & -32, p + 5 + *(int32_t *)(p + 1). In DWARF: breg16,
 * const1s, and, dup, plus_uconst, deref_size 4; shl and shra, which extend the sign; plus,
 * plus_uconst. Then DW_CFA_nop.
 */
#define RSEQ_TO_START							\
	"0x16, 16, 19, 0x80, 0, 0x09, -32, 0x1a, 0x12, 0x23, 1, 0x94, 4, "\
	"0x08, 32, 0x24, 0x08, 32, 0x26, 0x22, 0x23, 5, 0, 0, 0, 0, 0, 0"

/*
 * The descriptor, the abort target and the announcement. The abort target sets the result to 0,
 * which is failure, and jumps to the C label `aborted`. The signature in front of the target is the
 * operand of an undefined instruction, so that a disassembler stays in step.
 *
 * Nobody executes the jump to label 1: unwinders read its operand (see RSEQ_UNWIND). Each abort
 * target has 32 bytes, so that they find the jump from the address where the thread is.
 *
 * The operand `index` (percpu.index_field) is loaded before the sequence loads other fields of
 * percpu. This pairs with start_sequences(), which stores index_field last, by a store-release.
 */
#define RSEQ_FRAME(result) RSEQ_FRAME_KEEPING(result, "")
/*
 * As RSEQ_FRAME(). The abort target begins with the instructions at_abort, which may still read the
 * sequence's registers.
 */
#define RSEQ_FRAME_KEEPING(result, at_abort)				\
	RSEQ_FRAME_DOING(at_abort "xorl %k[" result "], %k[" result "]\n\t")
#define RSEQ_FRAME_DOING(at_abort) RSEQ_FRAME_BY("%%rcx", at_abort)
/* The announcement leaves the descriptor's address, which is not 0, in the given register. */
#define RSEQ_FRAME_BY(descriptor, at_abort)				\
	RSEQ_DESCRIPTOR							\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".balign 32\n"							\
	"8:\n\t"							\
	"jmp 1f\n\t"							\
	".byte 0x0f, 0xb9, 0x3d\n\t"					\
	".long " RSEQ_WORD(RSEQ_SIGNATURE) "\n"				\
	"4:\n\t"							\
	at_abort							\
	"jmp %l[aborted]\n\t"						\
	".org 8b + 32, 0xcc\n"						\
	"9:\n\t"							\
	".popsection\n\t"						\
	RSEQ_UNWIND("48", "16", "7", RSEQ_TO_START)			\
	"leaq 3b(%%rip), " descriptor "\n\t"				\
	"movq " descriptor ", %%fs:8(%[area])\n"			\
	"1:\n\t"

/* rcx = percpu_ptr(array, index). An index that has no slot leaves the sequence. */
#define RSEQ_SLOT RSEQ_SLOT_OR("2f")
#define RSEQ_SLOT_OR(out_of_range) RSEQ_SLOT_BY(RSEQ_OF_PIECE, out_of_range)
/* The operand `array` is a piece, or the piece's address in the first slot (no load needed). */
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

/* The end of a sequence. It stands right behind the commit. */
#define RSEQ_END "2:\n\t"

/*
 * Where a sequence jumps if there is nothing to do: straight to a C label, so that nobody has to
 * test a result for this case. The label is near, so the jump has two bytes instead of six.
 */
#define RSEQ_OUT(label) "%l[" label "]"

#define RSEQ_INPUTS							\
	[index] "r"(rseq_index_field()),				\
	[area] "r"(rseq_area_of(rseq_index_field())),			\
	[limit] "m"(percpu.bound.limit), [slots] "m"(percpu.slots),	\
	[shift] "i"(PERCPU_SLOT_SHIFT)

/*
 * slot = slot_of(array);
 * if (slot->count <= 0) return NULL;		// signed: a stopped count is below 0
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
		 "jl " RSEQ_OUT("empty") "\n\t"			\
		 "movq 16(%%rcx, %%rdx, 8), %[item]\n\t"		\
		 RSEQ_INJECT(2)						\
		 "movl %%edx, (%%rcx)\n"		/* commit */	\
		 RSEQ_END						\
		 : [item] "+&r"(item)					\
		 : RSEQ_INPUTS, [array] "r"(array)			\
		 : "rcx", "rdx", "memory", "cc"				\
		 : empty, aborted);					\
	if (!item)							\
		__builtin_unreachable();	/* no item is NULL */	\
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
 * if (slot->count >= slot->limit) return false;	// unsigned: a stopped count is large
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
		 "movq %[item], 16(%%rcx, %%rdx, 8)\n\t"		\
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

/* Copies edx pointers, the last ones first. Destroys rax and rdx. */
#define RSEQ_COPY_ONE(from, to, offset)					\
	"movq " offset "(" from ", %%rdx, 8), %%rax\n\t"		\
	"movq %%rax, " offset "(" to ", %%rdx, 8)\n\t"
#define RSEQ_COPY_BY(from, to, of_many)					\
	of_many								\
	"4:\n\t"							\
	"testl $1, %%edx\n\t"						\
	"jz 6f\n\t"							\
	RSEQ_COPY_ONE(from, to, "-8")					\
	"subl $1, %%edx\n\t"						\
	"jz 7f\n"							\
	"6:\n\t"							\
	RSEQ_COPY_ONE(from, to, "-8")					\
	RSEQ_COPY_ONE(from, to, "-16")					\
	"subl $2, %%edx\n\t"						\
	"jnz 6b\n"							\
	"7:\n\t"
/* Two pointers at once. Also destroys xmm0. */
#define RSEQ_COPY_TWO(from, to, offset)					\
	"movups " offset "(" from ", %%rdx, 8), %%xmm0\n\t"		\
	"movups %%xmm0, " offset "(" to ", %%rdx, 8)\n\t"
/*
 * More than `few` pointers: 16 bytes at once, until `rest` or fewer are left. In the slot's array
 * no 16 bytes cross a page: on Zen 4 that costs 20 cycles and more.
 */
#define RSEQ_COPY_MANY(from, to, slot, few, rest)			\
	"cmpl $" few ", %%edx\n\t"					\
	"jbe 4f\n\t"							\
	"leal (" slot ", %%rdx, 8), %%eax\n\t"				\
	"testb $8, %%al\n\t"						\
	"jz 8f\n\t"							\
	RSEQ_COPY_ONE(from, to, "-8")					\
	"subl $1, %%edx\n"						\
	"8:\n\t"							\
	RSEQ_COPY_TWO(from, to, "-16")					\
	RSEQ_COPY_TWO(from, to, "-32")					\
	"subl $4, %%edx\n\t"						\
	"cmpl $" rest ", %%edx\n\t"					\
	"ja 8b\n"
/*
 * Into a slot's array: 16 bytes at once, if there are 32 pointers or more. Fewer are copied one by
 * one, because each batch may wait for a store that is not forwarded: a 16-byte store that crosses
 * a cache line is not forwarded to a later load, and two stores that the caller has just made are
 * not forwarded to one load of both.
 */
#define RSEQ_COPY_IN(from, to)						\
	RSEQ_COPY_BY(from, to, RSEQ_COPY_MANY(from, to, to, "31", "4"))
/*
 * Out of a slot's array: 16 bytes at once, except for the lowest pointers (16 at most), which are
 * copied one by one. push_n also copies the last pointers first, so it stored the lowest ones last,
 * perhaps just before this. Then two stores would not be forwarded to one load of both.
 */
#define RSEQ_COPY_OUT(from, to)						\
	RSEQ_COPY_BY(from, to, RSEQ_COPY_MANY(from, to, from, "16", "16"))

/*
 * Takes up to n items; returns how many. out[] is in the array's order: the item pushed last is the
 * last one. The caller has written to out before: see percpu_pop_n().
 *
 * slot = slot_of(array);
 * if (slot->count <= 0) return 0;			// signed: a stopped count is below 0
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
		 "leaq 16(%%rcx, %%r8, 8), %%r9\n\t"
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
 * if (slot->count >= slot->limit) return 0;		// unsigned: a stopped count is large
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
		 "leaq 16(%%rcx, %%r8, 8), %%r9\n\t"
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
 * if (!(slot->head >> 16)) return NULL;	// empty, or stopped
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
 * False when the list is full. (The code compares the 16 bits with -1, which is 0xffff: this
 * immediate has one byte, and one of two bytes decodes more slowly.)
 *
 * slot = slot_of(list);
 * if ((uint16_t)slot->head == 0xffff) return false;	// full, or stopped
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
 * The lists of tagged_list.h. A head without an item is 0 or odd. If it is shifted right by one
 * bit, the result is 0 or the carry is set, and one branch (jbe) tests both.
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
 * The item is in the head's block if both addresses differ only in bits of the mask. A head of 0,
 * or a stopped one, differs from every item in a higher bit.
 *
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
 * Pushes an item that its only owner gives up: see percpu_push_last_fast(). At the abort target rax
 * tells whether the count may have been set to 0. It first holds the descriptor's address, then
 * sole_count, and neither is 0; it becomes 0 when the item's count is found equal to sole_count.
 * The flags become 0 after the count does. So if the count is not 0 after an abort, the flags are
 * intact.
 *
 * slot = slot_of(array);
 * if (slot->count >= slot->limit || item->count != percpu.sole_count) return false;
 * item->count = 0;				// caller's memory
 * item->flags = 0;				// caller's memory, after the count
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
		 "movq %[item], 16(%%rcx, %%rdx, 8)\n\t"
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

/* The abort target stores `checked` before it jumps to `aborted`. clang does not see this. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#endif

/*
 * Pushes the first items of in[], as many as fit and can be given up. It ends at the first NULL and
 * at the first item whose count is not sole_count or whose flags are not 0. n is not 0.
 *
 * r8 is the number of items whose counts were found right. It grows before the count is set to 0,
 * so after an abort *seen, its value then, includes each item whose count may be 0. The flags are
 * looked at after the count, which says that nobody else changes them any more.
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
		 "leaq 16(%%rcx, %%r9, 8), %%r10\n\t"
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
