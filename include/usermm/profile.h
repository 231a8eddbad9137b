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
 * Threads may allocate meanwhile; their blocks may be in it or not. Allocates nothing, takes no
 * lock, and may be called in signal handlers. 0; -EOPNOTSUPP if there is no profile.
 */
int usermm_heap_profile(int fd) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
