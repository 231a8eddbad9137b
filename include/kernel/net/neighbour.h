/* SPDX-License-Identifier: MIT */
/* Addresses of neighbours: the machine's own devices are not seen, so none is known. */
#ifndef _NET_NEIGHBOUR_H
#define _NET_NEIGHBOUR_H

#include <linux/neighbour.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

struct neigh_table;

struct neighbour {
	struct neigh_table *tbl;
	unsigned long confirmed, updated, used;
	rwlock_t lock;
	refcount_t refcnt;
	u8 nud_state, type, dead, protocol;
	seqlock_t ha_lock;
	unsigned char ha[ALIGN(MAX_ADDR_LEN, sizeof(unsigned long))] __attribute__((aligned(8)));
	struct net_device *dev;
	u8 primary_key[];
};

#define NUD_IN_TIMER (NUD_INCOMPLETE | NUD_REACHABLE | NUD_DELAY | NUD_PROBE)
#define NUD_VALID (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY)
#define NUD_CONNECTED (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE)

extern struct neigh_table usermm_arp_tbl __attribute__((visibility("default")));
#define arp_tbl usermm_arp_tbl

static inline struct neighbour *neigh_lookup(struct neigh_table *tbl, const void *key,
					     struct net_device *dev)
{
	(void)tbl;
	(void)key;
	(void)dev;
	return NULL;
}

#define neigh_release(neigh) ((void)(neigh))

#endif
