/* SPDX-License-Identifier: MIT */
/*
 * The restartable sequences for riscv64.
 *
 * The frame is that of x86_64.h: a descriptor in section __rseq_cs, which the thread
 * announces by a store to rseq->rseq_cs; from label 1 to label 2 the kernel sends the thread to the
 * abort label when it is preempted, moved or interrupted; the instruction before label 2 is the
 * commit, the only store that others on this slot can see the effect of.
 *
 * Order. The processor's memory model (RVWMO) is weak, and what aarch64.h says of each case
 * holds here too, for the same reasons: the kernel's barriers between two owners of a slot, and
 * membarrier(2) for who stops one, so that the commit is a plain store; and the dependency of an
 * item's address on the count or head that was loaded. RVWMO keeps a load or store behind the load
 * that its address is computed from, by whatever instructions, `xor r, x, x` among them. It keeps
 * no load behind a branch. Where aarch64 has a load that acquires, a fence stands behind a plain
 * load: it orders that load before all that follows.
 *
 * Instructions have four bytes each inside (norvc): `usermm selftest percpu` puts a breakpoint on
 * every one. The linker changes none of them (norelax), so what is checked is what was written.
 *
 * Operands of 32 bits are given as longs: what a register's upper half has for them is not said.
 * A count that is loaded is extended by its sign, so a stopped one is below 0, and the largest as
 * an unsigned number.
 */
#ifndef PERCPU_RSEQ_RISCV64_H
#define PERCPU_RSEQ_RISCV64_H

#include "percpu/rseq/asm.h"

#define RSEQ_BY_ADDRESS 0

/*
 * The descriptor, the abort target, which clears the half-made result and jumps back to the C
 * label, and the announcement. The signature in front of the target is no instruction that a
 * program may execute (csrw mhartid, x0). Leaves:
 *
 *	t2	&percpu
 *	t4	the thread's struct rseq, until the end
 *
 * percpu.index_field is the last field to be set, by a store-release. That pairs with
 * the load of the operand `index` by the compiler: the address of the other fields
 * is made to depend on its value, so they are not loaded before it.
 */
#define RSEQ_FRAME(result) RSEQ_FRAME_KEEPING(result, "")
/* The same; at_abort is done at the abort target, with the registers as they were. */
#define RSEQ_FRAME_KEEPING(result, at_abort)				\
	".option push\n\t"						\
	".option norvc\n\t"						\
	".option norelax\n\t"						\
	RSEQ_DESCRIPTOR							\
	".pushsection __rseq_abort, \"ax\"\n\t"				\
	".balign 4\n\t"							\
	".4byte " RSEQ_WORD(RSEQ_SIGNATURE) "\n"			\
	"4:\n\t"							\
	at_abort							\
	"li %[" result "], 0\n\t"					\
	"jump %l[aborted], t1\n\t"					\
	".popsection\n\t"						\
	"xor t2, %[index], %[index]\n\t"				\
	"add t2, %[percpu], t2\n\t"					\
	"add t4, tp, %[area]\n\t"					\
	"lla t0, 3b\n\t"						\
	"sd t0, 8(t4)\n"						\
	"1:\n\t"

/* t0 = percpu_ptr(array, index); an index out of range leaves the sequence. */
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

/*
 * Behind the commit. rseq->rseq_cs is not cleared: the program counter is then
 * outside the sequence and the kernel clears it lazily. The descriptors must
 * therefore stay mapped: the shared libraries are linked NODELETE, and plugins
 * with an archive in them are kept (os/keep_loaded.c).
 */
#define RSEQ_END							\
	"2:\n\t"							\
	".option pop\n\t"

#define RSEQ_INPUTS							\
	[percpu] "r"(&percpu), [index] "r"(rseq_index_field()),		\
	[area] "r"(rseq_area_of(rseq_index_field())),			\
	[limit] "i"(offsetof(struct percpu_state, bound.limit)),		\
	[slots] "i"(offsetof(struct percpu_state, slots)),		\
	[shift] "i"(PERCPU_SLOT_SHIFT)
#define RSEQ_SCRATCH "t0", "t1", "t2", "t3", "t4", "memory"

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
		 "ld %[item], 8(t2)\n\t"
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
 * if (slot->count >= slot->limit) return false;
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
		 "sd %[item], 8(t2)\n\t"
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
		 "addi t3, t3, 8\n\t"
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
		 "addi t5, t5, 8\n\t"
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
 * The tagged lists of tagged_list.h. A head without an item is 0 or odd: less its bit 0
 * as the highest one it is 0 then, or below 0, since addresses have fewer bits. One is
 * in the item's block if they differ in no bit above the block's, so by no more than
 * the mask.
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
 * What the caller reads behind the swap does not depend on the address that was loaded
 * here, only on the branch: so the load acquires. It pairs with the store-release
 * of a thread that starts the list again.
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

/* `checked` is stored by the sequence before it can jump to `aborted`, which clang does not see. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#endif

/*
 * Items whose only owner gives them up: see percpu_push_last_fast() and x86_64.h. The
 * load of a count acquires: what earlier owners wrote before they gave up their
 * references; when there are several items that is looked at here, in their flags.
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
		 "sd %[item], 8(t3)\n\t"
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
		 "sd %[taken], 8(t5)\n\t"
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
