/* SPDX-License-Identifier: MIT */
/* usermm: Linux's memory allocators as a library. The umbrella header. */
#ifndef USERMM_USERMM_H
#define USERMM_USERMM_H

#include "compiler.h"
#include "control.h"
#include "fault.h"
#include "gfp.h"
#include "heap.h"
#include "list.h"
#include "malloc.h"
#include "mempolicy.h"
#include "page.h"
#include "pgtable.h"
#include "quicklist.h"
#include "reclaim.h"
#include "shrinker.h"
#include "slab.h"
#include "stats.h"

#define USERMM_VERSION "0.1.0"

USERMM_BEGIN_DECLS

/* USERMM_VERSION of the library in use. */
const char *usermm_version(void) __attribute__((visibility("default")));

/*
 * What the library found out about itself and the machine, for `usermm doctor`
 * and for bug reports. Strings are constant.
 */
struct usermm_doctor {
	/* "rseq" or "locked"; "none" if the window could not be reserved, as the next two */
	const char *percpu_mode;
	const char *percpu_reason;
	const char *slot_index;		/* "mm_cid", "cpu_id" or "getcpu" */
	const char *rseq_area;		/* who registered it: "libc's", "usermm's own", "none" */
	bool can_stop;			/* can one thread drain another CPU's lists? */
	unsigned int nr_slots;
	size_t os_page_bytes;
	size_t ram_bytes;		/* RAM and swap */
	size_t limit_bytes;		/* pages that may be used: the smallest limit found */
	const char *limit_source;	/* which limit this is */
};
void usermm_doctor_read(struct usermm_doctor *doctor)
	__attribute__((visibility("default")));

/*
 * Sets options as USERMM_OPTIONS does: "name=value:name=value". Call it before the first
 * allocation. Returns 0; -1 if an option is bad or the call comes too late, and then *error says
 * which option and why. The text is valid until the next call.
 */
int usermm_set_options(const char *text, const char **error)
	__attribute__((visibility("default")));

/*
 * vfork(2) for programs whose child calls the library. After a plain vfork() the child must not,
 * since it has no restartable sequences. While the child shares the parent's memory, all threads
 * allocate by the locked slow paths. Returns twice and sets errno like vfork(). (The preloaded
 * library does the same for vfork() itself.)
 */
int usermm_vfork(void)
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__riscv)
	__asm__("vfork")	/* no sequences here, so libc's vfork() serves */
#endif
	__attribute__((visibility("default"), returns_twice));

/*
 * Row i of the option table, for help texts; false past the end. The texts of the values are valid
 * until the next call. Not thread-safe.
 */
struct usermm_option_info {
	const char *name, *type, *range, *stability, *help;
	const char *default_value, *current_value;
};
bool usermm_option_info(unsigned int i, struct usermm_option_info *info)
	__attribute__((visibility("default")));

/*
 * Renamed options still accept their old name. Gives the i-th old name that was used in this
 * process and its new name, for help texts; false past the end. The texts are constant. Not
 * thread-safe.
 */
bool usermm_option_old_name(unsigned int i, const char **name, const char **new_name)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#endif
