/* SPDX-License-Identifier: MIT */
/*
 * Controls: what a running process can read and change, by name. Options (USERMM_OPTIONS) say how
 * the library starts; controls work afterwards. Every value is a number: a boolean is 0 or 1, sizes
 * are in bytes, times in milliseconds.
 *
 *	name		read	write	meaning
 *	limit		yes	yes	bytes of pages (and, with limit=, of mappings) that may be
 *					in use at once, as the option limit=. At least 4 MiB, at
 *					most what the process started with. The watermarks stay, so
 *					some MiB of a much lower limit are reserve
 *	decay_ms	yes	yes	how long free memory stays before a part of it goes back to
 *					the system: 10 to 3600000; 250 at first. A quarter of what
 *					is beyond 64 MiB goes each time. The first 64 MiB, but for
 *					1 MiB, go after three times as long, and no sooner than
 *					after 3 seconds
 *	purge		no	yes	gives back all free memory but this many bytes, at once
 *	profile		yes	yes	one of malloc's blocks in so many bytes is sampled for the
 *					heap profile, as the option profile=; 0: none. 524288 is
 *					usual. The profile keeps the samples that it has
 *	profile_write	no	yes	writes the profile to this file descriptor
 *	nr_cpus		yes	no	per-CPU slots
 *	background	yes	no	1 unless background=off
 *	stats.NAME	yes	no	NAME is a field of struct usermm_stats (usermm/stats.h), for
 *					example stats.allocated_bytes. Each read is a new one
 *	vmstat.NAME	yes	no	a line of usermm_print_vmstat()
 *	process.start_time_seconds	yes	no	when the process began, since 1970
 *
 * usermm_control_info() lists them.
 */
#ifndef USERMM_CONTROL_H
#define USERMM_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

USERMM_BEGIN_DECLS

/*
 * Reads a control into *old_value if that is not NULL, and then writes *new_value if that is not
 * NULL. Any thread may call it. It allocates nothing; it may wait for other threads' locks, so
 * signal handlers must not call it.
 *
 * Returns 0 or a negative errno value, and then nothing has changed:
 *
 *	-ENOENT		there is no such control
 *	-EPERM		the control cannot be read, or cannot be written
 *	-EINVAL		the new value is out of range; or the control is profile, and there is a
 *			profile already, with another number of bytes
 *	-EOPNOTSUPP	an option at the start prevents it: kfence_sample=, and hardened=1 without
 *			profile=, prevent the control profile. profile_write: there is no profile
 *	-ENOMEM		more bytes than the new limit are in use; no memory for the profile's tables
 *	-EBUSY		another thread is changing the same control; or the caller is a signal
 *			handler that interrupted the library
 *
 * profile_write returns what usermm_heap_profile() does.
 */
int usermm_control(const char *name, uint64_t *old_value, const uint64_t *new_value)
	__attribute__((visibility("default")));

/* Row i of the table of controls; false past the end. The help is a constant text. */
struct usermm_control_info {
	char name[48];
	const char *help;
	bool readable, writable;
};
bool usermm_control_info(unsigned int i, struct usermm_control_info *info)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#endif
