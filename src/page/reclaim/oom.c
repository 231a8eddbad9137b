/* SPDX-License-Identifier: MIT */
/*
 * For requests for which reclaim found nothing: notifiers, then the program's choice of who gives
 * memory up. cf. Linux mm/page_alloc.c: __alloc_pages_may_oom(), mm/oom_kill.c: out_of_memory().
 *
 * One thread at a time is here, behind a gate. Others do not wait for it. They look again a little
 * later, as if there had been progress, which that thread is about to make. So the gate is no lock
 * of os/lock.h. In a fork child, the generation tells that the gate's owner was a thread of the
 * parent.
 */
#include "page/reclaim/oom.h"

#include <errno.h>

#include "base/atomic.h"
#include "os/os.h"
#include "page/debug/page_report.h"
#include "page/gfp.h"
#include "page/reclaim/reclaim.h"
#include "page/scopes.h"
#include "page/zonelist.h"
#include "usermm/reclaim.h"

/* How long others sleep before they look again; in Linux one tick. */
#define BUSY_US 1000

static uint64_t gate;			/* Sync: atomic; 0, or 1 + the generation of its owner */
/* Sync: gate; read by atomic relaxed to see if there are any */
static struct notifier_block *chain;
static usermm_oom_victim_fn choose_victim;	/* Sync: atomic */
static bool told;			/* Sync: atomic relaxed */

/*
 * The owner of the gate reclaims nothing. Nor does a signal handler that interrupts it, which would
 * wait for its own thread to leave the gate. This is why the scope is entered before the gate.
 */
static bool gate_try(unsigned int *scope)
{
	uint64_t own = (uint64_t)os_fork_generation + 1, now = atomic_load_relaxed(&gate);

	*scope = scopes_enter(SCOPE_NORECLAIM);
	/* pairs with gate_leave(): what the last owner changed */
	if (now != own && atomic_cas_acquire(&gate, &now, own))
		return true;
	scopes_leave(SCOPE_NORECLAIM, *scope);
	return false;
}

static void gate_leave(unsigned int scope)
{
	/* pairs with gate_try() */
	atomic_store_release(&gate, 0);
	scopes_leave(SCOPE_NORECLAIM, scope);
}

static unsigned int gate_wait(void)
{
	unsigned int scope;

	while (!gate_try(&scope))
		os_sleep_us(BUSY_US);
	return scope;
}

/* --- Who is asked ------------------------------------------------------------- */

int register_oom_notifier(struct notifier_block *nb)
{
	struct notifier_block **link = &chain;
	unsigned int scope = gate_wait();
	int error = 0;

	for (struct notifier_block *at = chain; at; at = at->next)
		if (at == nb)
			error = -EEXIST;
	while (*link && (*link)->priority >= nb->priority)
		link = &(*link)->next;
	if (!error) {
		nb->next = *link;
		atomic_store_relaxed(link, nb);
	}
	gate_leave(scope);
	return error;
}

int unregister_oom_notifier(struct notifier_block *nb)
{
	struct notifier_block **link = &chain;
	unsigned int scope = gate_wait();
	int error = -ENOENT;

	while (*link && *link != nb)
		link = &(*link)->next;
	if (*link) {
		atomic_store_relaxed(link, nb->next);
		error = 0;
	}
	gate_leave(scope);
	return error;
}

void usermm_set_oom_victim(usermm_oom_victim_fn choose)
{
	/* pairs with make_room(): what the function relies on */
	atomic_store_release(&choose_victim, choose);
}

/* Calls the notifiers; returns how many pages they say they freed. */
static unsigned long call_notifiers(void)
{
	struct notifier_block *next, *at = chain;
	unsigned long freed = 0;

	for (; at; at = next) {
		next = at->next;
		if (at->notifier_call(at, 0, &freed) & NOTIFY_STOP_MASK)
			break;
	}
	return freed;
}

static void report_no_victim(gfp_t gfp, unsigned int order)
{
	if (gfp & __GFP_NOWARN || atomic_exchange_relaxed(&told, true))
		return;
	page_report_memory(gfp, order, NULL, "Out of memory and nobody to take it from");
}

/*
 * Asks for a victim that gives memory up. True if the request should try again. A request without
 * __GFP_FS gets no victim if the program chooses victims: other requests, which may reclaim in more
 * ways, may still free memory.
 */
static bool make_room(gfp_t gfp, unsigned int order)
{
	/* pairs with usermm_set_oom_victim(): what the function relies on */
	usermm_oom_victim_fn choose = atomic_load_acquire(&choose_victim);

	if (call_notifiers())
		return true;
	if (scopes_current() & SCOPE_VICTIM)
		return true;
	if (choose && !(gfp & __GFP_FS))
		return true;
	if (choose && choose(gfp, order)) {
		atomic_add_relaxed(&reclaim_events.oom_kill, 1UL);
		return true;
	}
	report_no_victim(gfp, order);
	return false;
}

/*
 * May a victim be asked for this request? Not for a large block, nor for a request that is bound to
 * one node or to low zones: memory that a victim gives up may not help there.
 */
static bool is_worth_a_victim(gfp_t gfp, unsigned int order, const struct alloc_context *ac)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER && ac->highest >= ZONE_NORMAL &&
	       !(gfp & (__GFP_RETRY_MAYFAIL | __GFP_THISNODE));
}

often_called bool oom_could_ask(gfp_t gfp, unsigned int order)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER && gfp & __GFP_DIRECT_RECLAIM &&
	       !(gfp & (__GFP_NORETRY | __GFP_RETRY_MAYFAIL | __GFP_THISNODE)) &&
	       (atomic_load_relaxed(&choose_victim) || atomic_load_relaxed(&chain));
}

struct page *oom_take_block(gfp_t gfp, unsigned int order, const struct alloc_context *ac,
			    bool *progress)
{
	struct page *page;
	unsigned int scope;

	*progress = true;
	if (!gate_try(&scope)) {
		os_sleep_us(BUSY_US);
		return NULL;
	}
	/* Much may have been freed meanwhile, and then no victim is needed. */
	page = get_page_from_freelist(order, ALLOC_WMARK_HIGH | ALLOC_CPUSET, ac);
	if (!page && is_worth_a_victim(gfp, order, ac)) {
		*progress = make_room(gfp, order);
		if (*progress && (gfp & __GFP_NOFAIL))
			page = get_page_from_freelist(order, ALLOC_NO_WATERMARKS, ac);
	} else {
		*progress = false;
	}
	gate_leave(scope);
	return page;
}
