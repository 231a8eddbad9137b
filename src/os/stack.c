/* SPDX-License-Identifier: MIT */
/*
 * Stacks come from the compiler's unwinder. It reads the tables that every object carries for
 * exceptions, so programs need no frame pointers. It is linked in privately: libgcc_s would have to
 * be loaded first, which allocates.
 *
 * The unwinder takes no lock and allocates nothing on a libc that finds tables by itself (glibc
 * from 2.35 on), unless a program has registered tables of code that it made at run time. Since it
 * may allocate then, a caller of these functions must make sure that allocations from inside the
 * unwinder do not start another walk. Where there is no unwinder (musl) there is no stack.
 */
#include "os/stack.h"

#include <link.h>
#include <setjmp.h>

#include "os/start/auxiliary.h"

/* The end of the object whose ELF header is at start. */
static inline unsigned long object_end(unsigned long start)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)start;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(start + header->e_phoff);
	unsigned long end = start;

	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD)
			end = max(end, start + segments[i].p_vaddr + segments[i].p_memsz);
	return end;
}

#ifdef USERMM_UNWINDER
#include <unwind.h>

/* _Unwind_Backtrace() and _Unwind_GetIPInfo(), renamed. */
_Unwind_Reason_Code usermm_unwind_backtrace(_Unwind_Trace_Fn callback, void *arg)
	__attribute__((__visibility__("hidden")));
_Unwind_Ptr usermm_unwind_address(struct _Unwind_Context *context, int *interrupted)
	__attribute__((__visibility__("hidden")));
/* _Unwind_Find_FDE(), renamed; and the function that the unwinder calls instead of it. */
const void *usermm_unwind_find_table(void *address, void *bases)
	__attribute__((__visibility__("hidden")));
const void *usermm_unwind_table(void *address, void *bases)
	__attribute__((__visibility__("hidden")));

/*
 * A walk ends by longjmp() at an address that no table knows: code made at run time, a coroutine's
 * first frame, the target of a wild jump. The unwinder would read instructions there, to see
 * whether a signal handler returns by them, and the address may be no memory.
 */

/*
 * The lower half of the address of the walk's jmp_buf; 0: there is no walk. The buffer is on the
 * stack that the walk runs on, less than 4 GiB above, so the half is enough. Every thread has these
 * bytes, so they are few.
 */
static __thread uint32_t walk_ends __attribute__((__tls_model__("initial-exec")));

/*
 * Is it the kernel's code by which signal handlers return (the vDSO)? On aarch64 no table knows
 * that code. The unwinder then looks at the instructions, which are readable.
 */
static bool is_kernels(unsigned long address)
{
	unsigned long start = os_auxiliary(AT_SYSINFO_EHDR);

	return start && address >= start && address < object_end(start);
}

/* The jmp_buf of the walk: walk_ends has the lower half, the stack the upper one. */
static noinline jmp_buf *end_of_walk(void)
{
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	return (jmp_buf *)(here + (uint32_t)(walk_ends - (uint32_t)here));
}

const void *usermm_unwind_table(void *address, void *bases)
{
	const void *table = usermm_unwind_find_table(address, bases);

	if (!table && walk_ends && !is_kernels((unsigned long)address))
		_longjmp(*end_of_walk(), 1);
	return table;
}

/*
 * Sync: constant after constructors.
 *
 * While a static program starts, libc allocates the data by which it finds unwind tables. A query
 * before that would crash. libc has finished before the first constructor runs. In a dynamic
 * program the loader does this, with an allocator of its own.
 */
static bool libc_has_started;

__attribute__((constructor(101))) static void note_that_libc_has_started(void)
{
	libc_has_started = true;
}

static bool tables_can_be_found(void)
{
	return libc_has_started || os_auxiliary(AT_BASE);
}

/* Calls back for each caller of this function, as far as tables tell. */
static noinline void walk_stack(_Unwind_Trace_Fn callback, void *arg)
{
	/* A handler may have interrupted another walk of this thread. */
	const volatile uint32_t outer = walk_ends;
	jmp_buf end;

	if (tables_can_be_found() && !_setjmp(end)) {
		walk_ends = (uint32_t)(unsigned long)&end;
		usermm_unwind_backtrace(callback, arg);
	}
	walk_ends = outer;
}

struct walk {
	const void **frames;
	unsigned int nr, max, skip;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	int interrupted;
	const void *address = (const void *)usermm_unwind_address(context, &interrupted);

	if (!address || walk->nr == walk->max)
		return _URC_END_OF_STACK;
	if (walk->skip)
		walk->skip--;
	else
		walk->frames[walk->nr++] = address;
	return _URC_NO_REASON;
}

noinline unsigned int os_stack_save(const void **frames, unsigned int max, unsigned int skip)
{
	struct walk walk = { .frames = frames, .max = max, .skip = skip + 2 };

	walk_stack(add_frame, &walk);
	return walk.nr;
}

/*
 * Is a signal handler among the callers?
 *
 * The kernel calls a handler from a frame of its own making. The tables say that this frame was
 * interrupted, not called. The walk continues from an alternate stack to the thread's.
 *
 * If there is no such frame, that means "no handler" only if the walk reached the place where the
 * thread or the process began. libc marks these places as called by nobody. A static program's
 * entry is not marked, but the kernel tells where it is (AT_ENTRY).
 */
#define HANDLER_FRAMES_MAX 1024
/* The code at a program's entry calls libc within this many bytes. */
#define ENTRY_BYTES 128

struct search {
	enum os_answer in_handler;
	unsigned long outermost;
	unsigned int nr;
};

static _Unwind_Reason_Code look_for_handler(struct _Unwind_Context *context, void *arg)
{
	struct search *search = arg;
	int interrupted = 0;
	unsigned long address = usermm_unwind_address(context, &interrupted);

	if (interrupted)
		search->in_handler = OS_YES;
	else if (!address)
		search->in_handler = OS_NO;
	search->outermost = address;
	if (search->in_handler != OS_UNSURE || ++search->nr == HANDLER_FRAMES_MAX)
		return _URC_END_OF_STACK;
	return _URC_NO_REASON;
}

enum os_answer os_in_signal_handler(void)
{
	struct search search = { .in_handler = OS_UNSURE };

	walk_stack(look_for_handler, &search);
	if (search.in_handler == OS_UNSURE &&
	    search.outermost - os_auxiliary(AT_ENTRY) < ENTRY_BYTES)
		return OS_NO;
	return search.in_handler;
}
#else
unsigned int os_stack_save(const void **frames, unsigned int max, unsigned int skip)
{
	(void)frames;
	(void)max;
	(void)skip;
	return 0;
}

enum os_answer os_in_signal_handler(void)
{
	return OS_UNSURE;
}
#endif

/* More frames than lie between a call of usermm and the loader. */
#define CALLERS_MAX 32

#ifdef __GLIBC__
bool os_called_by_loader(void)
{
	unsigned long start = os_auxiliary(AT_BASE), end;
	const void *callers[CALLERS_MAX];
	unsigned int nr;

	if (!start)
		return true;
	nr = os_stack_save(callers, CALLERS_MAX, 0);
	end = object_end(start);
	for (unsigned int i = 0; i < nr; i++)
		if ((unsigned long)callers[i] >= start && (unsigned long)callers[i] < end)
			return true;
	return !nr;
}
#else
/* musl's loader frees nothing while it holds a lock. */
bool os_called_by_loader(void)
{
	return false;
}
#endif
