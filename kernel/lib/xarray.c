// SPDX-License-Identifier: MIT
/*
 * Sparse arrays: a tree of nodes with 64 slots, as deep as the largest index so far requires.
 *
 * A node knows which of its slots are full (all indices below hold an entry), so one walk down the
 * tree finds a free index. It also knows which slots lead to marks. A change updates both from the
 * changed slot upward. Readers walk without a lock: a slot is published after everything below it
 * is complete, and an empty node is freed after a grace period.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#define SLOTS 64
#define BITS 6
#define NR_MARKS (XA_MARK_MAX + 1)

struct node {
	unsigned int shift;		/* index >> shift selects one of the node's slots */
	unsigned int place;		/* its slot in the parent */
	unsigned int used;		/* number of slots that are not NULL */
	struct node *parent;
	u64 full;
	u64 marks[NR_MARKS];
	void *slots[SLOTS];
	struct rcu_head rcu;
};

static unsigned int place_of(const struct node *node, unsigned long index)
{
	return (index >> node->shift) % SLOTS;
}

static unsigned long last_below(const struct node *node)
{
	unsigned int bits = node->shift + BITS;

	return bits >= BITS_PER_LONG ? ULONG_MAX : (1UL << bits) - 1;
}

static void free_node(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct node, rcu));
}

static struct node *new_node(unsigned int shift, gfp_t gfp)
{
	struct node *node = kzalloc(sizeof(*node), gfp);

	if (node)
		node->shift = shift;
	return node;
}

/* Updates what the parents know of the node: full and marks. */
static void tell_parents(struct node *node)
{
	for (; node->parent; node = node->parent) {
		u64 bit = 1ULL << node->place;
		struct node *parent = node->parent;

		parent->full = node->full == ~0ULL ? parent->full | bit : parent->full & ~bit;
		for (unsigned int i = 0; i < NR_MARKS; i++)
			parent->marks[i] = node->marks[i] ? parent->marks[i] | bit :
							    parent->marks[i] & ~bit;
	}
}

/* Makes the tree deep enough for the index; false without memory. */
static bool grow(struct xarray *xa, unsigned long index, gfp_t gfp)
{
	struct node *head = xa->xa_head, *node;
	unsigned int shift = 0;

	if (!head) {
		while (shift + BITS < BITS_PER_LONG && index >> (shift + BITS))
			shift += BITS;
		head = new_node(shift, gfp);
		if (!head)
			return false;
		rcu_assign_pointer(xa->xa_head, head);
	}
	while (index > last_below(head)) {
		node = new_node(head->shift + BITS, gfp);
		if (!node)
			return false;
		node->slots[0] = head;
		node->used = 1;
		head->parent = node;
		tell_parents(head);
		rcu_assign_pointer(xa->xa_head, node);
		head = node;
	}
	return true;
}

/* The node with the index's slot, created if necessary; NULL without memory. */
static struct node *node_for(struct xarray *xa, unsigned long index, gfp_t gfp)
{
	struct node *node;

	if (!grow(xa, index, gfp))
		return NULL;
	for (node = xa->xa_head; node->shift;) {
		unsigned int place = place_of(node, index);
		struct node *child = node->slots[place];

		if (!child) {
			child = new_node(node->shift - BITS, gfp);
			if (!child)
				return NULL;
			child->parent = node;
			child->place = place;
			node->used++;
			rcu_assign_pointer(node->slots[place], child);
		}
		node = child;
	}
	return node;
}

static struct node *find_node(const struct xarray *xa, unsigned long index)
{
	struct node *node = rcu_dereference_raw(xa->xa_head);

	if (!node || index > last_below(node))
		return NULL;
	while (node && node->shift)
		node = rcu_dereference_raw(node->slots[place_of(node, index)]);
	return node;
}

/* Frees empty nodes, from the bottom up. */
static void prune(struct xarray *xa, struct node *node)
{
	while (node && !node->used) {
		struct node *parent = node->parent;

		if (parent) {
			WRITE_ONCE(parent->slots[node->place], NULL);
			parent->used--;
			parent->full &= ~(1ULL << node->place);
		} else {
			WRITE_ONCE(xa->xa_head, NULL);
		}
		call_rcu(&node->rcu, free_node);
		node = parent;
	}
}

static void *set_slot(struct xarray *xa, struct node *node, unsigned long index, void *entry)
{
	unsigned int place = place_of(node, index);
	void *old = node->slots[place];
	u64 bit = 1ULL << place;

	rcu_assign_pointer(node->slots[place], entry);
	node->used += !!entry - !!old;
	node->full = entry ? node->full | bit : node->full & ~bit;
	if (!entry)
		for (unsigned int i = 0; i < NR_MARKS; i++)
			node->marks[i] &= ~bit;
	tell_parents(node);
	prune(xa, node);
	return old;
}

void **usermm_xa_slot(struct xarray *xa, unsigned long index)
{
	struct node *node = find_node(xa, index);

	return node && node->slots[place_of(node, index)] ? &node->slots[place_of(node, index)] :
							    NULL;
}

/* The entry as callers see it. */
static void *shown(void *entry)
{
	return xa_is_zero(entry) ? NULL : entry;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	struct node *node;
	void *entry = NULL;

	rcu_read_lock();
	node = find_node(xa, index);
	if (node)
		entry = rcu_dereference_raw(node->slots[place_of(node, index)]);
	rcu_read_unlock();
	return shown(entry);
}

static void *error_entry(int error)
{
	return xa_mk_internal((unsigned long)error);
}

/*
 * node_for() under the lock, so without waiting. If gfp allows waiting, it drops the lock and waits
 * for memory.
 */
static struct node *node_to_fill(struct xarray *xa, unsigned long index, gfp_t gfp)
{
	gfp_t now = (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_NOWARN;
	struct node *node = node_for(xa, index, now), *spare;

	while (!node && gfpflags_allow_blocking(gfp)) {
		xa_unlock(xa);
		spare = new_node(0, gfp);
		kfree(spare);
		xa_lock(xa);
		if (!spare)
			break;
		node = node_for(xa, index, now);
	}
	if (!node) {
		/* Free the nodes that were created on the way: they are empty. */
		for (node = xa->xa_head; node && node->shift;) {
			struct node *child = node->slots[place_of(node, index)];

			if (!child)
				break;
			node = child;
		}
		prune(xa, node);
		return NULL;
	}
	return node;
}

void *__xa_cmpxchg(struct xarray *xa, unsigned long index, void *old, void *entry, gfp_t gfp)
{
	struct node *node = find_node(xa, index);
	void *found;

	if (WARN_ON_ONCE(xa_is_internal(entry) && !xa_is_zero(entry)))
		return error_entry(-EINVAL);
	if (!node && entry && !old) {
		node = node_to_fill(xa, index, gfp);
		if (!node)
			return error_entry(-ENOMEM);
	}
	found = node ? node->slots[place_of(node, index)] : NULL;
	if (found == old)
		set_slot(xa, node, index, entry);
	return shown(found);
}

void *__xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct node *node = find_node(xa, index);

	if (WARN_ON_ONCE(xa_is_internal(entry) && !xa_is_zero(entry)))
		return error_entry(-EINVAL);
	/* In an array that tracks free indices, a NULL entry makes the index used. */
	if (!entry && (xa->xa_flags & XA_FLAGS_TRACK_FREE))
		entry = XA_ZERO_ENTRY;
	if (!node && !entry)
		return NULL;
	if (!node)
		node = node_to_fill(xa, index, gfp);
	return node ? shown(set_slot(xa, node, index, entry)) : error_entry(-ENOMEM);
}

void *__xa_erase(struct xarray *xa, unsigned long index)
{
	struct node *node = find_node(xa, index);

	return node && node->slots[place_of(node, index)] ?
	       shown(set_slot(xa, node, index, NULL)) : NULL;
}

int __xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct node *node = find_node(xa, index);

	if (WARN_ON_ONCE(xa_is_internal(entry)))
		return -EINVAL;
	if (node && node->slots[place_of(node, index)])
		return -EBUSY;
	if (!node)
		node = node_to_fill(xa, index, gfp);
	if (!node)
		return -ENOMEM;
	set_slot(xa, node, index, entry ? entry : XA_ZERO_ENTRY);
	return 0;
}

/* The first free index from `index` on. There is always one. */
static unsigned long first_free(const struct xarray *xa, unsigned long index)
{
	const struct node *node = xa->xa_head;

	if (!node || index > last_below(node))
		return index;
	for (;;) {
		unsigned int place = place_of(node, index);
		u64 candidates = ~node->full & ~0ULL << place;
		unsigned int found = candidates ? (unsigned int)__builtin_ctzll(candidates) : SLOTS;

		if (found == SLOTS) {
			/* Go on behind this node. */
			index = (index | last_below(node)) + 1;
			node = xa->xa_head;
			if (!index || index > last_below(node))
				return index;
			continue;
		}
		if (found != place)
			index = ((index >> node->shift) - place + found) << node->shift;
		if (!node->shift || !node->slots[found])
			return index;
		node = node->slots[found];
	}
}

int __xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, gfp_t gfp)
{
	unsigned long index = limit.min;
	struct node *node;

	if (WARN_ON_ONCE(xa_is_internal(entry)) ||
	    WARN_ON_ONCE(!(xa->xa_flags & XA_FLAGS_TRACK_FREE)))
		return -EINVAL;
	if (!index && (xa->xa_flags & XA_FLAGS_ZERO_BUSY))
		index = 1;
	do {
		index = first_free(xa, index);
		if (index > limit.max)
			return -EBUSY;
		node = node_to_fill(xa, index, gfp);
		if (!node)
			return -ENOMEM;
		/* Another thread may have used the index while the lock was dropped. */
	} while (node->slots[place_of(node, index)]);
	set_slot(xa, node, index, entry ? entry : XA_ZERO_ENTRY);
	*id = (u32)index;
	return 0;
}

int __xa_alloc_cyclic(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, u32 *next,
		      gfp_t gfp)
{
	u32 low = limit.min;
	int error, wrapped;

	limit.min = max(low, *next);
	error = __xa_alloc(xa, id, entry, limit, gfp);
	wrapped = !error && (xa->xa_flags & XA_FLAGS_ALLOC_WRAPPED);
	if (wrapped)
		xa->xa_flags &= ~XA_FLAGS_ALLOC_WRAPPED;
	if (error == -EBUSY && limit.min > low) {
		limit.min = low;
		error = __xa_alloc(xa, id, entry, limit, gfp);
		wrapped = !error;
	}
	if (error)
		return error;
	*next = *id + 1;
	if (!*next)
		xa->xa_flags |= XA_FLAGS_ALLOC_WRAPPED;
	return wrapped;
}

void __xa_set_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	struct node *node = find_node(xa, index);

	if (!node || !node->slots[place_of(node, index)])
		return;
	node->marks[mark] |= 1ULL << place_of(node, index);
	tell_parents(node);
}

void __xa_clear_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	struct node *node = find_node(xa, index);

	if (!node)
		return;
	node->marks[mark] &= ~(1ULL << place_of(node, index));
	tell_parents(node);
}

bool xa_get_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	struct node *node;
	bool marked;

	rcu_read_lock();
	node = find_node(xa, index);
	marked = node && READ_ONCE(node->marks[mark]) >> place_of(node, index) & 1;
	rcu_read_unlock();
	return marked;
}

bool xa_marked(const struct xarray *xa, xa_mark_t mark)
{
	struct node *head;
	bool marked;

	rcu_read_lock();
	head = rcu_dereference_raw(xa->xa_head);
	marked = head && READ_ONCE(head->marks[mark]);
	rcu_read_unlock();
	return marked;
}

/*
 * Finds an entry below node, from *index on. If there is none: NULL, and *index is the first one
 * behind node.
 */
static void *find_below(const struct node *node, unsigned long *index, xa_mark_t filter)
{
	for (unsigned int place = place_of(node, *index); place < SLOTS; place++) {
		void *entry = rcu_dereference_raw(node->slots[place]);

		if (entry && filter <= XA_MARK_MAX &&
		    !(READ_ONCE(node->marks[filter]) >> place & 1))
			entry = NULL;
		if (entry && node->shift)
			entry = find_below(entry, index, filter);
		else if (!entry || xa_is_zero(entry))
			entry = NULL;
		if (entry)
			return entry;
		if (!node->shift || place_of(node, *index) == place)
			*index = ((*index >> node->shift) + 1) << node->shift;
		if (!*index)
			return NULL;
	}
	return NULL;
}

void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max, xa_mark_t filter)
{
	unsigned long at = *index;
	struct node *head;
	void *entry = NULL;

	rcu_read_lock();
	head = rcu_dereference_raw(xa->xa_head);
	if (head && at <= last_below(head) && at <= max)
		entry = find_below(head, &at, filter);
	rcu_read_unlock();
	if (!entry || at > max)
		return NULL;
	*index = at;
	return entry;
}

void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max, xa_mark_t filter)
{
	unsigned long next = *index + 1;
	void *entry;

	if (!next)
		return NULL;
	entry = xa_find(xa, &next, max, filter);
	if (entry)
		*index = next;
	return entry;
}

unsigned int xa_extract(struct xarray *xa, void **to, unsigned long start, unsigned long max,
			unsigned int n, xa_mark_t filter)
{
	unsigned int got = 0;
	void *entry;

	if (!n)
		return 0;
	for (entry = xa_find(xa, &start, max, filter); entry;
	     entry = xa_find_after(xa, &start, max, filter)) {
		to[got++] = entry;
		if (got == n)
			break;
	}
	return got;
}

static void destroy_below(struct node *node)
{
	for (unsigned int i = 0; node->shift && i < SLOTS; i++)
		if (node->slots[i])
			destroy_below(node->slots[i]);
	call_rcu(&node->rcu, free_node);
}

void xa_destroy(struct xarray *xa)
{
	unsigned long flags;
	struct node *head;

	xa_lock_irqsave(xa, flags);
	head = xa->xa_head;
	WRITE_ONCE(xa->xa_head, NULL);
	xa_unlock_irqrestore(xa, flags);
	if (head)
		destroy_below(head);
}
