/* SPDX-License-Identifier: MIT */
/*
 * The C++ runtime of a process that got it late: a plugin brought it along, in a scope of its
 * own, or has it linked in. Only reached when operator new has found no memory.
 */
#include "malloc/interpose/cxx_runtime.h"

#include <dlfcn.h>

#include "base/check.h"

/*
 * A static program loads nothing, and whoever names dlopen() is warned of when it is linked: so
 * that is looked for. It may have the others all the same, which find nothing then.
 */
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

typedef void *open_function(const char *path, int mode);

/* A plugin that was linked with this library finds it before its runtime. */
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
	dlclose(library);	/* whoever called holds it */
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
