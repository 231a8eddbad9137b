/* SPDX-License-Identifier: MIT */
/*
 * A name that only malloc's libraries define. A linker takes a member of an archive, and keeps a
 * library under --as-needed, only if it defines a name that is undefined so far. The name malloc is
 * often not undefined then: libc may come first, or the program's objects come later, or they are
 * bytecode (gcc -flto), whose symbol tables leave out the compiler's builtins. So the installed
 * link flags ask for this name (-Wl,-u,usermm_malloc_linked).
 */
#include "base/compiler.h"

extern const char usermm_malloc_linked;
EXPORT const char usermm_malloc_linked = 1;
