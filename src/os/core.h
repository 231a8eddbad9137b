/* SPDX-License-Identifier: MIT */
/*
 * A process may have several copies of the library: libusermm.so beside libusermm_malloc.so, or an
 * archive in a plugin. Programs, plugins and the copies themselves find the public names in the
 * first object that has them. That object's copy is the process's; the others are spare.
 */
#ifndef OS_CORE_H
#define OS_CORE_H

#include "base/compiler.h"

/*
 * Is this copy a spare one? Then nobody calls it, except through dlsym() with its own handle. The
 * answer is right from the first constructor on. For any context.
 */
bool core_is_spare(void);

#endif
