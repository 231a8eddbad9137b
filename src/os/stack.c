/* SPDX-License-Identifier: MIT */
/*
 * Who called: the return addresses above a call, for reports.
 *
 * The compiler's unwinder reads the tables that every object carries for exceptions, so
 * programs need no frame pointers. It is linked in privately: libgcc_s would have to be
 * loaded first, which allocates. It takes no lock and allocates nothing on a libc that
 * finds tables by itself (glibc from 2.35 on), unless a program has registered tables of
 * code that it made; the caller sees to it that it is not entered again from there. Where
 * it is not to be had (musl) there is no stack.
 */
#include "os/os.h"

#ifdef USERMM_UNWINDER
#include <unwind.h>

/* _Unwind_Backtrace() and _Unwind_GetIP(), renamed. */
_Unwind_Reason_Code usermm_unwind_backtrace(_Unwind_Trace_Fn callback, void *arg)
	__attribute__((__visibility__("hidden")));
_Unwind_Ptr usermm_unwind_address(struct _Unwind_Context *context)
	__attribute__((__visibility__("hidden")));

struct walk {
	const void **frames;
	unsigned int nr, max, skip;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	const void *address = (const void *)usermm_unwind_address(context);

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
	struct walk walk = { .frames = frames, .max = max, .skip = skip + 1 };

	usermm_unwind_backtrace(add_frame, &walk);
	return walk.nr;
}
#else
unsigned int os_stack_save(const void **frames, unsigned int max, unsigned int skip)
{
	(void)frames;
	(void)max;
	(void)skip;
	return 0;
}
#endif
