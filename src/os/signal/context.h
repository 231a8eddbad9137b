/* SPDX-License-Identifier: MIT */
/* The registers of the thread that a signal handler has interrupted, by processor. */
#ifndef OS_SIGNAL_CONTEXT_H
#define OS_SIGNAL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/*
 * Where the address of the interrupted instruction is stored. The thread goes on at the address
 * that the handler leaves there.
 */
static inline uint64_t *os_context_code(ucontext_t *context)
{
#if defined(__x86_64__)
	return (uint64_t *)&context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uint64_t *)&context->uc_mcontext.pc;
#elif defined(__riscv)
	return (uint64_t *)&context->uc_mcontext.__gregs[REG_PC];
#elif defined(__s390x__)
	return (uint64_t *)&context->uc_mcontext.psw.addr;
#elif defined(__powerpc64__)
	return (uint64_t *)&context->uc_mcontext.gp_regs[32];	/* PT_NIP */
#elif defined(__loongarch64)
	return (uint64_t *)&context->uc_mcontext.__pc;
#else
#error "add where this processor's signal frame has the program counter"
#endif
}

/* Makes the thread go on at a function. */
static inline void os_context_go_to(ucontext_t *context, void (*function)(void))
{
	*os_context_code(context) = (uint64_t)function;
#if defined(__powerpc64__)
	/* A function expects its own address in r12 and finds its data by it. */
	context->uc_mcontext.gp_regs[12] = (unsigned long)function;
#endif
}

#if defined(__riscv)
/*
 * Does the instruction store? The kernel does not tell, so the instruction is read: stores of any
 * width, atomic operations except load-reserved (LR), and the compressed stores.
 */
static inline bool os_context_riscv_stores(const void *code)
{
	uint16_t low;
	uint32_t word;

	memcpy(&low, code, sizeof(low));
	if ((low & 3) != 3)
		return (low & 3) != 1 && low >> 13 >= 5;
	memcpy(&word, code, sizeof(word));
	switch (word & 0x7f) {
	case 0x23:
	case 0x27:
		return true;
	case 0x2f:
		return word >> 27 != 2;
	default:
		return false;
	}
}
#endif

/* Was the failed access a write? False also if neither the kernel nor the instruction tells. */
static inline bool os_context_is_write(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
	/* The exception's syndrome (ESR) is one of the records behind the registers. */
	const char *record = (const char *)context->uc_mcontext.__reserved;
	uint32_t head[2];
	uint64_t syndrome;

	for (;; record += head[1]) {
		memcpy(head, record, sizeof(head));
		if (!head[0] || !head[1])
			return false;
		if (head[0] != 0x45535201)
			continue;
		memcpy(&syndrome, record + sizeof(head), sizeof(syndrome));
		return syndrome >> 6 & 1;
	}
#elif defined(__riscv)
	return os_context_riscv_stores((const void *)context->uc_mcontext.__gregs[REG_PC]);
#elif defined(__powerpc64__)
	return context->uc_mcontext.gp_regs[42] & 0x02000000;	/* PT_DSISR */
#else
	(void)context;
	return false;
#endif
}

#endif
