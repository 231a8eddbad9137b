/* SPDX-License-Identifier: MIT */
#include "os/core.h"

/*
 * Each copy defines both names. The linker resolves the public one to the first copy in the
 * process, and the hidden one to this copy.
 */
extern const char usermm_core[];
EXPORT const char usermm_core[] = "usermm " USERMM_VERSION;
extern const char own_core[sizeof(usermm_core)]
	__attribute__((__alias__("usermm_core"), __visibility__("hidden")));

bool core_is_spare(void)
{
	const char *first = usermm_core, *own = own_core;

	/* Without this the compiler would assume that an alias always has the same address. */
	__asm__("" : "+r"(first), "+r"(own));
	return first != own;
}
