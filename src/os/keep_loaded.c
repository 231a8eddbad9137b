/* SPDX-License-Identifier: MIT */
/*
 * Keeps a plugin that contains an archive of ours in the process. It is in the archives alone:
 * the shared libraries are linked with -z nodelete.
 *
 * A plugin that is unloaded would take away what others still point at. The kernel reads a
 * thread's last restartable sequence when it next stops the thread, and a thread that finds no
 * memory there gets SIGSEGV; munmap(2) of the plugin itself is often where it happens. Blocks and
 * pages that the program still holds would have nobody to go back to, and each load would reserve
 * another window. So dlclose() lets go of such a plugin, and the next dlopen() finds it as it was.
 *
 * It also tells when the process's malloc() is another copy of the library, whose memory this one
 * does not know: a preloaded one, under a program with libusermm.a in it.
 *
 * musl unloads nothing.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/check.h"
#include "base/compiler.h"
#include "os/core.h"
#include "os/memory.h"

#ifdef __GLIBC__
/* A static program has none of these, and whoever names dlopen() is warned of when it is linked. */
#pragma weak dlsym
#pragma weak dladdr

typedef void *open_function(const char *path, int mode);

/* The program's own headers lie where the program begins. */
static bool is_program(const void *start)
{
	return getauxval(AT_PHDR) - (unsigned long)start < os_page_bytes();
}

static void tell_of_two(const Dl_info *own)
{
	void *function = dlsym(RTLD_DEFAULT, "malloc");
	Dl_info other;

	if (!core_is_spare() && function && dladdr(function, &other) && other.dli_fname &&
	    other.dli_fbase != own->dli_fbase && strstr(other.dli_fname, "libusermm_malloc"))
		report_warning("two allocators: %s has one of its own, and malloc() is %s; linked "
			       "with -lusermm in place of libusermm.a it would use that one",
			       own->dli_fname, other.dli_fname);
}

/* The loader is at work: it knows the object by this name, and looks at no file. */
__attribute__((constructor(101))) static void keep_loaded(void)
{
	open_function *open;
	Dl_info own;

	if (!dlsym || !dladdr || !dladdr((void *)keep_loaded, &own))
		return;
	tell_of_two(&own);
	if (is_program(own.dli_fbase))
		return;
	open = (open_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "dlopen");
	if (!open || !open(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
		report_warning("%s contains usermm and must not be unloaded", own.dli_fname);
}
#endif
