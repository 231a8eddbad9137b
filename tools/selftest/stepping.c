/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "selftest/stepping.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic.h"
#include "os/signal/context.h"
#include "percpu/percpu.h"

/* Sync: the stepping thread and its handler; one thread at a time. */
static volatile unsigned long nr_steps;
static void (*volatile note_step)(unsigned long address);
static void *volatile broken;			/* the breakpoint's address, or NULL */
static volatile struct stepping_hits hits;
static void (*volatile call_meanwhile)(void);

/* The breakpoint instruction, and how many bytes behind its start the processor stops. */
#if defined(__x86_64__)

typedef unsigned char breakpoint_word;
#define BREAKPOINT 0xcc
#define STOPS_BEHIND 1

/* Both skip the red zone below the stack pointer, which the compiler may use. */
static __always_inline void set_trap_flag(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static __always_inline void clear_trap_flag(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

#elif defined(__aarch64__)

typedef uint32_t breakpoint_word;
#define BREAKPOINT 0xd4200000	/* brk #0 */
#define STOPS_BEHIND 0

#elif defined(__riscv)

/* Instructions may begin at any multiple of 2. */
typedef uint32_t breakpoint_word __aligned(2);
#define BREAKPOINT 0x00100073	/* ebreak */
#define STOPS_BEHIND 0

#endif

#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)

static volatile breakpoint_word replaced;

static void write_text(breakpoint_word *address, breakpoint_word word)
{
	*(volatile breakpoint_word *)address = word;
	__builtin___clear_cache((char *)address, (char *)(address + 1));
}

/*
 * Is the thread still at the breakpoint, so that no sequence was aborted? Then it continues with
 * the original instruction.
 */
static bool has_hit(ucontext_t *context)
{
	uint64_t *code = os_context_code(context);

	if (*code != (uint64_t)broken + STOPS_BEHIND)
		return false;
	*code = (uint64_t)broken;
	return true;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (!broken) {
		nr_steps++;
		if (note_step)
			note_step(*os_context_code(context));
		return;
	}
	write_text(broken, replaced);
	hits.all++;
	if (!has_hit(context))
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

static bool make_writable(unsigned long address)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	unsigned long start = address & ~(page - 1);
	size_t bytes = address + sizeof(breakpoint_word) - start;

	return !mprotect((void *)start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
}

bool stepping_works(void)
{
	return make_writable((unsigned long)stepping_works);
}

struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void))
{
	struct stepping_hits result = { 0, 0 };

	if (!make_writable(address))
		return result;
	catch_traps();
	call_meanwhile = meanwhile;
	hits.all = 0;
	hits.aborted = 0;
	replaced = *(breakpoint_word *)address;
	broken = (void *)address;
	write_text(broken, BREAKPOINT);
	fn(arg);
	if (broken) {	/* it was never hit */
		write_text(broken, replaced);
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

struct stepping_hits stepping_break_at(unsigned long address, void (*fn)(void *arg), void *arg,
				       void (*meanwhile)(void))
{
	(void)address;
	(void)meanwhile;
	fn(arg);
	return (struct stepping_hits){ 0, 0 };
}

#endif

#if STEPPING_SINGLE

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

struct bare_run {
	void (*fn)(void *arg);
	void *arg;
	void (*note)(unsigned long address);
	bool done;
};

static void *run_bare(void *arg)
{
	struct bare_run *run = arg;
	uint32_t *index = (void *)((char *)thread_pointer() + percpu.index_field);

	percpu_current_slot();	/* registers the thread, if libc did not */
	if (!percpu_end_registration())
		return NULL;
	/* The kernel no longer maintains this field. */
	atomic_store_relaxed(index, 0);
	stepping_run(run->fn, run->arg, run->note);
	run->done = true;
	return NULL;
}

bool stepping_run_bare(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address))
{
	struct bare_run run = { fn, arg, note, false };
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_bare, &run))
		return false;
	pthread_join(thread, NULL);
	return run.done;
}

unsigned int stepping_jump_bytes(unsigned long address)
{
	const unsigned char *start = (const void *)address, *byte = start;

	/* Skip prefixes that an assembler puts in front of jumps, as hints or as padding. */
	while (*byte == 0x2e || *byte == 0x3e)
		byte++;
	if ((*byte & 0xf0) == 0x70 || (*byte & 0xfc) == 0xe0 || *byte == 0xeb)
		byte += 2;
	else if (*byte == 0xe9)
		byte += 5;
	else if (byte[0] == 0x0f && (byte[1] & 0xf0) == 0x80)
		byte += 6;
	else
		return 0;
	return (unsigned int)(byte - start);
}

#else

unsigned int stepping_jump_bytes(unsigned long address)
{
	(void)address;
	return 0;
}

unsigned long stepping_run(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address))
{
	(void)note;
	fn(arg);
	return 0;
}

bool stepping_run_bare(void (*fn)(void *arg), void *arg, void (*note)(unsigned long address))
{
	(void)fn;
	(void)arg;
	(void)note;
	return false;
}

#endif

extern const struct stepping_sequence __start___rseq_cs[]
	__attribute__((weak, visibility("hidden")));
extern const struct stepping_sequence __stop___rseq_cs[]
	__attribute__((weak, visibility("hidden")));

const struct stepping_sequence *stepping_next(const struct stepping_sequence *sequence,
					      const char *start, const char *stop)
{
	const struct stepping_sequence *s = sequence ? sequence + 1 : __start___rseq_cs;

	for (; s < __stop___rseq_cs; s++)
		if (s->start >= (unsigned long)start && s->start < (unsigned long)stop)
			return s;
	return NULL;
}

struct search {
	unsigned long *addresses;
	unsigned int nr, max;
};

static struct search *search;	/* Sync: the stepping thread and its handler */

static void note_sequence(unsigned long address)
{
	const struct stepping_sequence *s = __start___rseq_cs;

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

unsigned int stepping_find(void (*fn)(void *arg), void *arg, unsigned long *addresses,
			   unsigned int max)
{
	struct search here = { addresses, 0, max };

	search = &here;
	return stepping_run_bare(fn, arg, note_sequence) ? here.nr : 0;
}
