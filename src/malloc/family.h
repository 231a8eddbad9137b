/* SPDX-License-Identifier: MIT */
/*
 * The process's malloc family.
 *
 * A program may define some of malloc's functions, and so may a library in front of this one. The
 * process's blocks are then theirs, and the functions that they do not define are this library's.
 * As with glibc, these end in the process's functions:
 *
 *	reallocarray()			realloc()
 *	free_sized() and its like	free(), if the block is not this library's
 *	operator new			malloc(), or aligned_alloc(), which libstdc++ called as
 *					well up to GCC 13, and calls posix_memalign() now
 *	operator delete			free(), for blocks of the process's operator new
 *	strdup() and its like		malloc(), which libc calls
 *
 * malloc_usable_size() of a block that is not this library's is 0, and realloc() gives a warning
 * and NULL: only the owner knows the size. calloc(), posix_memalign() and the other aligned forms
 * give blocks of this library's, where those of glibc give blocks of glibc's.
 */
#ifndef MALLOC_FAMILY_H
#define MALLOC_FAMILY_H

#include "base/compiler.h"

#ifdef USERMM_API_MALLOC
/*
 * libusermm has no malloc(): libc's serves the program. libusermm's calls (usermm/malloc.h) have
 * names that no other library defines, so all of their blocks are this library's.
 */
static inline bool family_is_own(void)
{
	return true;
}

static inline bool family_free(void *pointer)
{
	(void)pointer;
	return false;
}
#else
/* Are malloc() and free() of the process this library's? */
bool family_is_own(void);
/*
 * If the pointer is no block of this library and the process's free() is another library's, gives
 * the pointer to that free() and returns true. Else returns false. It also returns false if this
 * library has just got the pointer from that free(): the two must not pass it on for ever.
 */
bool family_free(void *pointer) slow_path;
#endif

#endif
