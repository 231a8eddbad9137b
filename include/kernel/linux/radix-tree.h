/* SPDX-License-Identifier: MIT */
/* The older interface to xarray.h's trees. The caller locks changes. */
#ifndef KERNEL_LINUX_RADIX_TREE_H
#define KERNEL_LINUX_RADIX_TREE_H

#include <linux/list.h>
#include <linux/math.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#define radix_tree_root xarray
#define RADIX_TREE_MAX_TAGS 3
#define RADIX_TREE_MAP_SHIFT 6
#define RADIX_TREE_MAP_SIZE (1UL << RADIX_TREE_MAP_SHIFT)

#define RADIX_TREE_INIT(name, gfp) XARRAY_INIT(name, gfp)
#define RADIX_TREE(name, gfp) struct radix_tree_root name = { .xa_flags = (gfp) }
#define INIT_RADIX_TREE(root, gfp) xa_init_flags(root, gfp)
#define radix_tree_empty(root) xa_empty(root)

struct radix_tree_iter {
	unsigned long index;
	unsigned long next_index;
	unsigned long tags;
};

USERMM_BEGIN_DECLS

/* -EEXIST if the index has an entry. */
int radix_tree_insert(struct radix_tree_root *root, unsigned long index, void *entry)
	USERMM_API(radix_tree_insert);
void *radix_tree_delete_item(struct radix_tree_root *root, unsigned long index, void *entry)
	USERMM_API(radix_tree_delete_item);
unsigned int radix_tree_gang_lookup(const struct radix_tree_root *root, void **results,
				    unsigned long first, unsigned int max)
	USERMM_API(radix_tree_gang_lookup);
unsigned int radix_tree_gang_lookup_tag(const struct radix_tree_root *root, void **results,
					unsigned long first, unsigned int max, unsigned int tag)
	USERMM_API(radix_tree_gang_lookup_tag);
/* The slot of the first entry from iter->index on. If tag is below 3, the entry must have it. */
void **usermm_radix_tree_next(const struct radix_tree_root *root, struct radix_tree_iter *iter,
			      unsigned int tag) __attribute__((visibility("default")));

USERMM_END_DECLS

static inline void *radix_tree_lookup(const struct radix_tree_root *root, unsigned long index)
{
	return xa_load((struct xarray *)root, index);
}

static inline void **radix_tree_lookup_slot(const struct radix_tree_root *root,
					    unsigned long index)
{
	return usermm_xa_slot((struct xarray *)root, index);
}

static inline void *radix_tree_delete(struct radix_tree_root *root, unsigned long index)
{
	return __xa_erase(root, index);
}

static inline void *radix_tree_tag_set(struct radix_tree_root *root, unsigned long index,
				       unsigned int tag)
{
	__xa_set_mark(root, index, tag);
	return xa_load(root, index);
}

static inline void *radix_tree_tag_clear(struct radix_tree_root *root, unsigned long index,
					 unsigned int tag)
{
	__xa_clear_mark(root, index, tag);
	return xa_load(root, index);
}

static inline int radix_tree_tag_get(const struct radix_tree_root *root, unsigned long index,
				     unsigned int tag)
{
	return xa_get_mark((struct xarray *)root, index, tag);
}

static inline int radix_tree_tagged(const struct radix_tree_root *root, unsigned int tag)
{
	return xa_marked(root, tag);
}

static inline void *radix_tree_deref_slot(void **slot)
{
	return READ_ONCE(*slot);
}

#define radix_tree_replace_slot(root, slot, item) rcu_assign_pointer(*(slot), item)
#define radix_tree_deref_slot_protected(slot, lock) radix_tree_deref_slot(slot)
#define radix_tree_exception(entry) ((unsigned long)(entry) & 3)
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 20, 0)
#define radix_tree_exceptional_entry(entry) xa_is_value(entry)
#else
USERMM_REMOVED(radix_tree_exceptional_entry, "4.20", "xa_is_value()")
#endif

/* Preloads nothing: nodes are allocated when needed. Preemption is off until _end(). */
static inline int radix_tree_preload(gfp_t gfp)
{
	(void)gfp;
	preempt_disable();
	return 0;
}

static inline int radix_tree_maybe_preload(gfp_t gfp)
{
	return radix_tree_preload(gfp);
}

static inline void radix_tree_preload_end(void)
{
	preempt_enable();
}

#define USERMM_RADIX_FOR_EACH(slot, root, iter, start, tag)		\
	for ((iter)->index = (start), slot = usermm_radix_tree_next(root, iter, tag); slot; \
	     slot = ++(iter)->index ? usermm_radix_tree_next(root, iter, tag) : NULL)
#define radix_tree_for_each_slot(slot, root, iter, start) \
	USERMM_RADIX_FOR_EACH(slot, root, iter, start, XA_PRESENT)
#define radix_tree_for_each_tagged(slot, root, iter, start, tag) \
	USERMM_RADIX_FOR_EACH(slot, root, iter, start, tag)
#define radix_tree_iter_delete(root, iter, slot) \
	((void)(slot), radix_tree_delete(root, (iter)->index))

#endif
