// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "lines.h"

#include <features.h>	/* __GLIBC__ */
#include <stddef.h>

#include "capstone.h"

#if defined(BENCH_CAPSTONE) && defined(__x86_64__) && defined(__GLIBC__)
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/compiler.h"
#include "leave_rseq.h"
#include "mm/memmap.h"
#include "step.h"

#define MAX_STEPS 65536
#define MAX_LINES 16384			/* a power of two */
#define LINE_SHIFT 6
#define INSTRUCTION_BYTES 15

/* The next instruction, and the registers that its operands use. */
struct step {
	greg_t registers[NGREG];
};

/* Sync: the only thread that traces, and its signal handler. */
static struct {
	const struct capstone *cs;
	csh machine;
	struct step *steps;		/* MAX_STEPS */
	volatile unsigned long nr;
	uintptr_t stack, stack_end;
	uintptr_t lines[MAX_LINES];	/* a hash table; 0 = free */
	unsigned long nr_lines;
} trace;

static const struct {
	x86_reg reg;
	int index;
} registers[] = {
	{ X86_REG_RAX, REG_RAX }, { X86_REG_RBX, REG_RBX }, { X86_REG_RCX, REG_RCX },
	{ X86_REG_RDX, REG_RDX }, { X86_REG_RSI, REG_RSI }, { X86_REG_RDI, REG_RDI },
	{ X86_REG_RBP, REG_RBP }, { X86_REG_RSP, REG_RSP }, { X86_REG_R8, REG_R8 },
	{ X86_REG_R9, REG_R9 },   { X86_REG_R10, REG_R10 }, { X86_REG_R11, REG_R11 },
	{ X86_REG_R12, REG_R12 }, { X86_REG_R13, REG_R13 }, { X86_REG_R14, REG_R14 },
	{ X86_REG_R15, REG_R15 },
};

static void on_step(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	if (trace.nr < MAX_STEPS)
		memcpy(trace.steps[trace.nr++].registers,
		       ((ucontext_t *)context)->uc_mcontext.gregs,
		       sizeof(trace.steps[0].registers));
}

static bool find_stack(void)
{
	pthread_attr_t attr;
	size_t bytes;
	void *start;
	bool found;

	if (pthread_getattr_np(pthread_self(), &attr))
		return false;
	found = !pthread_attr_getstack(&attr, &start, &bytes);
	pthread_attr_destroy(&attr);
	trace.stack = (uintptr_t)start;
	trace.stack_end = trace.stack + bytes;
	return found;
}

const char *lines_begin(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	const char *refusal;

	trace.cs = capstone_load(&refusal);
	if (!trace.cs)
		return refusal;
	if (trace.cs->open(CS_ARCH_X86, CS_MODE_64, &trace.machine) != CS_ERR_OK)
		return "libcapstone does not know this machine's code";
	trace.cs->option(trace.machine, CS_OPT_DETAIL, CS_OPT_ON);
	trace.steps = mmap(NULL, MAX_STEPS * sizeof(struct step), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (trace.steps == MAP_FAILED || !find_stack() || sigaction(SIGTRAP, &action, NULL))
		return "this process cannot be stepped";
	return leave_rseq() ? NULL : "libc's rseq area cannot be taken from the kernel";
}

/* Is the address in struct pages, or in the table with the caches of slabs? */
static bool says_of_pages(const void *address)
{
	uintptr_t offset = (uintptr_t)address - (uintptr_t)mm_window.slab_caches;

	return mm_map_is_online(mm_map_offset(address)) ||
	       offset / sizeof(*mm_window.slab_caches) < mm_window.online_bytes / PAGE_SIZE;
}

static bool add_line(uintptr_t line, struct lines *lines)
{
	unsigned long i = line * 0x9e3779b97f4a7c15ul >> 50;
	const void *address = (const void *)(line << LINE_SHIFT);

	for (; trace.lines[i]; i = (i + 1) % MAX_LINES)
		if (trace.lines[i] == line)
			return true;
	if (trace.nr_lines++ == MAX_LINES / 2)
		return false;
	trace.lines[i] = line;
	if (mm_is_online(address))
		lines->objects++;
	else if (says_of_pages(address))
		lines->pages++;
	else
		lines->others++;
	return true;
}

static bool value_of(const struct step *step, x86_reg reg, uintptr_t *value)
{
	*value = 0;
	if (reg == X86_REG_INVALID)
		return true;
	for (unsigned int i = 0; i < ARRAY_SIZE(registers); i++)
		if (registers[i].reg == reg) {
			*value = (uintptr_t)step->registers[registers[i].index];
			return true;
		}
	return false;
}

/* Computes segment:[base + index * scale + displacement]. */
static bool operand_address(const struct step *step, const cs_insn *insn, const x86_op_mem *mem,
			    uintptr_t *address)
{
	uintptr_t base, index;

	if (mem->base == X86_REG_RIP)
		base = (uintptr_t)step->registers[REG_RIP] + insn->size;
	else if (!value_of(step, mem->base, &base))
		return false;
	if (!value_of(step, mem->index, &index))
		return false;
	*address = base + index * (uintptr_t)mem->scale + (uintptr_t)mem->disp;
	if (mem->segment == X86_REG_FS)
		*address += (uintptr_t)__builtin_thread_pointer();
	return mem->segment != X86_REG_GS;
}

static bool touches_memory(const cs_insn *insn)
{
	return insn->id != X86_INS_LEA && insn->id != X86_INS_NOP;
}

static bool add_operand(const struct step *step, const cs_insn *insn, const cs_x86_op *operand,
			struct lines *lines)
{
	uintptr_t address, last;

	if (operand->type != X86_OP_MEM)
		return true;
	if (!operand_address(step, insn, &operand->mem, &address))
		return false;
	if (address >= trace.stack && address < trace.stack_end)
		return true;
	last = (address + max(operand->size, 1) - 1) >> LINE_SHIFT;
	for (uintptr_t line = address >> LINE_SHIFT; line <= last; line++)
		if (!add_line(line, lines))
			return false;
	return true;
}

/* Calls, returns, pushes and pops also touch the stack, which is not counted. */
static bool add_step(const struct step *step, cs_insn *insn, struct lines *lines)
{
	const uint8_t *code = (const uint8_t *)step->registers[REG_RIP];
	uint64_t address = (uint64_t)code;
	size_t bytes = INSTRUCTION_BYTES;

	if (!trace.cs->disasm_iter(trace.machine, &code, &bytes, &address, insn))
		return false;
	for (unsigned int i = 0; touches_memory(insn) && i < insn->detail->x86.op_count; i++)
		if (!add_operand(step, insn, &insn->detail->x86.operands[i], lines))
			return false;
	return true;
}

bool lines_trace(void (*function)(void *arg), void *arg, struct lines *lines)
{
	cs_insn *insn = trace.cs->malloc(trace.machine);
	bool good = insn != NULL;

	memset(trace.lines, 0, sizeof(trace.lines));
	*lines = (struct lines){ 0 };
	trace.nr = trace.nr_lines = 0;
	trap_flag(true);
	function(arg);
	trap_flag(false);
	good &= trace.nr > 0 && trace.nr < MAX_STEPS;
	for (unsigned long i = 0; good && i < trace.nr; i++)
		good = add_step(&trace.steps[i], insn, lines);
	if (insn)
		trace.cs->free(insn, 1);
	return good;
}
#else
const char *lines_begin(void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	return CAPSTONE_LEFT_OUT;
#else
	return "only for x86-64 and glibc";
#endif
}

bool lines_trace(void (*function)(void *arg), void *arg, struct lines *lines)
{
	(void)function, (void)arg, (void)lines;
	return false;
}
#endif
