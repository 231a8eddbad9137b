/* SPDX-License-Identifier: MIT */
/*
 * dlopen() of a preloaded program, which does without RTLD_DEEPBIND.
 *
 * What is loaded with that flag (PHP's extensions, named's plugins) looks for a name in itself and
 * the libraries it was linked to before it looks in the program. So its free() is libc's, while
 * what strdup() or the program gives to it is of this malloc(): hardly any of them lives longer
 * than its first free(). Without the flag a name that is both in the program and in what it loads
 * is the program's, as it is on systems that have no such flag.
 */
#include <dlfcn.h>

#include "base/compiler.h"

#ifdef RTLD_DEEPBIND
typedef void *open_function(const char *path, int mode);

/*
 * The last step is a jump (CMakeLists.txt asks for it at any level of optimisation): where libc
 * looks for a library depends on who calls, and that is to be the program.
 */
EXPORT void *(dlopen)(const char *path, int mode)
{
	open_function *open = (open_function *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");

	return open(path, mode & ~RTLD_DEEPBIND);
}
#endif
