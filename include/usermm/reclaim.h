/* SPDX-License-Identifier: MIT */
/*
 * What happens when memory runs short: scopes in which a thread's requests may do less
 * or more than their flags say, what is called before a request fails for good, and
 * giving memory back to the system.
 *
 * Semantics: Linux 6.12 include/linux/sched/mm.h, mm/oom_kill.c. There is no process to
 * kill: without a call-back that makes somebody give memory up, a request that Linux
 * would kill for is reported once and gets NULL (with __GFP_NOFAIL it waits).
 */
#ifndef USERMM_RECLAIM_H
#define USERMM_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "gfp.h"
#include "notifier.h"

USERMM_BEGIN_DECLS

/*
 * Scopes of the calling thread; they nest: what _save() returns is for _restore().
 *
 *	noio		requests have neither __GFP_IO nor __GFP_FS
 *	nofs		requests have no __GFP_FS
 *	noreclaim	requests reclaim nothing and may use the reserves
 *	pin		requests have no __GFP_MOVABLE
 */
unsigned int memalloc_noio_save(void) USERMM_API(memalloc_noio_save);
void memalloc_noio_restore(unsigned int saved) USERMM_API(memalloc_noio_restore);
unsigned int memalloc_nofs_save(void) USERMM_API(memalloc_nofs_save);
void memalloc_nofs_restore(unsigned int saved) USERMM_API(memalloc_nofs_restore);
unsigned int memalloc_noreclaim_save(void) USERMM_API(memalloc_noreclaim_save);
void memalloc_noreclaim_restore(unsigned int saved) USERMM_API(memalloc_noreclaim_restore);
unsigned int memalloc_pin_save(void) USERMM_API(memalloc_pin_save);
void memalloc_pin_restore(unsigned int saved) USERMM_API(memalloc_pin_restore);

/* What a request with these flags may do in the thread's scopes. */
gfp_t current_gfp_context(gfp_t gfp) USERMM_API(current_gfp_context);

/*
 * Bits that requests may have at all; all of them unless the program changes it. A
 * request that is served from its CPU's list does nothing that they could forbid.
 */
extern gfp_t gfp_allowed_mask USERMM_API(gfp_allowed_mask);

/*
 * Called when reclaim found nothing, before anything worse happens. The third argument
 * of the call-back is an unsigned long *, to which it adds the pages that it freed:
 * then the request tries again. 0 or -EEXIST; 0 or -ENOENT.
 */
int register_oom_notifier(struct notifier_block *nb) USERMM_API(register_oom_notifier);
int unregister_oom_notifier(struct notifier_block *nb) USERMM_API(unregister_oom_notifier);

/*
 * The program's choice of who gives memory up, in place of Linux's choice of a process to
 * kill. It is called in the thread whose request found nothing, with no lock held, one
 * thread at a time; it returns true if memory has been or soon will be freed, and the
 * request tries again; false if there is nobody left. NULL takes it away.
 */
typedef bool (*usermm_oom_victim_fn)(gfp_t gfp, unsigned int order);
void usermm_set_oom_victim(usermm_oom_victim_fn choose) __attribute__((visibility("default")));
/*
 * The calling thread is a victim: between these its requests may use half of what the
 * marks keep back, so that it gets to the end of what it was doing, and fail where others
 * would wait for a victim.
 */
void usermm_oom_victim_begin(void) __attribute__((visibility("default")));
void usermm_oom_victim_end(void) __attribute__((visibility("default")));

/*
 * Gives memory that nobody uses back to the system: batches of free objects that slab caches
 * keep between CPUs, pages of per-CPU lists, then free blocks, but for keep_bytes of them.
 * Bytes given back. malloc_trim() calls it.
 */
size_t usermm_trim(size_t keep_bytes) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
