/* SPDX-License-Identifier: MIT */
/*
 * The restartable sequences for aarch64. asm.h explains how a sequence is built and why it holds.
 *
 * Order. This processor may let others see loads and stores in another order than the program's. So
 * each of these pairs needs a reason why it is in order:
 *
 * - Two threads that use a slot one after the other. Between them the kernel switches threads,
 *   which is a full barrier. With mm_cid the kernel may give the slot index to a thread on another
 *   CPU; this is a full barrier too. So the commit is a plain store.
 * - The announcement and the sequence. Only the kernel reads rseq_cs, on the same CPU, when it
 *   interrupts the thread. A CPU sees its own accesses in order.
 * - A sequence, and a thread that stops its slot (remote.c). That thread looks at items and links
 *   only after membarrier(2), which is a full barrier on every CPU that runs this process. It then
 *   sees each commit made before and all that preceded the commit. What was not committed by then
 *   never will be. Statistics read single words, which may be stale. So the commit needs no
 *   release.
 * - A thread that starts a slot again (percpu_start_array(), _list() or _tagged() in remote.c), and
 *   the next sequence. That thread loads and stores items and links, then stores the head by a
 *   store-release. This pairs with the load of count or head in the sequence: items' addresses are
 *   computed from what it loads, and no load or store goes before a load that its address depends
 *   on. It must stay so: never let an item's address depend on a count by a branch or csel alone.
 *   count and limit may come from different heads. Each limit of an array is one that the array has
 *   room for, and the limit is 0 while the array is stopped. So with such a pair a push either
 *   finds the array full, or stores within the array, as it would with the count's own limit. Only
 *   percpu_take_older() needs both from one head; it loads them at once.
 * - The bound of the index. A thread lowers the bound before it makes a child that must see this
 *   (vfork.c); the system call orders the two. Other threads may see it late. Raising the bound
 *   publishes nothing that sequences read.
 * - percpu's other fields: see RSEQ_FRAME.
 *
 * Code is little-endian on every aarch64, and the library supports only little-endian data there,
 * so the signature is the same word as code and as data.
 */
#ifndef PERCPU_RSEQ_AARCH64_H
#define PERCPU_RSEQ_AARCH64_H

#include "percpu/rseq/asm.h"

#define RSEQ_BY_ADDRESS 0

/*
 * The return address (pc, 32, since x30 may hold the function's): start_ip of the descriptor, whose
 * address is in x17. In DWARF: breg17, deref. Then DW_CFA_nop.
 */
#define RSEQ_TO_START "0x16, 32, 3, 0x81, 8, 0x06, 0, 0, 0, 0, 0, 0"

/*
 * The descriptor, the abort target and the announcement. The abort target sets the result to 0,
 * which is failure, and jumps to the C label `aborted`. The signature in front of the target is the
 * instruction brk #0x45e0, so that a disassembler stays in step. Leaves in registers:
 *
 *	x11	&percpu
 *	x12	the thread pointer
 *	x15	the thread's struct rseq, until the end
 *	x17	the descriptor's address, until the end and in the abort target, for unwinders
 *
 * start_sequences() stores percpu.index_field last, by a store-release. This pairs with the
 * compiler's load of the operand `index`. Other fields of percpu are not loaded before it, since
 * their address is made to depend on its value (the eor gives 0).
 */
#define RSEQ_FRAME(result) RSEQ_FRAME_KEEPING(result, "")
/*
 * As RSEQ_FRAME(). The abort target begins with the instructions at_abort, which may still read the
 * sequence's registers.
 */
#define RSEQ_FRAME_KEEPING(result, at_abort)				\
	RSEQ_DESCRIPTOR							\
	".pushsection __rseq_abort, \"ax\"\n"				\
	"8:\n\t"							\
	".inst " RSEQ_WORD(RSEQ_SIGNATURE) "\n"				\
	"4:\n\t"							\
	at_abort							\
	"mov %x[" result "], xzr\n\t"					\
	"b %l[aborted]\n"						\
	"9:\n\t"							\
	".popsection\n\t"						\
	RSEQ_UNWIND("32", "32", "31", RSEQ_TO_START)			\
	"eor x11, %[index], %[index]\n\t"				\
	"add x11, %[percpu], x11\n\t"					\
	"mrs x12, tpidr_el0\n\t"					\
	"add x15, x12, %[area]\n\t"					\
	"adrp x17, 3b\n\t"						\
	"add x17, x17, :lo12:3b\n\t"					\
	"str x17, [x15, 8]\n"						\
	"1:\n\t"

/* x9 = percpu_ptr(array, index). An index that has no slot leaves the sequence. */
#define RSEQ_SLOT							\
	"ldr w10, [x11, %[limit]]\n\t"					\
	"ldr w9, [x12, %[index]]\n\t"					\
	"cmp w9, w10\n\t"						\
	"b.hs 2f\n\t"							\
	"ldr x10, [x11, %[slots]]\n\t"					\
	"add x9, %[array], x9, lsl %[shift]\n\t"			\
	"add x9, x9, x10\n\t"						\
	RSEQ_INJECT(1)

/* The end of a sequence. It stands right behind the commit. */
#define RSEQ_END "2:\n\t"

#define RSEQ_INPUTS							\
	[percpu] "r"(&percpu), [index] "r"(rseq_index_field()),		\
	[area] "r"(rseq_area_of(rseq_index_field())),			\
	[limit] "i"(offsetof(struct percpu_state, bound.limit)),		\
	[slots] "i"(offsetof(struct percpu_state, slots)),		\
	[shift] "i"(PERCPU_SLOT_SHIFT)
#define RSEQ_SCRATCH "x9", "x10", "x11", "x12", "x15", "x17", "memory", "cc"

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
		 "ldr w10, [x9]\n\t"
		 "subs w10, w10, 1\n\t"
		 "b.lt 2f\n\t"
		 "add x11, x9, x10, lsl 3\n\t"
		 "ldr %[item], [x11, 16]\n\t"
		 RSEQ_INJECT(2)
		 "str w10, [x9]\n"		/* commit */
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
 * count and limit are neighbours, but two loads fetch them. On many processors one load of both
 * would wait for the last commit, which stored only half of the word.
 *
 * slot = slot_of(array);
 * if (slot->count >= slot->limit) return false;	// unsigned: a stopped count is large
 * slot->items[slot->count] = item;		// dead entry
 * slot->count++;				// commit
 */
static __always_inline bool rseq_push(struct percpu_array *array, void *item, bool *result)
{
	unsigned int pushed = 0;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "ldr w10, [x9]\n\t"
		 "ldr w11, [x9, 4]\n\t"
		 "cmp w10, w11\n\t"
		 "b.hs 2f\n\t"
		 "add x11, x9, x10, lsl 3\n\t"
		 "str %[item], [x11, 16]\n\t"
		 "add %w[pushed], w10, 1\n\t"
		 RSEQ_INJECT(2)
		 "str %w[pushed], [x9]\n"	/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = pushed;
	return true;
aborted:
	return false;
}

/*
 * Copies w11 pointers, at least one, from x12 to x13: the first one alone if their number is odd,
 * then two at a time. Destroys x11 to x14 and x16.
 */
#define RSEQ_COPY							\
	"tbz w11, 0, 5f\n\t"						\
	"ldr x14, [x12], 8\n\t"						\
	"str x14, [x13], 8\n\t"						\
	"subs w11, w11, 1\n\t"						\
	"b.eq 7f\n"							\
	"5:\n\t"							\
	"ldp x14, x16, [x12], 16\n\t"					\
	"stp x14, x16, [x13], 16\n\t"					\
	"subs w11, w11, 2\n\t"						\
	"b.ne 5b\n"							\
	"7:\n\t"

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
	unsigned int taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "ldr w10, [x9]\n\t"
		 "cmp w10, 0\n\t"
		 "b.le 2f\n\t"
		 "cmp %w[n], w10\n\t"
		 "csel %w[taken], %w[n], w10, lo\n\t"
		 "cbz %w[taken], 2f\n\t"
		 "mov w11, %w[taken]\n\t"
		 "sub w10, w10, %w[taken]\n\t"
		 "add x12, x9, x10, lsl 3\n\t"
		 "add x12, x12, 16\n\t"
		 "mov x13, %[out]\n\t"
		 RSEQ_COPY
		 RSEQ_INJECT(2)
		 "str w10, [x9]\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out), [n] "r"(n)
		 : RSEQ_SCRATCH, "x13", "x14", "x16"
		 : aborted);
	*result = taken;
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
	unsigned int taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "ldr w10, [x9]\n\t"
		 "ldr w11, [x9, 4]\n\t"
		 "subs w11, w11, w10\n\t"
		 "b.ls 2f\n\t"
		 "cmp %w[n], w11\n\t"
		 "csel w11, %w[n], w11, lo\n\t"
		 "cbz w11, 2f\n\t"
		 "mov %w[taken], w11\n\t"
		 "add x13, x9, x10, lsl 3\n\t"
		 "add x13, x13, 16\n\t"
		 "add w10, w10, w11\n\t"
		 "mov x12, %[in]\n\t"
		 RSEQ_COPY
		 RSEQ_INJECT(2)
		 "str w10, [x9]\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"(n)
		 : RSEQ_SCRATCH, "x13", "x14", "x16"
		 : aborted);
	*result = taken;
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
		 "ldr %[item], [x9]\n\t"
		 "lsr %[item], %[item], 16\n\t"
		 "cbz %[item], 2f\n\t"
		 "ldr x10, [%[item]]\n\t"
		 RSEQ_INJECT(2)
		 "str x10, [x9]\n"		/* commit */
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
		 "ldr x10, [x9]\n\t"
		 "and x11, x10, 0xffff\n\t"
		 "add x11, x11, 1\n\t"
		 "tbnz x11, 16, 2f\n\t"
		 "str x10, [%[item]]\n\t"
		 "orr %[pushed], %[high], x11\n\t"
		 RSEQ_INJECT(2)
		 "str %[pushed], [x9]\n"	/* commit */
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
		 "ldr x10, [x9]\n\t"
		 "cmp x10, x10, lsl 63\n\t"
		 "b.ls 2f\n\t"
		 "ldr x11, [x10, %[link]]\n\t"
		 "mov %[item], x10\n\t"
		 RSEQ_INJECT(2)
		 "str x11, [x9]\n"		/* commit */
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
	unsigned int pushed = 0;

	RSEQ_ASM_GIVING(pushed, RSEQ_FRAME("pushed")
		 RSEQ_SLOT
		 "ldr x10, [x9]\n\t"
		 "eor x11, x10, %[item]\n\t"
		 "cmp x11, %[mask]\n\t"
		 "b.hi 2f\n\t"
		 "str x10, [%[item], %[link]]\n\t"
		 "mov %w[pushed], 1\n\t"
		 RSEQ_INJECT(2)
		 "str %[item], [x9]\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed)
		 : RSEQ_INPUTS, [array] "r"(list), [item] "r"(item), [link] "r"(link_offset),
		   [mask] "r"(mask)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = pushed;
	return true;
aborted:
	return false;
}

/*
 * The load of the head is an acquire. It pairs with the store-release of a thread that starts the
 * list again (start_head() in remote.c). What the caller reads after the swap depends on this load
 * only by a branch, which orders no loads.
 *
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
		 "ldar x10, [x9]\n\t"
		 "cmp x10, %[old]\n\t"
		 "b.ne 2f\n\t"
		 "mov %w[swapped], 1\n\t"
		 RSEQ_INJECT(2)
		 "str %[new], [x9]\n"		/* commit */
		 RSEQ_END
		 : [swapped] "+&r"(swapped)
		 : RSEQ_INPUTS, [array] "r"(list), [old] "r"(old), [new] "r"(new)
		 : RSEQ_SCRATCH
		 : aborted);
	*result = swapped;
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
 * Pushes an item that its only owner gives up: see percpu_push_last_fast(). x16 becomes 1 when the
 * item's count is found equal to sole_count, before the count is set to 0. After an abort *seen is
 * the value of x16.
 *
 * The load of the count is an acquire. It pairs with the release by which earlier owners gave up
 * their references (for pages: page_drop_slow() in page/refs.c), so what they wrote to the item is
 * seen. This matters to rseq_push_n_last(), which reads the flags that they wrote.
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
	unsigned int pushed = 0;
	uint32_t checked;

	RSEQ_ASM_GIVING(pushed, "mov x16, xzr\n\t"
		 RSEQ_FRAME_KEEPING("pushed", "str w16, %[checked]\n\t")
		 RSEQ_SLOT
		 "ldr w10, [x9]\n\t"
		 "ldr w11, [x9, 4]\n\t"
		 "cmp w10, w11\n\t"
		 "b.hs 2f\n\t"
		 "ldr w12, [%[percpu], %[sole]]\n\t"
		 "add x11, %[item], %[count]\n\t"
		 "ldar w11, [x11]\n\t"
		 "cmp w11, w12\n\t"
		 "b.ne 2f\n\t"
		 "mov w16, 1\n\t"
		 "str wzr, [%[item], %[count]]\n\t"
		 "str xzr, [%[item], %[flags]]\n\t"
		 "add x11, x9, x10, lsl 3\n\t"
		 "str %[item], [x11, 16]\n\t"
		 "add %w[pushed], w10, 1\n\t"
		 RSEQ_INJECT(2)
		 "str %w[pushed], [x9]\n"		/* commit */
		 RSEQ_END
		 : [pushed] "+&r"(pushed), [checked] "=m"(checked)
		 : RSEQ_INPUTS, [array] "r"(array), [item] "r"(item),
		   [sole] "i"(offsetof(struct percpu_state, sole_count)),
		   [flags] "i"(PERCPU_ITEM_FLAGS), [count] "i"(PERCPU_ITEM_COUNT)
		 : "x16", RSEQ_SCRATCH
		 : aborted);
	*result = pushed;
	return true;
aborted:
	*seen = checked;
	return false;
}

/*
 * Pushes the first items of in[], as many as fit and can be given up: see x86_64.h. x16 has the
 * role that r8 has there.
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

	RSEQ_ASM_GIVING(taken, "mov x16, xzr\n\t"
		 RSEQ_FRAME_KEEPING("taken", "str w16, %[checked]\n\t")
		 RSEQ_SLOT
		 "ldr w10, [x9]\n\t"
		 "ldr w11, [x9, 4]\n\t"
		 "subs w11, w11, w10\n\t"
		 "b.ls 2f\n\t"
		 "cmp w11, %w[n]\n\t"
		 "csel w11, w11, %w[n], lo\n\t"
		 "ldr w12, [%[percpu], %[sole]]\n\t"
		 "add x13, x9, x10, lsl 3\n"
		 "5:\n\t"
		 "ldr %[taken], [%[in], x16, lsl 3]\n\t"
		 "cbz %[taken], 6f\n\t"
		 "add x14, %[taken], %[count]\n\t"
		 "ldar w14, [x14]\n\t"
		 "cmp w14, w12\n\t"
		 "b.ne 6f\n\t"
		 "ldr x14, [%[taken], %[flags]]\n\t"
		 "cbnz x14, 6f\n\t"
		 "add w16, w16, 1\n\t"
		 "str wzr, [%[taken], %[count]]\n\t"
		 "str %[taken], [x13, 16]\n\t"
		 "add x13, x13, 8\n\t"
		 "cmp w16, w11\n\t"
		 "b.lo 5b\n"
		 "6:\n\t"
		 "add w10, w10, w16\n\t"
		 "mov %[taken], x16\n\t"
		 RSEQ_INJECT(2)
		 "str w10, [x9]\n"			/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken), [checked] "=m"(checked)
		 : RSEQ_INPUTS, [array] "r"(array), [in] "r"(in), [n] "r"(n),
		   [sole] "i"(offsetof(struct percpu_state, sole_count)),
		   [flags] "i"(PERCPU_ITEM_FLAGS), [count] "i"(PERCPU_ITEM_COUNT)
		 : "x13", "x14", "x16", RSEQ_SCRATCH
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
