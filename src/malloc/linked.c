/* SPDX-License-Identifier: MIT */
/*
 * A name that only malloc's libraries have. A linker takes a member of an archive, or keeps a
 * library under --as-needed, for a name that is wanted by then. malloc is often not: libc may stand
 * in front, the objects may come later, or may be bytecode (gcc -flto), whose tables do not have
 * what the compiler knows by itself. So the installed flags want this one
 * (-Wl,-u,usermm_malloc_linked).
 */
#include "base/compiler.h"

extern const char usermm_malloc_linked;
EXPORT const char usermm_malloc_linked = 1;
