/* SPDX-License-Identifier: MIT */
/*
 * The C++ runtime of a process that got it late: a plugin brought it along, in a scope of its
 * own, or has it linked in. Only reached when operator new has found no memory.
 */
#include "malloc/cxx_runtime.h"

#include <dlfcn.h>

#include "base/check.h"

/* A static program has none: it loads nothing. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

/* A plugin that was linked with this library finds it before its runtime. */
static bool is_this_librarys(const void *symbol)
{
	Dl_info info, own;

	return dladdr(symbol, &info) && dladdr((void *)cxx_runtime_symbol, &own) &&
	       info.dli_fbase == own.dli_fbase;
}

static void *symbol_of(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *symbol;

	if (!library)
		return NULL;
	symbol = dlsym(library, name);
	dlclose(library);	/* whoever called holds it */
	return symbol && !is_this_librarys(symbol) ? symbol : NULL;
}

void *cxx_runtime_symbol(const char *name, const void *caller)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1" };
	void *symbol = NULL;
	Dl_info info;

	if (!dlopen || !dladdr)
		return NULL;
	if (dladdr(caller, &info) && info.dli_fname)
		symbol = symbol_of(info.dli_fname, name);
	for (unsigned int i = 0; i < ARRAY_SIZE(libraries) && !symbol; i++)
		symbol = symbol_of(libraries[i], name);
	return symbol;
}

void cxx_runtime_missing(size_t bytes)
{
	report_fatal("operator new(%zu): out of memory, and no C++ runtime to throw bad_alloc",
		     bytes);
}
