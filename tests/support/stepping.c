/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "support/stepping.h"

#if defined(__x86_64__)

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/threads.h"

#define RSEQ_SIGNATURE_WORD 0x53053053
#define RSEQ_UNREGISTER 1
#define BREAKPOINT 0xcc

/* glibc's, since 2.35. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* One test steps at a time. Sync: the stepping thread and its handler. */
static volatile unsigned long nr_steps;
static void (*volatile note_step)(unsigned long address);
static unsigned char *volatile broken;		/* where the breakpoint is */
static volatile unsigned char replaced;
static volatile struct stepping_hits hits;
static void (*volatile call_meanwhile)(void);

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (!broken) {
		nr_steps++;
		if (note_step)
			note_step((unsigned long)registers[REG_RIP]);
		return;
	}
	*broken = replaced;
	hits.all++;
	if ((unsigned char *)registers[REG_RIP] == broken + 1)
		registers[REG_RIP]--;	/* nobody has moved it: run the instruction */
	else
		hits.aborted++;
	broken = NULL;
	if (call_meanwhile)
		call_meanwhile();
}

static void catch_traps(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
}

/* Around both: the red zone below the stack pointer belongs to the compiler. */
static inline __attribute__((always_inline)) void set_trap_flag(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static inline __attribute__((always_inline)) void clear_trap_flag(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static bool make_writable(const void *address)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	unsigned long start = (unsigned long)address & ~(page - 1);

	return !mprotect((void *)start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
}

bool stepping_works(void)
{
	return make_writable(stepping_works);
}

unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address))
{
	catch_traps();
	nr_steps = 0;
	note_step = note;
	set_trap_flag();
	fn(arg);
	clear_trap_flag();
	return nr_steps;
}

/* Takes the calling thread's restartable sequences from the kernel, for good. */
static bool unregister_rseq(void)
{
	unsigned long sizes[3] = { 32, getauxval(AT_RSEQ_FEATURE_SIZE), 0 };
	void *area;

	if (!&__rseq_offset || !&__rseq_size || !__rseq_size)
		return false;
	sizes[2] = __rseq_size;
	area = (char *)__builtin_thread_pointer() + __rseq_offset;
	/* It has to be the size that libc registered, which libc does not tell. */
	for (unsigned int i = 0; i < 3; i++)
		if (!syscall(SYS_rseq, area, sizes[i], RSEQ_UNREGISTER, RSEQ_SIGNATURE_WORD))
			return true;
	return false;
}

/* The kernel's descriptions of all sequences in this program. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, bytes, abort;
};

extern const struct sequence __start___rseq_cs[] __attribute__((weak));
extern const struct sequence __stop___rseq_cs[] __attribute__((weak));

struct search {
	void (*fn)(void *arg);
	void *arg;
	unsigned long *addresses;
	unsigned int nr, max;
};

static struct search *search;	/* Sync: the stepping thread and its handler */

static void note_sequence(unsigned long address)
{
	const struct sequence *s = __start___rseq_cs;

	while (s < __stop___rseq_cs && address - s->start >= s->bytes)
		s++;
	if (s == __stop___rseq_cs)
		return;
	for (unsigned int i = 0; i < search->nr; i++)
		if (search->addresses[i] == address)
			return;
	if (search->nr < search->max)
		search->addresses[search->nr++] = address;
}

static void find_in_thread(struct test_thread *thread)
{
	search = thread->arg;
	if (unregister_rseq())
		stepping_run(search->fn, search->arg, note_sequence);
}

unsigned int stepping_find(struct kunit *test, void (*fn)(void *arg), void *arg,
			   unsigned long *addresses, unsigned int max)
{
	struct search here = { fn, arg, addresses, 0, max };

	test_threads_run(test, 1, find_in_thread, &here);
	return here.nr;
}

struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void))
{
	struct stepping_hits result = { 0, 0 };

	if (!make_writable((void *)address))
		return result;
	catch_traps();
	call_meanwhile = meanwhile;
	hits.all = 0;
	hits.aborted = 0;
	replaced = *(unsigned char *)address;
	broken = (unsigned char *)address;
	*broken = BREAKPOINT;
	fn(arg);
	if (broken) {	/* never came by */
		*broken = replaced;
		broken = NULL;
	}
	result.all = hits.all;
	result.aborted = hits.aborted;
	return result;
}

#else

bool stepping_works(void)
{
	return false;
}

unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address))
{
	(void)note;
	fn(arg);
	return 0;
}

unsigned int stepping_find(struct kunit *test, void (*fn)(void *arg), void *arg,
			   unsigned long *addresses, unsigned int max)
{
	(void)test;
	(void)fn;
	(void)arg;
	(void)addresses;
	(void)max;
	return 0;
}

struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void))
{
	(void)address;
	(void)meanwhile;
	fn(arg);
	return (struct stepping_hits){ 0, 0 };
}

#endif
