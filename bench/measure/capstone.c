// SPDX-License-Identifier: MIT
#include "capstone.h"

#ifdef BENCH_CAPSTONE
#include <dlfcn.h>
#include <stddef.h>

#define TEXT(number) #number
#define TEXT_OF(macro) TEXT(macro)
#define VERSION TEXT_OF(CS_API_MAJOR)
#define LIBRARY "libcapstone.so." VERSION

static const char *take_functions(void *library, struct capstone *capstone)
{
#define TAKE(name)							\
	*(void **)&capstone->name = dlsym(library, "cs_" #name);	\
	if (!capstone->name)						\
		return LIBRARY " has no cs_" #name "()";
	CAPSTONE_FUNCTIONS(TAKE)
#undef TAKE
	return NULL;
}

const struct capstone *capstone_load(const char **refusal)
{
	static struct capstone capstone;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	*refusal = library ? take_functions(library, &capstone) :
			     LIBRARY " is not there (Debian: libcapstone" VERSION ")";
	return *refusal ? NULL : &capstone;
}
#endif
