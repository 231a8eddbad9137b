/* SPDX-License-Identifier: MIT */
/* percpu_take_older()'s sequence for aarch64: see aarch64.h. */
#ifndef PERCPU_RSEQ_GENERATIONS_AARCH64_H
#define PERCPU_RSEQ_GENERATIONS_AARCH64_H

/*
 * percpu_older_half() in assembly, then the copy. x13 points to the half that is taken; x10 is the
 * head to store. One load fetches count and limit: see generations_x86_64.h. The items' address is
 * made to depend on the head, because branches order no loads: see "Order" in aarch64.h.
 *
 * slot = slot_of(array);
 * if (!percpu_older_half(slot->head, half, least, &first, &left)) return 0;
 * for (i = 0; i < half; i++)
 *	out[i] = slot->items[first + (place[i] ^ turned)];	// caller's memory
 * slot->head = left;						// commit, of count and limit
 */
static __always_inline bool rseq_take_older(struct percpu_array *array, void **out,
					   unsigned int half, unsigned int least,
					   const struct percpu_order *order, unsigned int *result)
{
	unsigned int taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "ldr x10, [x9]\n\t"
		 "eor x13, x10, x10\n\t"
		 "add x13, x13, x9\n\t"
		 "add x13, x13, 16\n\t"
		 "lsr x11, x10, 32\n\t"
		 "cmp w11, %w[half]\n\t"
		 "b.ne 5f\n\t"
		 "cmp w10, %w[least]\n\t"
		 "b.lo 2f\n\t"
		 "add x13, x13, %w[half], uxtw 3\n\t"
		 "add w11, w11, w11\n\t"
		 "bfi x10, x11, 32, 32\n\t"		/* 2 * half, and the count */
		 "b 6f\n"
		 "5:\n\t"
		 "cmp w10, w11\n\t"
		 "b.ne 2f\n\t"
		 "cbz w11, 2f\n\t"
		 "ubfiz x10, %x[half], 32, 32\n"	/* half, and no count */
		 "6:\n\t"
		 "mov w11, %w[half]\n\t"
		 "mov x12, %[place]\n\t"
		 "mov x14, %[out]\n"
		 "7:\n\t"
		 "ldrb w16, [x12], 1\n\t"
		 "eor w16, w16, %w[turned]\n\t"
		 "ldr x16, [x13, x16, lsl 3]\n\t"
		 "str x16, [x14], 8\n\t"
		 "subs w11, w11, 1\n\t"
		 "b.ne 7b\n\t"
		 "mov %w[taken], %w[half]\n\t"
		 RSEQ_INJECT(2)
		 "str x10, [x9]\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out), [half] "r"(half),
		   [least] "r"(least), [place] "r"(order->place), [turned] "r"(order->turned)
		 : RSEQ_SCRATCH, "x13", "x14", "x16"
		 : aborted);
	*result = taken;
	return true;
aborted:
	return false;
}

#endif
