/* SPDX-License-Identifier: MIT */
/*
 * The heap's profile, where malloc is libusermm_malloc's and the option profile=BYTES is given.
 * A program that is to run without that library as well declares the function weak before it
 * asks for it:
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
 * Writes it to a file descriptor, in the text format that pprof(1) reads: one line for each
 * stack, with the samples that are in use now and all there were, and the process's mappings.
 * What is missing is told in lines that begin with "#". Threads may allocate meanwhile; their
 * blocks may be in it or not. Allocates nothing, takes no lock, raises neither SIGPIPE nor
 * SIGXFSZ, and may be called in signal handlers, with 3 KiB of stack. It leaves errno alone.
 *
 * 0; -EOPNOTSUPP if there is no profile; the negative errno of a write(2) that failed, before
 * which a part may have been written. The file descriptor should be a blocking one: on another
 * that is full, -EAGAIN.
 *
 * What the option profile_file= writes gets its name when it is complete. A name without %p is
 * for a program of one process: of several that run under the option, as those that a shell
 * starts, the last one that ends keeps it.
 */
int usermm_heap_profile(int fd) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
