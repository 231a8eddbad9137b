/* SPDX-License-Identifier: MIT */
/* What a signal handler is told of the thread below it, by processor. */
#ifndef OS_SIGNAL_CONTEXT_H
#define OS_SIGNAL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/* The address of the instruction that was interrupted; what is stored there is gone on with. */
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

/* Goes on at a function. */
static inline void os_context_go_to(ucontext_t *context, void (*function)(void))
{
	*os_context_code(context) = (uint64_t)function;
#if defined(__powerpc64__)
	/* A function finds its data by its own address, in r12. */
	context->uc_mcontext.gp_regs[12] = (unsigned long)function;
#endif
}

#if defined(__riscv)
/*
 * Does the instruction store? The kernel does not tell, so it is read: stores of any width, atomic
 * operations but for the load of a pair, and the short forms of stores.
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

/* Was an access that failed a write? False where neither kernel nor instruction is asked. */
static inline bool os_context_is_write(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
	/* The exception's syndrome is one of the records behind the registers. */
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
