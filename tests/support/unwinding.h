/* SPDX-License-Identifier: MIT */
/*
 * Steps through a function on x86-64 and, at each instruction of one object, compares the callers
 * that unwinders find with the true ones.
 *
 * The true callers are counted along: an instruction that left the address behind itself on the
 * stack was a call, and the call is over once the stack pointer is above that address. A stepped
 * thread is sent from each restartable sequence to its abort target. In a thread that has left rseq
 * (leave_rseq()) the sequences run.
 *
 * An abort target is a frame of its own, which seems to be called from the sequence's start
 * (RSEQ_UNWIND in percpu/rseq/asm.h).
 */
#ifndef SUPPORT_UNWINDING_H
#define SUPPORT_UNWINDING_H

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&	\
	!defined(__SANITIZE_THREAD__)
#define UNWINDING_WORKS 1
#else
#define UNWINDING_WORKS 0
#endif

#if UNWINDING_WORKS
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>
#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#define UNWINDING_FRAMES 128
#define UNWINDING_TEXT_BYTES (4UL << 20)
#define UNWINDING_INSTRUCTION_BYTES 15
/* The most stacks with which an instruction is tested. */
#define UNWINDING_VISITS 3

struct unwinding_stack {
	unsigned long frames[UNWINDING_FRAMES];
	unsigned int nr;
};

struct unwinding {
	unsigned long steps;		/* instructions of all objects */
	unsigned long checked;		/* stacks that were compared, of the object */
	unsigned long instructions;	/* of the object that were looked at */
	unsigned long targets;		/* stacks at abort targets, among those checked */
	unsigned long wrong;
	char failure[400];		/* the first wrong stack; "" if all are right */
};

/* Sync: the stepping thread and its handler. */
static struct {
	struct unwinding *result;
	unsigned long start, stop;		/* the object's code */
	unsigned char visits[UNWINDING_TEXT_BYTES];
	unsigned long last_code, last_stack;	/* at the step before; 0: there was none */
	struct { unsigned long place, address; } calls[UNWINDING_FRAMES];
	unsigned int nr_calls;
	struct unwinding_stack base;		/* the callers of what is stepped through */
} unwinding_steps;

struct unwinding_walk {
	struct unwinding_stack *stack;
	unsigned long from;
};

/* Frames count from the one that was interrupted. */
static _Unwind_Reason_Code unwinding_add(struct _Unwind_Context *context, void *arg)
{
	struct unwinding_walk *walk = arg;
	struct unwinding_stack *stack = walk->stack;
	int exact = 0;
	unsigned long address = _Unwind_GetIPInfo(context, &exact);

	if (!stack->nr && (address != walk->from || !exact))
		return _URC_NO_REASON;
	if (!address || stack->nr == UNWINDING_FRAMES)
		return _URC_END_OF_STACK;
	stack->frames[stack->nr++] = address;
	return _URC_NO_REASON;
}

static void unwinding_by_libgcc(struct unwinding_stack *stack, ucontext_t *context)
{
	struct unwinding_walk walk = {
		stack, (unsigned long)context->uc_mcontext.gregs[REG_RIP]
	};

	stack->nr = 0;
	_Unwind_Backtrace(unwinding_add, &walk);
}

#ifdef HAVE_LIBUNWIND
static void unwinding_by_libunwind(struct unwinding_stack *stack, ucontext_t *context)
{
	unw_cursor_t cursor;
	unw_word_t address = 0;

	stack->nr = 0;
	if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME))
		return;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &address) || !address)
			return;
		stack->frames[stack->nr++] = address;
	} while (stack->nr < UNWINDING_FRAMES && unw_step(&cursor) > 0);
}
#endif

/*
 * The sequence's start, if this is the code of an abort target; else 0. It has 32 bytes: a jump to
 * the start, an undefined instruction with the signature, and the code.
 */
static unsigned long unwinding_start_of(unsigned long code)
{
	static const unsigned char undefined[] = { 0x0f, 0xb9, 0x3d, 0x53, 0x30, 0x05, 0x53 };
	const unsigned char *target = (const unsigned char *)(code & -32UL);
	int32_t distance;

	if (code % 32 < 12 || target[0] != 0xe9 || memcmp(target + 5, undefined, sizeof(undefined)))
		return 0;
	memcpy(&distance, target + 1, sizeof(distance));
	return (unsigned long)target + 5 + (unsigned long)(long)distance;
}

static void unwinding_true_stack(struct unwinding_stack *stack, unsigned long code)
{
	unsigned long start = unwinding_start_of(code);

	stack->nr = 0;
	stack->frames[stack->nr++] = code;
	if (start)
		stack->frames[stack->nr++] = start;
	for (unsigned int i = unwinding_steps.nr_calls; i-- > 0; )
		stack->frames[stack->nr++] = unwinding_steps.calls[i].address;
	for (unsigned int i = 2; i < unwinding_steps.base.nr && stack->nr < UNWINDING_FRAMES; i++)
		stack->frames[stack->nr++] = unwinding_steps.base.frames[i];
	unwinding_steps.result->targets += start != 0;
}

static void unwinding_compare(const struct unwinding_stack *right,
			      const struct unwinding_stack *found, const char *unwinder)
{
	struct unwinding *result = unwinding_steps.result;
	unsigned int i = 0;

	while (i < right->nr && i < found->nr && right->frames[i] == found->frames[i])
		i++;
	if (i == right->nr)	/* some unwinders find one more behind the first one */
		return;
	if (!result->wrong++)
		snprintf(result->failure, sizeof(result->failure),
			 "%s at %#lx: frame %u of %u is %#lx, not %#lx (%u calls deep)", unwinder,
			 right->frames[0] - unwinding_steps.start, i, found->nr,
			 i < found->nr ? found->frames[i] - unwinding_steps.start : 0,
			 right->frames[i] - unwinding_steps.start, unwinding_steps.nr_calls);
}

static void unwinding_check(ucontext_t *context, unsigned long code)
{
	static struct unwinding_stack right, found;
	unsigned char *visits = &unwinding_steps.visits[code - unwinding_steps.start];

	if (*visits == UNWINDING_VISITS)
		return;
	unwinding_steps.result->instructions += !*visits;
	++*visits;
	unwinding_true_stack(&right, code);
	unwinding_by_libgcc(&found, context);
	unwinding_compare(&right, &found, "libgcc");
#ifdef HAVE_LIBUNWIND
	unwinding_by_libunwind(&found, context);
	unwinding_compare(&right, &found, "libunwind");
#endif
	unwinding_steps.result->checked++;
}

/* Counts calls and returns by what the last instruction did to the stack. */
static void unwinding_follow(unsigned long code, unsigned long stack)
{
	unsigned long last = unwinding_steps.last_code, top = *(unsigned long *)stack;

	if (last && stack == unwinding_steps.last_stack - 8 && top > last &&
	    top - last <= UNWINDING_INSTRUCTION_BYTES &&
	    unwinding_steps.nr_calls < UNWINDING_FRAMES / 2) {
		unwinding_steps.calls[unwinding_steps.nr_calls].place = stack;
		unwinding_steps.calls[unwinding_steps.nr_calls++].address = top;
	}
	while (unwinding_steps.nr_calls &&
	       stack > unwinding_steps.calls[unwinding_steps.nr_calls - 1].place)
		unwinding_steps.nr_calls--;
	unwinding_steps.last_code = code;
	unwinding_steps.last_stack = stack;
}

static void unwinding_on_step(int signal, siginfo_t *info, void *context)
{
	const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned long code = (unsigned long)registers[REG_RIP];

	(void)signal;
	(void)info;
	unwinding_follow(code, (unsigned long)registers[REG_RSP]);
	unwinding_steps.result->steps++;
	if (!unwinding_steps.nr_calls)
		return;
	/* At the first instruction of fn(), whose caller is unwinding_run(). */
	if (!unwinding_steps.base.nr)
		unwinding_by_libgcc(&unwinding_steps.base, context);
	if (code >= unwinding_steps.start && code < unwinding_steps.stop)
		unwinding_check(context, code);
}

static int unwinding_find_object(struct dl_phdr_info *object, size_t bytes, void *address)
{
	(void)bytes;
	for (unsigned int i = 0; i < object->dlpi_phnum; i++) {
		unsigned long start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;

		if (object->dlpi_phdr[i].p_type != PT_LOAD ||
		    !(object->dlpi_phdr[i].p_flags & PF_X) ||
		    (unsigned long)address - start >= object->dlpi_phdr[i].p_memsz)
			continue;
		unwinding_steps.start = start;
		unwinding_steps.stop = start + object->dlpi_phdr[i].p_memsz;
		return 1;
	}
	return 0;
}

/* Steps through fn(arg), and adds to the result what is found in the object that has `inside`. */
static __attribute__((__noinline__)) void unwinding_run(struct unwinding *result, void *inside,
							 void (*fn)(void *arg), void *arg)
{
	struct sigaction action = { .sa_sigaction = unwinding_on_step, .sa_flags = SA_SIGINFO };

	memset(&unwinding_steps, 0, sizeof(unwinding_steps));
	dl_iterate_phdr(unwinding_find_object, inside);
	if (unwinding_steps.stop - unwinding_steps.start > UNWINDING_TEXT_BYTES)
		unwinding_steps.stop = unwinding_steps.start + UNWINDING_TEXT_BYTES;
	unwinding_steps.result = result;
	sigaction(SIGTRAP, &action, NULL);
	/* The trap flag. Both skip the red zone below the stack pointer. */
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
	fn(arg);
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
	signal(SIGTRAP, SIG_DFL);
}

#endif
#endif
