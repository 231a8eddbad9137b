/* SPDX-License-Identifier: MIT */
#include "base/check.h"

__attribute__((__noreturn__)) void usermm_new_failed(size_t size);

/* operator new without memory, in a process that has no way to throw. */
void usermm_new_failed(size_t size)
{
	report_fatal("operator new(%zu): out of memory, and no C++ runtime to throw bad_alloc",
		     size);
}
