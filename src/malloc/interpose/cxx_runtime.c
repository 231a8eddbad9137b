/* SPDX-License-Identifier: MIT */
/*
 * Finds the C++ runtime of a process that loaded it late: a plugin brought it along in a scope of
 * its own, or has it linked in. Only called when operator new has found no memory.
 */
#include "malloc/interpose/cxx_runtime.h"

#include <dlfcn.h>

#include "base/check.h"

/*
 * A static program loads nothing, so these names may be missing. dlopen() is looked up by dlsym(),
 * since the linker warns of static programs that name it.
 */
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

typedef void *open_function(const char *path, int mode);

/* Is it this library's symbol? A plugin linked with this library finds that before its runtime. */
static bool is_this_librarys(const void *symbol)
{
	Dl_info info, own;

	return dladdr(symbol, &info) && dladdr((void *)cxx_runtime_symbol, &own) &&
	       info.dli_fbase == own.dli_fbase;
}

static void *symbol_of(open_function *open, const char *path, const char *name)
{
	void *library = open(path, RTLD_LAZY | RTLD_NOLOAD), *symbol;

	if (!library)
		return NULL;
	symbol = dlsym(library, name);
	dlclose(library);	/* stays loaded: the caller uses it */
	return symbol && !is_this_librarys(symbol) ? symbol : NULL;
}

void *cxx_runtime_symbol(const char *name, const void *caller)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1" };
	open_function *open = NULL;
	void *symbol = NULL;
	Dl_info info;

	if (dlsym && dlclose && dladdr)
		open = (open_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "dlopen");
	if (!open)
		return NULL;
	if (dladdr(caller, &info) && info.dli_fname)
		symbol = symbol_of(open, info.dli_fname, name);
	for (unsigned int i = 0; i < ARRAY_SIZE(libraries) && !symbol; i++)
		symbol = symbol_of(open, libraries[i], name);
	return symbol;
}

void cxx_runtime_missing(size_t bytes)
{
	report_fatal("operator new(%zu): out of memory, and no C++ runtime to throw bad_alloc",
		     bytes);
}
