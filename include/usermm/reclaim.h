/* SPDX-License-Identifier: MIT */
/*
 * When memory runs short: scopes that limit or extend what a thread's requests may do, call-backs
 * before a request fails for good, and giving memory back to the system.
 *
 * Semantics: Linux 6.12 include/linux/sched/mm.h, mm/oom_kill.c. The library has no process to
 * kill. Where Linux would kill one, it calls usermm_set_oom_victim()'s function; without one the
 * request is reported once and gets NULL (with __GFP_NOFAIL it waits).
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
 * Scopes of the calling thread. _save() begins one, _restore() ends it and takes _save()'s result,
 * so scopes nest. Between them
 *
 *	noio		requests lose __GFP_IO and __GFP_FS
 *	nofs		requests lose __GFP_FS
 *	noreclaim	requests reclaim nothing and may use the reserves
 *	pin		requests lose __GFP_MOVABLE
 */
unsigned int memalloc_noio_save(void) USERMM_API(memalloc_noio_save);
void memalloc_noio_restore(unsigned int saved) USERMM_API(memalloc_noio_restore);
unsigned int memalloc_nofs_save(void) USERMM_API(memalloc_nofs_save);
void memalloc_nofs_restore(unsigned int saved) USERMM_API(memalloc_nofs_restore);
unsigned int memalloc_noreclaim_save(void) USERMM_API(memalloc_noreclaim_save);
void memalloc_noreclaim_restore(unsigned int saved) USERMM_API(memalloc_noreclaim_restore);
unsigned int memalloc_pin_save(void) USERMM_API(memalloc_pin_save);
void memalloc_pin_restore(unsigned int saved) USERMM_API(memalloc_pin_restore);

/* gfp without the flags that requests lose in the thread's scopes. */
gfp_t current_gfp_context(gfp_t gfp) USERMM_API(current_gfp_context);

/*
 * Requests lose all flags that are not in this mask. The default is all flags. The fast paths do
 * not look at it, since a request that a per-CPU list serves does nothing that a flag could forbid.
 */
extern gfp_t gfp_allowed_mask USERMM_API(gfp_allowed_mask);

/*
 * The call-backs run when reclaim found nothing, before usermm_set_oom_victim()'s function. Their
 * third argument is an unsigned long *; a call-back adds the number of pages that it freed. If any
 * were freed, the request tries again. register: 0 or -EEXIST; unregister: 0 or -ENOENT.
 */
int register_oom_notifier(struct notifier_block *nb) USERMM_API(register_oom_notifier);
int unregister_oom_notifier(struct notifier_block *nb) USERMM_API(unregister_oom_notifier);

/*
 * Sets the function by which the program decides who gives up memory; Linux picks a process to kill
 * instead. The thread whose request found nothing calls it, with no lock held, one thread at a
 * time. It returns true if memory has been or soon will be freed: the request then tries again. It
 * returns false if nobody can give up any. NULL removes the function.
 */
typedef bool (*usermm_oom_victim_fn)(gfp_t gfp, unsigned int order);
void usermm_set_oom_victim(usermm_oom_victim_fn choose) __attribute__((visibility("default")));
/*
 * The calling thread is a victim between these calls. Its requests may use half of the memory that
 * the watermarks reserve, so that it can finish its work and free memory. They fail where other
 * threads' requests would wait for a victim.
 */
void usermm_oom_victim_begin(void) __attribute__((visibility("default")));
void usermm_oom_victim_end(void) __attribute__((visibility("default")));

/*
 * Gives unused memory back to the system, except keep_bytes of free blocks: first it frees the
 * objects in barns (docs/glossary.md) and the pages of per-CPU lists, then it releases free blocks.
 * Returns the number of bytes given back. malloc_trim() calls it.
 */
size_t usermm_trim(size_t keep_bytes) __attribute__((visibility("default")));

USERMM_END_DECLS

#endif
