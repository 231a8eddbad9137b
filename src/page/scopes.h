/* SPDX-License-Identifier: MIT */
/*
 * In a scope, the calling thread's requests may do more, or less, than their flags say. Only slow
 * paths look at scopes: taking a page from the CPU's list does nothing that a scope forbids. The
 * exception is SCOPE_PIN, whose pages must not be MOVABLE. Once any thread has entered that scope,
 * the fast path finds no list for MOVABLE pages any more. scopes_set_keeper() is in
 * base/upward_hooks.h.
 */
#ifndef PAGE_SCOPES_H
#define PAGE_SCOPES_H

#include "usermm/gfp.h"

#define SCOPE_NOIO	0x01u
#define SCOPE_NOFS	0x02u
#define SCOPE_NORECLAIM	0x04u	/* reclaims nothing; may use the reserves */
#define SCOPE_PIN	0x08u
#define SCOPE_KSWAPD	0x10u	/* the background thread */
#define SCOPE_VICTIM	0x20u	/* an OOM victim; may use a part of the reserves */
#define SCOPE_REALTIME	0x40u	/* has a realtime or deadline policy */
#define SCOPE_SHRINKER	0x80u	/* in a call of shrink_slab() by the program */

unsigned int scopes_current(void);
/* Enters scopes. Returns those that the thread was in already, for scopes_leave(). */
unsigned int scopes_enter(unsigned int scopes);
void scopes_leave(unsigned int scopes, unsigned int before);

#endif
