/* SPDX-License-Identifier: MIT */
#include "os/core.h"

/*
 * Each copy has both names. The linker finds the public one where it finds the rest of them, and
 * the other one here.
 */
extern const char usermm_core[];
EXPORT const char usermm_core[] = "usermm " USERMM_VERSION;
extern const char own_core[sizeof(usermm_core)]
	__attribute__((__alias__("usermm_core"), __visibility__("hidden")));

bool core_is_spare(void)
{
	const char *first = usermm_core, *own = own_core;

	/* To the compiler they are the same. */
	__asm__("" : "+r"(first), "+r"(own));
	return first != own;
}
