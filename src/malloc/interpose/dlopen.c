/* SPDX-License-Identifier: MIT */
/*
 * dlopen() of a preloaded program ignores RTLD_DEEPBIND.
 *
 * A library loaded with that flag (PHP's extensions, named's plugins) looks for a name in itself
 * and its own libraries before it looks in the program. So its free() would be libc's, while blocks
 * from strdup() or from the program come from this malloc(). Hardly any such plugin survives its
 * first free(). Without the flag, a name that is both in the program and in the plugin is the
 * program's, as on systems without such a flag.
 *
 * A program that opens libusermm.so to look names up (Python's ctypes) gets this library, which has
 * the same names. A second allocator in the process would not know malloc's memory.
 */
#include <dlfcn.h>

#include "base/compiler.h"
#include "base/text.h"
#include "os/core.h"

/* libc may have a macro of this name. */
#undef dlopen

#ifdef RTLD_DEEPBIND
typedef void *open_function(const char *path, int mode);

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Is it libusermm.so, libusermm.so.0, libusermm_core.so.0 and so on, in any folder? */
static bool is_api(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	return name && (has_prefix(name, "libusermm.so") || has_prefix(name, "libusermm_core.so"));
}

static const char *path_to_open(const char *path)
{
	Dl_info own;

	if (!is_api(path) || core_is_spare() || !dladdr((void *)path_to_open, &own))
		return path;
	return own.dli_fname;
}

/*
 * libc searches for the library depending on the caller, which has to be the program. So the call
 * of libc's dlopen() has to be a jump; CMakeLists.txt asks for that at any level of optimisation.
 */
EXPORT void *dlopen(const char *path, int mode)
{
	open_function *open = (open_function *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");

	return open(path_to_open(path), mode & ~RTLD_DEEPBIND);
}
#endif
