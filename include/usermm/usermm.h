/* SPDX-License-Identifier: MIT */
/* usermm: Linux's memory allocators as a library. The umbrella header. */
#ifndef USERMM_USERMM_H
#define USERMM_USERMM_H

#include "compiler.h"
#include "fault.h"
#include "gfp.h"
#include "list.h"
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
	const char *percpu_mode;	/* "rseq" or "locked" */
	const char *percpu_reason;
	const char *slot_index;		/* "mm_cid", "cpu_id" or "getcpu" */
	const char *rseq_area;		/* whose it is: "libc's", "usermm's own" or "none" */
	bool can_stop;			/* may one thread drain another CPU's lists? */
	unsigned int nr_slots;
	size_t os_page_bytes;
	size_t ram_bytes;		/* RAM and swap */
	size_t limit_bytes;		/* the smallest limit that was found */
	const char *limit_source;	/* which limit that is */
};
void usermm_doctor_read(struct usermm_doctor *doctor)
	__attribute__((visibility("default")));

/*
 * Sets options as USERMM_OPTIONS does: "name=value:name=value". 0, or -1 if
 * there is a bad one; *error then says which and why (until the next call). Only before the first
 * allocation: later it is -1 as well.
 */
int usermm_set_options(const char *text, const char **error)
	__attribute__((visibility("default")));

/*
 * vfork(2) for programs that call the library's functions in the child, which must
 * not be done after a plain vfork(): the child has no restartable sequences. While it
 * shares the parent's memory everybody allocates by the locked slow paths. Returns
 * twice, sets errno like vfork(). (The preloaded library does this for vfork().)
 */
int usermm_vfork(void)
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__riscv)
	__asm__("vfork")	/* no sequences: libc's will do */
#endif
	__attribute__((visibility("default"), returns_twice));

/*
 * Row i of the option table; false past the end. The values' texts are valid
 * until the next call. For one thread, for help texts.
 */
struct usermm_option_info {
	const char *name, *type, *range, *stability, *help;
	const char *default_value, *current_value;
};
bool usermm_option_info(unsigned int i, struct usermm_option_info *info)
	__attribute__((visibility("default")));

/*
 * Options that have another name today keep their old one. The i-th old name that was given, and
 * today's; false past the end. The texts are constant. For one thread, for help texts.
 */
bool usermm_option_old_name(unsigned int i, const char **name, const char **new_name)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#endif
