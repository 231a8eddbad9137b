/* SPDX-License-Identifier: MIT */
/*
 * Bulk requests by the thread's memory policy (usermm/mempolicy.h says which policy that is). cf.
 * Linux mm/mempolicy.c: alloc_pages_bulk_array_mempolicy_noprof().
 *
 * An interleaved request is divided among the nodes first; each node's share is one bulk request.
 * The thread remembers where its next request continues: at the node after the last one, or with
 * weights at the node that has not had its whole turn.
 *
 * With one node there is nothing to choose, so the policy is not read.
 */
#include "usermm/mempolicy.h"

#include <errno.h>

#include "base/atomic.h"
#include "os/once.h"
#include "os/os.h"
#include "page/gfp.h"
#include "page/zone.h"

#define WEIGHT_MAX 255

struct policy {
	int mode;
	unsigned long nodes;
};

/*
 * Sync: the thread's own. Small: if a program loads the library late, there is little room for
 * thread-local variables.
 */
struct thread_policy {
	uint16_t nodes;		/* the policy's nodes, when they were read last */
	uint8_t mode;
	bool is_own;		/* set here, not by set_mempolicy(2) */
	uint8_t previous;	/* the node that had the last turn */
	uint8_t weight_left;	/* how many pages are left of that turn */
};
_Static_assert(MAX_NUMNODES <= 16, "a node has a bit of `nodes`");

/* The alignment is explicit: some compilers align a structure to a whole word. */
static __thread struct thread_policy thread_policy __aligned(_Alignof(struct thread_policy))
	__attribute__((__tls_model__("initial-exec")));

/* Sync: atomic relaxed; 0 means the system's weight */
static uint8_t weights[MAX_NUMNODES];
/* Sync: written once under system_weights_once */
static uint8_t system_weights[MAX_NUMNODES];
static struct once system_weights_once __read_mostly;

static unsigned long online_nodes(void)
{
	return (1UL << nr_online_nodes) - 1;
}

/* --- Whose policy, and which ----------------------------------------------------- */

/* Sets the policy; it starts with its first node. */
static void begin_policy(struct policy policy)
{
	thread_policy.mode = (uint8_t)policy.mode;
	thread_policy.nodes = (uint16_t)policy.nodes;
	thread_policy.previous = MAX_NUMNODES - 1;
	thread_policy.weight_left = 0;
}

int usermm_set_mempolicy(int mode, const unsigned long *nodes)
{
	unsigned long set = nodes ? *nodes : 0;
	bool takes_none = mode == USERMM_MPOL_DEFAULT || mode == USERMM_MPOL_LOCAL;

	if (mode < USERMM_MPOL_DEFAULT || mode > USERMM_MPOL_WEIGHTED_INTERLEAVE || page_init())
		return -EINVAL;
	if (takes_none ? set != 0 : mode != USERMM_MPOL_PREFERRED && !set)
		return -EINVAL;
	if (set && !(set & online_nodes()))
		return -EINVAL;
	if (mode == USERMM_MPOL_PREFERRED && !set)
		mode = USERMM_MPOL_LOCAL;
	begin_policy((struct policy){ mode, set & online_nodes() });
	thread_policy.is_own = mode != USERMM_MPOL_DEFAULT;
	return 0;
}

/* The policy in force. The kernel's is read again, since it may have changed. */
static struct policy current_policy(void)
{
	struct policy policy = { thread_policy.mode, thread_policy.nodes };

	if (thread_policy.is_own || !nodes_are_real)
		return policy;
	if (os_thread_memory_policy(&policy.mode, &policy.nodes))
		policy = (struct policy){ USERMM_MPOL_DEFAULT, 0 };
	policy.nodes &= online_nodes();
	if (policy.mode != thread_policy.mode || policy.nodes != thread_policy.nodes)
		begin_policy(policy);
	return policy;
}

/* --- Interleaving ------------------------------------------------------------------ */

/* The next of these nodes after `node`; after the last one, the first. There is at least one. */
static unsigned int next_node_in(unsigned int node, unsigned long nodes)
{
	unsigned long behind = nodes & ~((2UL << node) - 1);

	return (unsigned int)__builtin_ctzl(behind ? behind : nodes);
}

static unsigned long take_share(gfp_t gfp, unsigned int node, unsigned long nr,
				struct page **array)
{
	return __alloc_pages_bulk(gfp, (int)node, NULL, (int)min(nr, (unsigned long)INT32_MAX),
				  NULL, array);
}

/* Equal shares. If they do not come out even, the first nodes get one more. */
static unsigned long bulk_interleave(gfp_t gfp, unsigned long nodes, unsigned long nr,
				     struct page **array)
{
	unsigned long nr_nodes = (unsigned long)__builtin_popcountl(nodes), got = 0;

	for (unsigned long i = 0; i < nr_nodes; i++) {
		thread_policy.previous = (uint8_t)next_node_in(thread_policy.previous, nodes);
		got += take_share(gfp, thread_policy.previous,
				  nr / nr_nodes + (i < nr % nr_nodes), array + got);
	}
	return got;
}

static int read_system_weights(void)
{
	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		unsigned int weight = nodes_are_real ? os_node_weight(node) : 0;

		system_weights[node] = (uint8_t)clamp(weight, 1u, (unsigned int)WEIGHT_MAX);
	}
	return 0;
}

static unsigned int node_weight(unsigned int node)
{
	unsigned int weight = atomic_load_relaxed(&weights[node]);

	return weight ? weight : system_weights[node];
}

int usermm_set_mempolicy_weight(unsigned int node, unsigned int weight)
{
	if (page_init() || node >= nr_online_nodes || weight > WEIGHT_MAX)
		return -EINVAL;
	atomic_store_relaxed(&weights[node], (uint8_t)weight);
	return 0;
}

static unsigned long sum_of_weights(unsigned long nodes)
{
	unsigned long sum = 0;

	for (; nodes; nodes &= nodes - 1)
		sum += node_weight((unsigned int)__builtin_ctzl(nodes));
	return sum;
}

/*
 * Allocates nr pages from the next node on: whole rounds, and then as much of one more round as is
 * left. The node that gets the last pages keeps the rest of its turn for the next request. If it
 * has had its whole turn, or there was no last round, the next node begins.
 */
static unsigned long bulk_rounds(gfp_t gfp, unsigned long nodes, unsigned long nr,
				 struct page **array)
{
	unsigned long sum = sum_of_weights(nodes), rounds = nr / sum, rest = nr % sum, got = 0;
	unsigned int node = thread_policy.previous, resume = next_node_in(node, nodes);
	unsigned int left = node_weight(resume);

	for (int i = __builtin_popcountl(nodes); i > 0; i--) {
		unsigned long weight, last;

		node = next_node_in(node, nodes);
		weight = node_weight(node);
		last = min(rest, weight);
		if (last && last == rest) {
			resume = node;
			left = (unsigned int)(weight - last);
		}
		rest -= last;
		got += take_share(gfp, node, rounds * weight + last, array + got);
	}
	thread_policy.previous = (uint8_t)resume;
	thread_policy.weight_left = (uint8_t)left;
	return got;
}

static unsigned long bulk_weighted_interleave(gfp_t gfp, unsigned long nodes,
					      unsigned long nr, struct page **array)
{
	unsigned int node = thread_policy.previous;
	unsigned long first = 0, got = 0;

	once_run(&system_weights_once, read_system_weights);
	if (nodes >> node & 1)
		first = min(nr, (unsigned long)thread_policy.weight_left);
	if (first) {
		got = take_share(gfp, node, first, array);
		thread_policy.weight_left -= (uint8_t)first;
		if (first == nr)
			return got;
	}
	return got + bulk_rounds(gfp, nodes, nr - first, array + got);
}

/* --- Other policies ------------------------------------------------------------------ */

/* Takes what those nodes have without waiting, and the rest from all nodes. */
static unsigned long bulk_preferred_many(gfp_t gfp, unsigned long nodes, unsigned long nr,
					 struct page **array)
{
	gfp_t at_once = (gfp | __GFP_NOWARN) & ~(__GFP_DIRECT_RECLAIM | __GFP_NOFAIL);
	int here = (int)numa_node_id();
	unsigned long got = __alloc_pages_bulk(at_once, here, &nodes, (int)nr, NULL, array);

	if (got < nr)
		got += __alloc_pages_bulk(gfp, here, NULL, (int)(nr - got), NULL, array + got);
	return got;
}

static bool have_more_than_movable(unsigned long nodes)
{
	const struct zone *z;

	for_each_populated_zone(z)
		if (nodes >> z->node & 1 && z->index != ZONE_MOVABLE)
			return true;
	return false;
}

/*
 * Does the policy bind this request? Requests for zones below the highest one are not bound, since
 * these nodes may not have such zones. Movable counts as the highest only if the nodes have nothing
 * else. cf. Linux apply_policy_zone()
 */
static bool binds(unsigned long nodes, gfp_t gfp)
{
	enum zone_type highest = ZONE_MOVABLE;

	if (have_more_than_movable(nodes))
		while (!page_has_zone(--highest))
			;
	return gfp_zone(gfp) >= highest;
}

static unsigned long bulk_by_policy(struct policy policy, gfp_t gfp, unsigned long nr,
				    struct page **array)
{
	int nid = (int)numa_node_id();
	const unsigned long *nodes = NULL;

	switch (policy.mode) {
	case USERMM_MPOL_INTERLEAVE:
		return policy.nodes ? bulk_interleave(gfp, policy.nodes, nr, array) : 0;
	case USERMM_MPOL_WEIGHTED_INTERLEAVE:
		return policy.nodes ? bulk_weighted_interleave(gfp, policy.nodes, nr, array) : 0;
	case USERMM_MPOL_PREFERRED_MANY:
		return bulk_preferred_many(gfp, policy.nodes, nr, array);
	case USERMM_MPOL_BIND:
		if (policy.nodes && binds(policy.nodes, gfp))
			nodes = &policy.nodes;
		break;
	case USERMM_MPOL_PREFERRED:
		if (policy.nodes)
			nid = __builtin_ctzl(policy.nodes);
		break;
	}
	return __alloc_pages_bulk(gfp, nid, nodes, (int)nr, NULL, array);
}

unsigned long alloc_pages_bulk_mempolicy(gfp_t gfp, unsigned long nr, struct page **array)
{
	if (page_init())
		return 0;
	if (nr_online_nodes == 1 || gfp & __GFP_THISNODE)
		return alloc_pages_bulk_array(gfp, nr, array);
	if (!nr)
		return 0;
	nr = min(nr, (unsigned long)INT32_MAX);
	return bulk_by_policy(current_policy(), gfp, nr, array);
}
