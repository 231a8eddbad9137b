/* SPDX-License-Identifier: MIT */
/*
 * The restartable sequences for riscv64. asm.h explains how a sequence is built and why it holds.
 *
 * Order. The processor's memory model (RVWMO) is weak. aarch64.h lists the pairs that need a
 * reason, and the same reasons hold here. The kernel's barriers order two threads that use a slot
 * one after the other, and membarrier(2) orders a thread that stops a slot, so the commit is a
 * plain store. A sequence after a restart is ordered because an item's address depends on the count
 * or head that was loaded: RVWMO keeps a load or store behind the load that its address is computed
 * from, whatever the instructions, `xor r, x, x` included. A load may overtake a branch.
 * Where aarch64 has a load-acquire, here a plain load and a fence stand: the fence orders the load
 * before all that follows.
 *
 * Every instruction inside has four bytes (norvc), because `usermm selftest percpu` puts a
 * breakpoint on each. The linker changes none (norelax), so what is checked is what was written.
 *
 * Operands of 32 bits are passed as longs, because nothing defines the upper half of a register
 * that holds 32 bits. A loaded count is sign-extended: a stopped count is below 0, and the largest
 * of all as an unsigned number.
 */
#ifndef PERCPU_RSEQ_RISCV64_H
#define PERCPU_RSEQ_RISCV64_H

#include "percpu/rseq/asm.h"

#define RSEQ_BY_ADDRESS 0

/*
 * The return address (64, which is no register, since ra may hold the function's): start_ip of the
 * descriptor, whose address is in a7, which is x17. In DWARF: breg17, deref. Then DW_CFA_nop.
 */
#define RSEQ_TO_START "0x16, 64, 3, 0x81, 8, 0x06, 0, 0, 0, 0, 0, 0"

/*
 * The descriptor, the abort target and the announcement. The abort target sets the result to 0,
 * which is failure, and jumps to the C label `aborted`. The signature in front of the target is an
 * instruction that no program may execute (csrw mhartid, x0). Leaves in registers:
 *
 *	t2	&percpu
 *	t4	the thread's struct rseq, until the end
 *	a7	the descriptor's address, until the end and in the abort target, for unwinders
 *
 * start_sequences() stores percpu.index_field last, by a store-release. This pairs with the
 * compiler's load of the operand `index`. Other fields of percpu are not loaded before it, since
 * their address is made to depend on its value (the xor gives 0).
 */
#define RSEQ_FRAME(result) RSEQ_FRAME_KEEPING(result, "")
/*
 * As RSEQ_FRAME(). The abort target begins with the instructions at_abort, which may still read the
 * sequence's registers.
 */
#define RSEQ_FRAME_KEEPING(result, at_abort)				\
	".option push\n\t"						\
	".option norvc\n\t"						\
	".option norelax\n\t"						\
	RSEQ_DESCRIPTOR							\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".balign 4\n"							\
	"8:\n\t"							\
	".4byte " RSEQ_WORD(RSEQ_SIGNATURE) "\n"			\
	"4:\n\t"							\
	at_abort							\
	"li %[" result "], 0\n\t"					\
	"jump %l[aborted], t1\n"						\
	"9:\n\t"							\
	".popsection\n\t"						\
	RSEQ_UNWIND("32", "64", "2", RSEQ_TO_START)			\
	"xor t2, %[index], %[index]\n\t"				\
	"add t2, %[percpu], t2\n\t"					\
	"add t4, tp, %[area]\n\t"					\
	"lla a7, 3b\n\t"						\
	"sd a7, 8(t4)\n"						\
	"1:\n\t"

/* t0 = percpu_ptr(array, index). An index that has no slot leaves the sequence. */
#define RSEQ_SLOT							\
	"lw t1, %[limit](t2)\n\t"					\
	"add t0, tp, %[index]\n\t"					\
	"lw t0, 0(t0)\n\t"						\
	"bgeu t0, t1, 2f\n\t"						\
	"ld t1, %[slots](t2)\n\t"					\
	"slli t0, t0, %[shift]\n\t"					\
	"add t0, %[array], t0\n\t"					\
	"add t0, t0, t1\n\t"						\
	RSEQ_INJECT(1)

/* The end of a sequence. It stands right behind the commit. */
#define RSEQ_END							\
	"2:\n\t"							\
	".option pop\n\t"

#define RSEQ_INPUTS							\
	[percpu] "r"(&percpu), [index] "r"(rseq_index_field()),		\
	[area] "r"(rseq_area_of(rseq_index_field())),			\
	[limit] "i"(offsetof(struct percpu_state, bound.limit)),		\
	[slots] "i"(offsetof(struct percpu_state, slots)),		\
	[shift] "i"(PERCPU_SLOT_SHIFT)
#define RSEQ_SCRATCH "t0", "t1", "t2", "t3", "t4", "a7", "memory"

/*
 * slot = slot_of(array);
 * if (slot->count <= 0) return NULL;		// signed: a stopped count is below 0
 * item = slot->items[slot->count - 1];
 * slot->count--;				// commit
 */
static __always_inline bool rseq_pop(struct percpu_array *array, void **result)
{
	void *item = NULL;

	RSEQ_ASM_GIVING(item, RSEQ_FRAME("item")
		 RSEQ_SLOT
		 "lw t1, 0(t0)\n\t"
		 "blez t1, 2f\n\t"
		 "addi t1, t1, -1\n\t"
		 "slli t2, t1, 3\n\t"
		 "add t2, t0, t2\n\t"
		 "ld %[item], 16(t2)\n\t"
		 RSEQ_INJECT(2)
		 "sw t1, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [item] "+&r"(item)
		 : RSEQ_INPUTS, [array] "r"(array)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = item;
	return true;
aborted:
	return false;
}

/*
 * slot = slot_of(array);
 * if (slot->count >= slot->limit) return false;	// unsigned: a stopped count is large
 * slot->items[slot->count] = item;		// dead entry
 * slot->count++;				// commit
 */
static __always_inline bool rseq_push(struct percpu_array *array, void *item, bool *result)
{
	unsigned long pushed = 0;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "lw t1, 0(t0)\n\t"
		 "lw t2, 4(t0)\n\t"
		 "bgeu t1, t2, 2f\n\t"
		 "slli t2, t1, 3\n\t"
		 "add t2, t0, t2\n\t"
		 "sd %[item], 16(t2)\n\t"
		 "addi %[pushed], t1, 1\n\t"
		 RSEQ_INJECT(2)
		 "sw %[pushed], 0(t0)\n"	/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = pushed != 0;
	return true;
aborted:
	return false;
}

/* Copies t2 pointers, at least one, from t3 to t5. Destroys all three and t6. */
#define RSEQ_COPY							\
	"5:\n\t"							\
	"ld t6, 0(t3)\n\t"						\
	"sd t6, 0(t5)\n\t"						\
	"addi t3, t3, 8\n\t"						\
	"addi t5, t5, 8\n\t"						\
	"addi t2, t2, -1\n\t"						\
	"bnez t2, 5b\n\t"

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
		 "lw t1, 0(t0)\n\t"
		 "blez t1, 2f\n\t"
		 "beqz %[n], 2f\n\t"
		 "mv %[taken], %[n]\n\t"
		 "bgeu t1, %[n], 6f\n\t"
		 "mv %[taken], t1\n"
		 "6:\n\t"
		 "sub t1, t1, %[taken]\n\t"
		 "slli t3, t1, 3\n\t"
		 "add t3, t0, t3\n\t"
		 "addi t3, t3, 16\n\t"
		 "mv t5, %[out]\n\t"
		 "mv t2, %[taken]\n"
		 RSEQ_COPY
		 RSEQ_INJECT(2)
		 "sw t1, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out), [n] "r"((unsigned long)n)
		 : RSEQ_SCRATCH, "t5", "t6"
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
		 "lw t1, 0(t0)\n\t"
		 "lw t2, 4(t0)\n\t"
		 "bgeu t1, t2, 2f\n\t"
		 "beqz %[n], 2f\n\t"
		 "sub t2, t2, t1\n\t"
		 "bgeu %[n], t2, 6f\n\t"
		 "mv t2, %[n]\n"
		 "6:\n\t"
		 "mv %[taken], t2\n\t"
		 "slli t5, t1, 3\n\t"
		 "add t5, t0, t5\n\t"
		 "addi t5, t5, 16\n\t"
		 "add t1, t1, t2\n\t"
		 "mv t3, %[in]\n"
		 RSEQ_COPY
		 RSEQ_INJECT(2)
		 "sw t1, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"((unsigned long)n)
		 : RSEQ_SCRATCH, "t5", "t6"
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
		 "ld %[item], 0(t0)\n\t"
		 "srli %[item], %[item], 16\n\t"
		 "beqz %[item], 2f\n\t"
		 "ld t1, 0(%[item])\n\t"
		 RSEQ_INJECT(2)
		 "sd t1, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [item] "+&r"(item)
		 : RSEQ_INPUTS, [array] "r"(list)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = item;
	return true;
aborted:
	return false;
}

/*
 * False when the list is full.
 *
 * slot = slot_of(list);
 * nr = (uint16_t)slot->head + 1;
 * if (nr > 0xffff) return false;			// full, or stopped
 * *(unsigned long *)item = slot->head;			// caller's memory
 * slot->head = item << 16 | nr;			// commit
 */
static __always_inline bool rseq_list_push(struct percpu_list *list, void *item, bool *result)
{
	unsigned long pushed = 0;
	unsigned long high = (unsigned long)item << PERCPU_LIST_NR_BITS;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "ld t1, 0(t0)\n\t"
		 "slli t2, t1, 48\n\t"
		 "srli t2, t2, 48\n\t"
		 "addi t2, t2, 1\n\t"
		 "srli t3, t2, 16\n\t"
		 "bnez t3, 2f\n\t"
		 "sd t1, 0(%[item])\n\t"
		 "or %[pushed], %[high], t2\n\t"
		 RSEQ_INJECT(2)
		 "sd %[pushed], 0(t0)\n"	/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(list), [item] "r"(item), [high] "r"(high)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = pushed != 0;
	return true;
aborted:
	return false;
}

/*
 * The lists of tagged_list.h. A head without an item is 0 or odd. Shifted left by 63 bits such a
 * head is as large or larger: 0, or bit 63 alone, which no address reaches. The head of an item
 * gives 0, which is smaller. So one unsigned comparison finds both.
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
		 "ld t1, 0(t0)\n\t"
		 "slli t2, t1, 63\n\t"
		 "bgeu t2, t1, 2f\n\t"
		 "add t2, t1, %[link]\n\t"
		 "ld t2, 0(t2)\n\t"
		 "mv %[item], t1\n\t"
		 RSEQ_INJECT(2)
		 "sd t2, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [item] "+&r"(item)
		 : RSEQ_INPUTS, [array] "r"(list), [link] "r"(link_offset)
		 : RSEQ_SCRATCH
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
	unsigned long pushed = 0;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 "add t3, %[item], %[link]\n\t"
		 RSEQ_SLOT
		 "ld t1, 0(t0)\n\t"
		 "xor t2, t1, %[item]\n\t"
		 "bltu %[mask], t2, 2f\n\t"
		 "sd t1, 0(t3)\n\t"
		 "li %[pushed], 1\n\t"
		 RSEQ_INJECT(2)
		 "sd %[item], 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(list), [item] "r"(item), [link] "r"(link_offset),
		   [mask] "r"(mask)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = pushed != 0;
	return true;
aborted:
	return false;
}

/*
 * The load of the head acquires, by the fence. It pairs with the store-release of a thread that
 * starts the list again (start_head() in remote.c). What the caller reads after the swap depends on
 * this load only by a branch, which orders no loads.
 *
 * slot = slot_of(list);
 * if (slot->head != old) return false;
 * slot->head = new;			// commit
 */
static __always_inline bool rseq_tagged_cas(struct percpu_tagged_list *list, unsigned long old,
					    unsigned long new, bool *result)
{
	unsigned long swapped = 0;

	RSEQ_ASM_GIVING(swapped, RSEQ_FRAME("swapped")
		 RSEQ_SLOT
		 "ld t1, 0(t0)\n\t"
		 "fence r, rw\n\t"
		 "bne t1, %[old], 2f\n\t"
		 "li %[swapped], 1\n\t"
		 RSEQ_INJECT(2)
		 "sd %[new], 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [swapped] "+&r"(swapped)
		 : RSEQ_INPUTS, [array] "r"(list), [old] "r"(old), [new] "r"(new)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = swapped != 0;
	return true;
aborted:
	return false;
}

/* The abort target stores `checked` before it jumps to `aborted`. clang does not see this. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#endif

/*
 * Pushes an item that its only owner gives up: see percpu_push_last_fast(). t6 becomes 1 when the
 * item's count is found equal to sole_count, before the count is set to 0. After an abort *seen is
 * the value of t6.
 *
 * The load of the count acquires, by the fence. It pairs with the release by which earlier owners
 * gave up their references (for pages: page_drop_slow() in page/refs.c), so what they wrote to the
 * item is seen. This matters to rseq_push_n_last(), which reads the flags that they wrote.
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
	unsigned long pushed = 0;
	uint32_t checked;

	RSEQ_ASM_GIVING(pushed, "li t6, 0\n\t"
		 RSEQ_FRAME_KEEPING("pushed", "sw t6, %[checked]\n\t")
		 RSEQ_SLOT
		 "lw t1, 0(t0)\n\t"
		 "lw t3, 4(t0)\n\t"
		 "bgeu t1, t3, 2f\n\t"
		 "lw t3, %[sole](t2)\n\t"
		 "lw t5, %[count](%[item])\n\t"
		 "fence r, rw\n\t"
		 "bne t5, t3, 2f\n\t"
		 "li t6, 1\n\t"
		 "sw zero, %[count](%[item])\n\t"
		 "sd zero, %[flags](%[item])\n\t"
		 "slli t3, t1, 3\n\t"
		 "add t3, t0, t3\n\t"
		 "sd %[item], 16(t3)\n\t"
		 "addi %[pushed], t1, 1\n\t"
		 RSEQ_INJECT(2)
		 "sw %[pushed], 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed), [checked] "=m"(checked)
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item),
		   [sole] "i"(offsetof(struct percpu_state, sole_count)),
		   [flags] "i"(PERCPU_ITEM_FLAGS), [count] "i"(PERCPU_ITEM_COUNT)
		 : "t5", "t6", RSEQ_SCRATCH
		 : aborted);
	*result = pushed != 0;
	return true;
aborted:
	*seen = checked;
	return false;
}

/*
 * Pushes the first items of in[], as many as fit and can be given up: see x86_64.h. t6 has the role
 * that r8 has there.
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

	RSEQ_ASM_GIVING(taken, "li t6, 0\n\t"
		 RSEQ_FRAME_KEEPING("taken", "sw t6, %[checked]\n\t")
		 RSEQ_SLOT
		 "lw t1, 0(t0)\n\t"
		 "lw t3, 4(t0)\n\t"
		 "bgeu t1, t3, 2f\n\t"
		 "sub t3, t3, t1\n\t"
		 "bgeu %[n], t3, 5f\n\t"
		 "mv t3, %[n]\n"
		 "5:\n\t"
		 "lw t2, %[sole](t2)\n\t"
		 "slli t5, t1, 3\n\t"
		 "add t5, t0, t5\n"
		 "6:\n\t"
		 "slli %[taken], t6, 3\n\t"
		 "add %[taken], %[in], %[taken]\n\t"
		 "ld %[taken], 0(%[taken])\n\t"
		 "beqz %[taken], 7f\n\t"
		 "lw a6, %[count](%[taken])\n\t"
		 "fence r, rw\n\t"
		 "bne a6, t2, 7f\n\t"
		 "ld a6, %[flags](%[taken])\n\t"
		 "bnez a6, 7f\n\t"
		 "addi t6, t6, 1\n\t"
		 "sw zero, %[count](%[taken])\n\t"
		 "sd %[taken], 16(t5)\n\t"
		 "addi t5, t5, 8\n\t"
		 "bltu t6, t3, 6b\n"
		 "7:\n\t"
		 "add t1, t1, t6\n\t"
		 "mv %[taken], t6\n\t"
		 RSEQ_INJECT(2)
		 "sw t1, 0(t0)\n"			/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken), [checked] "=m"(checked)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"((unsigned long)n),
		   [sole] "i"(offsetof(struct percpu_state, sole_count)),
		   [flags] "i"(PERCPU_ITEM_FLAGS), [count] "i"(PERCPU_ITEM_COUNT)
		 : "t5", "t6", "a6", RSEQ_SCRATCH
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
