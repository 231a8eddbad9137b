/* SPDX-License-Identifier: MIT */
#include "page/scopes.h"

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/upward_hooks.h"
#include "page/pcp/pcp.h"
#include "usermm/reclaim.h"

/* Sync: the thread's own; its signal handlers leave it as they found it */
static __thread uint8_t own_scopes __attribute__((__tls_model__("initial-exec")));

static scopes_keeper other_keeper;	/* Sync: atomic */

gfp_t gfp_allowed_mask = __GFP_BITS_MASK;

void scopes_set_keeper(scopes_keeper keeper)
{
	/* pairs with ask_keeper(): what the keeper relies on */
	atomic_store_release(&other_keeper, keeper);
}

/* The scopes in `current`, before they change: see scopes_set_keeper(). 0 without the runtime. */
static unsigned int ask_keeper(unsigned int add, unsigned int take_away)
{
	/* pairs with scopes_set_keeper(): what the keeper relies on */
	scopes_keeper keeper = atomic_load_acquire(&other_keeper);

	return keeper ? keeper(add, take_away) : 0;
}

unsigned int scopes_current(void)
{
	return own_scopes | ask_keeper(0, 0);
}

unsigned int scopes_enter(unsigned int scopes)
{
	unsigned int before = (own_scopes | ask_keeper(scopes, 0)) & scopes;

	own_scopes |= (uint8_t)scopes;
	return before;
}

void scopes_leave(unsigned int scopes, unsigned int before)
{
	unsigned int ended = scopes & ~before;

	own_scopes &= (uint8_t)~ended;
	ask_keeper(0, ended);
}

#define MEMALLOC_SCOPE(name, scope)				\
	unsigned int memalloc_##name##_save(void)		\
	{							\
		return scopes_enter(scope);			\
	}							\
								\
	void memalloc_##name##_restore(unsigned int saved)	\
	{							\
		scopes_leave(scope, saved);			\
	}
MEMALLOC_SCOPE(noio, SCOPE_NOIO)
MEMALLOC_SCOPE(nofs, SCOPE_NOFS)
MEMALLOC_SCOPE(noreclaim, SCOPE_NORECLAIM)

/*
 * CPUs' lists hand out pages without a look at scopes. Only this scope forbids some of these pages
 * (MOVABLE ones), so it hides their lists: see scopes.h.
 */
unsigned int memalloc_pin_save(void)
{
	static bool hidden;	/* Sync: atomic relaxed; to hide lists twice does no harm */

	if (!atomic_load_relaxed(&hidden) && !page_init()) {
		pcp_hide_movable_lists();
		atomic_store_relaxed(&hidden, true);
	}
	return scopes_enter(SCOPE_PIN);
}

void memalloc_pin_restore(unsigned int saved)
{
	scopes_leave(SCOPE_PIN, saved);
}

gfp_t current_gfp_context(gfp_t gfp)
{
	unsigned int scopes = scopes_current();

	if (scopes & SCOPE_NOIO)
		gfp &= ~(__GFP_IO | __GFP_FS);
	else if (scopes & SCOPE_NOFS)
		gfp &= ~__GFP_FS;
	if (scopes & SCOPE_PIN)
		gfp &= ~__GFP_MOVABLE;
	return gfp;
}

void usermm_oom_victim_begin(void)
{
	scopes_enter(SCOPE_VICTIM);
}

void usermm_oom_victim_end(void)
{
	scopes_leave(SCOPE_VICTIM, 0);
}

FOR_KERNEL(scopes_set_keeper);
