/* SPDX-License-Identifier: MIT */
/*
 * What the calling thread's requests may do beyond or below their flags. Only slow
 * paths ask: a request that its CPU's list serves does nothing that a scope forbids. Where
 * it might, MOVABLE pages for who wants to pin them, the fast path finds no list any more
 * once anybody was in that scope. scopes_set_keeper() is in base/upward_hooks.h.
 */
#ifndef PAGE_SCOPES_H
#define PAGE_SCOPES_H

#include "usermm/gfp.h"

#define SCOPE_NOIO	0x01u
#define SCOPE_NOFS	0x02u
#define SCOPE_NORECLAIM	0x04u	/* reclaims nothing, may use the reserves */
#define SCOPE_PIN	0x08u
#define SCOPE_KSWAPD	0x10u	/* the background thread */
#define SCOPE_VICTIM	0x20u	/* gives memory up; may use a part of the reserves */
#define SCOPE_REALTIME	0x40u	/* has a realtime or deadline policy */
#define SCOPE_SHRINKER	0x80u	/* in a shrinker that the program has asked itself */

unsigned int scopes_current(void);
/* The bits of which it was in the scope already, for scopes_leave(). */
unsigned int scopes_enter(unsigned int scopes);
void scopes_leave(unsigned int scopes, unsigned int before);

#endif
