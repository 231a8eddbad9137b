/* SPDX-License-Identifier: MIT */
/* percpu_take_older()'s sequence for x86-64: see x86_64.h. */
#ifndef PERCPU_RSEQ_GENERATIONS_X86_64_H
#define PERCPU_RSEQ_GENERATIONS_X86_64_H

/* Copies one item: its place is entry rdx - below of the order. Destroys r11. */
#define RSEQ_COPY_PLACE(below)						\
	"movzbl -" below "(%%r10, %%rdx), %%r11d\n\t"			\
	"xorl %%r9d, %%r11d\n\t"					\
	"movq (%%r8, %%r11, 8), %%r11\n\t"				\
	"movq %%r11, -8 * " below "(%[out], %%rdx, 8)\n\t"

/* Operands that the sequence reads from memory, because registers are few. */
struct rseq_half_wanted {
	const uint8_t *place;
	uint32_t turned, half, least;
};
#define RSEQ_WANTED(field) [field] "i"(offsetof(struct rseq_half_wanted, field))

/*
 * percpu_older_half() in assembly, then the copy. r8 points to the half that is taken; rax is the
 * head to store. One load fetches count and limit: with two, a stopped count, which is large, could
 * be paired with the limit of an array that was started again in between. The price is that this
 * load waits for the last push, which stored only half of the word.
 *
 * slot = slot_of(array);
 * if (!percpu_older_half(slot->head, half, least, &first, &left)) return 0;
 * for (i = half; i-- > 0; )
 *	out[i] = slot->items[first + (place[i] ^ turned)];	// caller's memory
 * slot->head = left;						// commit, of count and limit
 */
static __always_inline bool rseq_take_older(struct percpu_array *array, void **out,
					   unsigned int half, unsigned int least,
					   const struct percpu_order *order, unsigned int *result)
{
	const struct rseq_half_wanted wanted = { order->place, order->turned, half, least };
	unsigned long taken = 0;

	RSEQ_ASM_GIVING(taken, RSEQ_FRAME("taken")
		 RSEQ_SLOT
		 "movq (%%rcx), %%rax\n\t"
		 "movl %%eax, %%edx\n\t"
		 "shrq $32, %%rax\n\t"
		 "movl %c[half](%[wanted]), %%r11d\n\t"
		 "leaq 16(%%rcx), %%r8\n\t"
		 "cmpl %%r11d, %%eax\n\t"
		 "jne 5f\n\t"
		 "cmpl %c[least](%[wanted]), %%edx\n\t"
		 "jb 2f\n\t"
		 "leaq (%%r8, %%r11, 8), %%r8\n\t"
		 "shlq $33, %%rax\n\t"			/* 2 * half, */
		 "orq %%rdx, %%rax\n\t"			/* and the count */
		 "jmp 6f\n"
		 "5:\n\t"
		 "cmpl %%eax, %%edx\n\t"
		 "jne 2f\n\t"
		 "testl %%eax, %%eax\n\t"
		 "jz 2f\n\t"
		 "movq %%r11, %%rax\n\t"
		 "shlq $32, %%rax\n"			/* half, and no count */
		 "6:\n\t"
		 "movl %%r11d, %%edx\n\t"
		 "movl %c[turned](%[wanted]), %%r9d\n\t"
		 "movq %c[place](%[wanted]), %%r10\n\t"
		 "testl $1, %%edx\n\t"
		 "jz 7f\n\t"
		 RSEQ_COPY_PLACE("1")
		 "subl $1, %%edx\n\t"
		 "jz 8f\n"
		 "7:\n\t"
		 RSEQ_COPY_PLACE("1")
		 RSEQ_COPY_PLACE("2")
		 "subl $2, %%edx\n\t"
		 "jnz 7b\n"
		 "8:\n\t"
		 "movl %c[half](%[wanted]), %k[taken]\n\t"
		 RSEQ_INJECT(2)
		 "movq %%rax, (%%rcx)\n"		/* commit */
		 RSEQ_END
		 : [taken] "+&r"(taken)
		 : RSEQ_INPUTS, [array] "r"(array), [out] "r"(out), [wanted] "r"(&wanted),
		   RSEQ_WANTED(place), RSEQ_WANTED(turned), RSEQ_WANTED(half), RSEQ_WANTED(least)
		 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc"
		 : aborted);
	*result = (unsigned int)taken;
	return true;
aborted:
	return false;
}

#endif
