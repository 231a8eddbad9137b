/* SPDX-License-Identifier: MIT */
/*
 * dlopen() of a preloaded program, which does without RTLD_DEEPBIND.
 *
 * What is loaded with that flag (PHP's extensions, named's plugins) looks for a name in itself and
 * the libraries it was linked to before it looks in the program. So its free() is libc's, while
 * what strdup() or the program gives to it is of this malloc(): hardly any of them lives longer
 * than its first free(). Without the flag a name that is both in the program and in what it loads
 * is the program's, as it is on systems that have no such flag.
 *
 * And who opens libusermm.so to look its names up (Python's ctypes) gets this library, which has
 * them: a second allocator in the process would know nothing of malloc's memory.
 */
#include <dlfcn.h>

#include "base/compiler.h"
#include "base/text.h"
#include "os/core.h"

#ifdef RTLD_DEEPBIND
typedef void *open_function(const char *path, int mode);

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* libusermm.so, libusermm.so.0, libusermm_core.so.0, wherever they are. */
static bool is_api(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	return name && (has_prefix(name, "libusermm.so") || has_prefix(name, "libusermm_core.so"));
}

static const char *instead_of(const char *path)
{
	Dl_info own;

	if (!is_api(path) || core_is_spare() || !dladdr((void *)instead_of, &own))
		return path;
	return own.dli_fname;
}

/*
 * The last step is a jump (CMakeLists.txt asks for it at any level of optimisation): where libc
 * looks for a library depends on who calls, and that is to be the program.
 */
EXPORT void *(dlopen)(const char *path, int mode)
{
	open_function *open = (open_function *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");

	return open(instead_of(path), mode & ~RTLD_DEEPBIND);
}
#endif
