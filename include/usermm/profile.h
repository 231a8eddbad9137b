/* SPDX-License-Identifier: MIT */
/*
 * The heap profile of libusermm_malloc, recorded with the option profile=BYTES. A program that
 * must also run without the library declares the function weak:
 *
 *	#pragma weak usermm_heap_profile
 *	if (usermm_heap_profile)
 *		usermm_heap_profile(fd);
 */
#ifndef USERMM_PROFILE_H
#define USERMM_PROFILE_H

#include "compiler.h"

USERMM_BEGIN_DECLS

/*
 * Writes the profile to a file descriptor, in the text format that pprof(1) reads. For each stack
 * it has one line with the samples in use now and all samples so far; the process's mappings
 * follow. Lines that begin with "#" say what is missing. Other threads may allocate and free
 * meanwhile; the profile may or may not contain these blocks.
 *
 * The function allocates nothing, takes no lock, raises neither SIGPIPE nor SIGXFSZ, and leaves
 * errno alone. A signal handler may call it; it needs 3 KiB of stack.
 *
 * Returns 0; -EOPNOTSUPP if there is no profile; or the negative errno of the write(2) that
 * failed, after which the file may hold a part. Use a blocking descriptor: a full non-blocking one
 * gives -EAGAIN.
 *
 * The option profile_file= writes such a file when the process ends, and on request. The file gets
 * its name only when it is complete. Put %p into the name if several processes run under the option
 * (those that a shell starts, for example): without %p the process that ends last keeps the name.
 */
int usermm_heap_profile(int fd) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
