/* SPDX-License-Identifier: MIT */
/* percpu_take_older()'s sequence for riscv64: see riscv64.h. */
#ifndef PERCPU_RSEQ_GENERATIONS_RISCV64_H
#define PERCPU_RSEQ_GENERATIONS_RISCV64_H

/*
 * percpu_older_half() in assembly, then the copy. t5 points to the half that is taken; t1 is the
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
	unsigned long taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "ld t1, 0(t0)\n\t"
		 "xor t5, t1, t1\n\t"
		 "add t5, t0, t5\n\t"
		 "addi t5, t5, 16\n\t"
		 "slli t3, t1, 32\n\t"
		 "srli t3, t3, 32\n\t"			/* the count */
		 "srli t2, t1, 32\n\t"			/* the limit */
		 "bne t2, %[half], 5f\n\t"
		 "bltu t3, %[least], 2f\n\t"
		 "slli t6, %[half], 3\n\t"
		 "add t5, t5, t6\n\t"
		 "slli t1, %[half], 33\n\t"
		 "or t1, t1, t3\n\t"			/* 2 * half, and the count */
		 "j 6f\n"
		 "5:\n\t"
		 "bne t3, t2, 2f\n\t"
		 "beqz t2, 2f\n\t"
		 "slli t1, %[half], 32\n"		/* half, and no count */
		 "6:\n\t"
		 "mv t2, %[half]\n\t"
		 "mv t3, %[place]\n\t"
		 "mv t6, %[out]\n"
		 "7:\n\t"
		 "lbu a6, 0(t3)\n\t"
		 "addi t3, t3, 1\n\t"
		 "xor a6, a6, %[turned]\n\t"
		 "slli a6, a6, 3\n\t"
		 "add a6, t5, a6\n\t"
		 "ld a6, 0(a6)\n\t"
		 "sd a6, 0(t6)\n\t"
		 "addi t6, t6, 8\n\t"
		 "addi t2, t2, -1\n\t"
		 "bnez t2, 7b\n\t"
		 "mv %[taken], %[half]\n\t"
		 RSEQ_INJECT(2)
		 "sd t1, 0(t0)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out),
		   [half] "r"((unsigned long)half), [least] "r"((unsigned long)least),
		   [place] "r"(order->place), [turned] "r"((unsigned long)order->turned)
		 : RSEQ_SCRATCH, "t5", "t6", "a6"
		 : aborted);
	*result = (unsigned int)taken;
	return true;
aborted:
	return false;
}

#endif
