/* SPDX-License-Identifier: MIT */
/*
 * Keeps a plugin that contains an archive of usermm in the process. Only archives have this file:
 * the shared libraries are linked with -z nodelete.
 *
 * If such a plugin were unloaded, this would break what still points into it. The kernel reads a
 * thread's last restartable sequence when it next stops the thread; if no memory is there, the
 * thread gets SIGSEGV, often in munmap(2) of the plugin itself. Blocks and pages that the program
 * still holds could never be freed. Each load would reserve another window. With this file
 * dlclose() keeps the plugin mapped, and the next dlopen() finds it as it was.
 *
 * This file also warns if the process's malloc() is another copy of the library, whose memory this
 * copy does not know: a preloaded one, under a program with libusermm.a in it.
 *
 * musl unloads nothing.
 */
#include <dlfcn.h>

#include "base/check.h"
#include "base/compiler.h"
#include "base/text.h"
#include "os/start/auxiliary.h"
#include "os/core.h"
#include "os/memory.h"

#ifdef __GLIBC__
/*
 * Weak: a static program does not have them, and the linker warns about programs that name
 * dlopen().
 */
#pragma weak dlsym
#pragma weak dladdr

typedef void *open_function(const char *path, int mode);

/*
 * Is the object at this address the program itself? The program's headers (AT_PHDR) lie in its
 * first page.
 */
static bool is_program(const void *start)
{
	return os_auxiliary(AT_PHDR) - (unsigned long)start < os_page_bytes();
}

static void warn_of_two_allocators(const Dl_info *own)
{
	void *function = dlsym(RTLD_DEFAULT, "malloc");
	Dl_info other;

	if (!core_is_spare() && function && dladdr(function, &other) && other.dli_fname &&
	    other.dli_fbase != own->dli_fbase && strstr(other.dli_fname, "libusermm_malloc"))
		report_warning("two allocators: %s has one of its own, and malloc() comes from %s; "
			       "link with -lusermm instead of libusermm.a to have one",
			       own->dli_fname, other.dli_fname);
}

/* dlopen() works in a constructor: the loader knows the object by this name and opens no file. */
__attribute__((constructor(101))) static void keep_loaded(void)
{
	open_function *open;
	Dl_info own;

	if (!dlsym || !dladdr || !dladdr((void *)keep_loaded, &own))
		return;
	warn_of_two_allocators(&own);
	if (is_program(own.dli_fbase))
		return;
	open = (open_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "dlopen");
	if (!open || !open(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
		report_warning("%s contains usermm and must not be unloaded", own.dli_fname);
}
#endif
