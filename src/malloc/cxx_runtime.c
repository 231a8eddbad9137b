/* SPDX-License-Identifier: MIT */
/*
 * The C++ runtime of a process that got it late: a plugin brought it along, in a
 * scope of its own. Only reached when operator new has found no memory.
 */
#include "malloc/cxx_runtime.h"

#include <dlfcn.h>

#include "base/check.h"

/* A static program has none: it loads nothing. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose

void *cxx_runtime_symbol(const char *name)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1" };
	void *library, *symbol = NULL;

	for (unsigned int i = 0; dlopen && i < ARRAY_SIZE(libraries) && !symbol; i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library) {
			symbol = dlsym(library, name);
			dlclose(library);	/* the plugin holds it */
		}
	}
	return symbol;
}

void cxx_runtime_missing(size_t bytes)
{
	report_fatal("operator new(%zu): out of memory, and no C++ runtime to throw bad_alloc",
		     bytes);
}
