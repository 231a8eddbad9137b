// SPDX-License-Identifier: MIT
/*
 * Trees of ranges, see linux/maple_tree.h; cf. Linux lib/maple_tree.c.
 *
 * The ranges that have an entry are nodes of a red-black tree, in order. A state has indices alone,
 * so each step searches anew, under the lock of the nodes. Nobody calls out under that lock.
 */
#include <linux/maple_tree.h>
#include <linux/slab.h>
#include "maple_tree.h"

/* The first range that ends at index or later. Under the lock, like all that take a tree. */
struct usermm_range *range_from(struct maple_tree *mt, unsigned long index)
{
	struct rb_node *node = mt->usermm_ranges.rb_node;
	struct usermm_range *found = NULL;

	while (node) {
		struct usermm_range *range = rb_entry(node, struct usermm_range, node);

		if (range->last >= index) {
			found = range;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

struct usermm_range *range_before(struct maple_tree *mt, struct usermm_range *range)
{
	struct rb_node *node = range ? rb_prev(&range->node) : rb_last(&mt->usermm_ranges);

	return node ? rb_entry(node, struct usermm_range, node) : NULL;
}

static void link_range(struct maple_tree *mt, struct usermm_range *range)
{
	struct rb_node **place = &mt->usermm_ranges.rb_node, *parent = NULL;

	while (*place) {
		parent = *place;
		place = rb_entry(parent, struct usermm_range, node)->first < range->first ?
			&parent->rb_right : &parent->rb_left;
	}
	rb_link_node(&range->node, parent, place);
	rb_insert_color(&range->node, &mt->usermm_ranges);
	WRITE_ONCE(mt->ma_root, mt->usermm_ranges.rb_node);
}

static void unlink_range(struct maple_tree *mt, struct usermm_range *range)
{
	rb_erase(&range->node, &mt->usermm_ranges);
	WRITE_ONCE(mt->ma_root, mt->usermm_ranges.rb_node);
	kfree(range);
}

static struct usermm_range *take_spare(struct ma_state *mas)
{
	int at = mas->usermm_spare[1] ? 1 : 0;
	struct usermm_range *range = mas->usermm_spare[at];

	mas->usermm_spare[at] = NULL;
	return range;
}

/* Frees what the state's range has; ranges that stick out keep their ends. Needs one spare. */
static void clear_range(struct ma_state *mas)
{
	struct maple_tree *mt = mas->tree;
	struct usermm_range *range;

	while ((range = range_from(mt, mas->index)) && range->first <= mas->last) {
		bool sticks_out = range->last > mas->last;

		if (range->first >= mas->index && !sticks_out) {
			unlink_range(mt, range);
			continue;
		}
		if (range->first >= mas->index) {
			range->first = mas->last + 1;
			return;
		}
		if (sticks_out) {
			struct usermm_range *end = take_spare(mas);

			end->first = mas->last + 1;
			end->last = range->last;
			end->entry = range->entry;
			range->last = mas->index - 1;
			link_range(mt, end);
			return;
		}
		range->last = mas->index - 1;
	}
}

int usermm_mas_preallocate(struct ma_state *mas, gfp_t gfp)
{
	for (int i = 0; i < 2; i++) {
		if (!mas->usermm_spare[i])
			mas->usermm_spare[i] = kmalloc(sizeof(struct usermm_range), gfp);
		if (!mas->usermm_spare[i])
			return -ENOMEM;
	}
	return 0;
}

void mas_destroy(struct ma_state *mas)
{
	kfree(take_spare(mas));
	kfree(take_spare(mas));
}

static void set_error(struct ma_state *mas, int error)
{
	mas->status = ma_error;
	mas->usermm_error = error;
}

void *mas_store(struct ma_state *mas, void *entry)
{
	struct usermm_range *old, *range;
	void *old_entry = NULL;
	unsigned long flags;

	if (mas->index > mas->last) {
		set_error(mas, -EINVAL);
		return NULL;
	}
	if (usermm_mas_preallocate(mas, GFP_NOWAIT | __GFP_NOWARN)) {
		set_error(mas, -ENOMEM);
		return NULL;
	}
	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	old = range_from(mas->tree, mas->index);
	if (old && old->first <= mas->index)
		old_entry = old->entry;
	clear_range(mas);
	if (entry) {
		range = take_spare(mas);
		range->first = mas->index;
		range->last = mas->last;
		range->entry = entry;
		link_range(mas->tree, range);
	}
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	mas_destroy(mas);
	mas->status = ma_active;
	return old_entry;
}

bool mas_nomem(struct ma_state *mas, gfp_t gfp)
{
	bool leaves = gfpflags_allow_blocking(gfp) && !mt_external_lock(mas->tree);
	int error;

	if (!mas_is_err(mas) || mas->usermm_error != -ENOMEM)
		return false;
	if (leaves)
		mas_unlock(mas);
	error = usermm_mas_preallocate(mas, gfp);
	if (leaves)
		mas_lock(mas);
	if (error)
		return false;
	mas_reset(mas);
	return true;
}

int mas_store_gfp(struct ma_state *mas, void *entry, gfp_t gfp)
{
	unsigned long index = mas->index, last = mas->last;

	do {
		mas->index = index;
		mas->last = last;
		(void)mas_store(mas, entry);
	} while (mas_nomem(mas, gfp));
	mas_destroy(mas);
	return mas_is_err(mas) ? mas->usermm_error : 0;
}

void *mas_erase(struct ma_state *mas)
{
	struct usermm_range *range;
	unsigned long flags;
	void *entry = NULL;

	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	range = range_from(mas->tree, mas->index);
	if (range && range->first <= mas->index) {
		entry = range->entry;
		mas->index = range->first;
		mas->last = range->last;
		unlink_range(mas->tree, range);
	}
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	mas->status = ma_start;
	return entry;
}

void __mt_destroy(struct maple_tree *mt)
{
	struct usermm_range *range;
	unsigned long flags;

	spin_lock_irqsave(&mt->usermm_lock, flags);
	while ((range = range_from(mt, 0)))
		unlink_range(mt, range);
	spin_unlock_irqrestore(&mt->usermm_lock, flags);
}

void mtree_destroy(struct maple_tree *mt)
{
	mtree_lock(mt);
	__mt_destroy(mt);
	mtree_unlock(mt);
}

static int empty_area(struct ma_state *mas, unsigned long min, unsigned long max,
		      unsigned long size, bool highest)
{
	struct usermm_range *range;
	bool is_found = false;
	unsigned long flags;

	if (!size || min > max || max - min < size - 1)
		return -EINVAL;
	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	range = range_from(mas->tree, min);
	/* min is where the gap before range begins. */
	while (!(is_found && !highest)) {
		unsigned long end = range && range->first <= max ? range->first - 1 : max;
		bool is_empty = range && range->first <= min;

		if (!is_empty && end - min >= size - 1) {
			is_found = true;
			mas->index = highest ? end - (size - 1) : min;
			mas->last = mas->index + (size - 1);
		}
		if (!range || range->last >= max)
			break;
		min = range->last + 1;
		range = range_from(mas->tree, min);
	}
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	mas->status = ma_start;
	return is_found ? 0 : -EBUSY;
}

int mas_empty_area(struct ma_state *mas, unsigned long min, unsigned long max, unsigned long size)
{
	return empty_area(mas, min, max, size, false);
}

int mas_empty_area_rev(struct ma_state *mas, unsigned long min, unsigned long max,
		       unsigned long size)
{
	return empty_area(mas, min, max, size, true);
}
