/* SPDX-License-Identifier: MIT */
#include "os/core.h"

/*
 * Each copy defines both names. The linker resolves the public one to the first copy in the
 * process, and the hidden one to this copy. The size is a part of the ABI, so it
 * must not change with the version's length.
 */
#define CORE_BYTES 32
extern const char usermm_core[CORE_BYTES];
EXPORT const char usermm_core[CORE_BYTES] = "usermm " USERMM_VERSION;
extern const char own_core[CORE_BYTES]
	__attribute__((__alias__("usermm_core"), __visibility__("hidden")));

bool core_is_spare(void)
{
	const char *first = usermm_core, *own = own_core;

	/* Without this the compiler would assume that an alias always has the same address. */
	__asm__("" : "+r"(first), "+r"(own));
	return first != own;
}
