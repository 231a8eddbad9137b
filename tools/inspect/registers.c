// SPDX-License-Identifier: MIT
/*
 * Registers of stopped threads: every word may be a pointer. Vector registers are left out, as in
 * memcheck: they keep stale addresses for long after a copy.
 */
#include <string.h>
#include <sys/user.h>

#include "target.h"

/* Where the stack pointer and the program counter stand in struct elf_prstatus's pr_reg. */
#if defined(__x86_64__)
#define STACK_POINTER 19
#define PROGRAM_COUNTER 16
#elif defined(__aarch64__)
#define STACK_POINTER 31
#define PROGRAM_COUNTER 32
#elif defined(__riscv)
#define STACK_POINTER 2
#define PROGRAM_COUNTER 0
#elif defined(__loongarch__)
#define STACK_POINTER 3
#define PROGRAM_COUNTER 33
#elif defined(__powerpc64__)
#define STACK_POINTER 1
#define PROGRAM_COUNTER 32
#elif defined(__s390x__)
#define STACK_POINTER 17	/* behind the PSW, which has two words */
#define PROGRAM_COUNTER 1
#else
#error "say where the stack pointer is among the registers of a core"
#endif

void registers_take(struct thread *thread, const void *registers, size_t bytes)
{
	size_t words = bytes / sizeof(uint64_t);

	words = words < THREAD_WORDS ? words : THREAD_WORDS;
	memcpy(thread->words, registers, words * sizeof(uint64_t));
	thread->nr_words = (unsigned int)words;
	thread->has_registers = thread->nr_words > STACK_POINTER &&
				thread->nr_words > PROGRAM_COUNTER;
	if (!thread->has_registers)
		return;
	thread->stack_pointer = thread->words[STACK_POINTER];
	thread->program_counter = thread->words[PROGRAM_COUNTER];
}
