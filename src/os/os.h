/* SPDX-License-Identifier: MIT */
/*
 * os: everything that the allocators want from the operating system. This header includes the
 * declarations that most layers use; the rest of src/os is included by name.
 *
 * 1. Purpose: a small contract with pre- and post-conditions. Errors are negative errno values, and
 *    errno itself is left alone, except where a declaration says otherwise.
 * 2. What it must not know: allocators.
 * 3. Sizes and addresses are multiples of os_page_bytes() unless noted.
 * 4. Every function may be called from any thread and before main(). None allocates, and none is a
 *    cancellation point.
 * 5. If a release fails, the memory just stays. Callers need not look.
 */
#ifndef OS_OS_H
#define OS_OS_H

#include "os/clock.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/machine/cpu.h"
#include "os/machine/limits.h"
#include "os/machine/topology.h"
#include "os/memory.h"
#include "os/random.h"
#include "os/report/symbolize.h"
#include "os/signal/signals.h"
#include "os/stack.h"
#include "os/thread.h"

#endif
