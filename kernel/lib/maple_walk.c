// SPDX-License-Identifier: MIT
/* Reading trees of ranges, and the calls that lock by themselves: see linux/maple_tree.h. */
#include <linux/maple_tree.h>
#include "maple_tree.h"

/* The gap around index, before the range next. */
static void set_gap(struct ma_state *mas, struct usermm_range *next)
{
	struct usermm_range *previous = range_before(mas->tree, next);

	mas->index = previous ? previous->last + 1 : 0;
	mas->last = next ? next->first - 1 : ULONG_MAX;
}

static void *set_range(struct ma_state *mas, const struct usermm_range *range)
{
	mas->index = range->first;
	mas->last = range->last;
	mas->status = ma_active;
	return range->entry;
}

void *mas_walk(struct ma_state *mas)
{
	struct usermm_range *range;
	unsigned long flags;
	void *entry = NULL;

	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	range = range_from(mas->tree, mas->index);
	if (range && range->first <= mas->index)
		entry = set_range(mas, range);
	else
		set_gap(mas, range);
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	mas->status = ma_active;
	return entry;
}

/* The first range from index on that begins at max or before. */
static void *find_up(struct ma_state *mas, unsigned long index, unsigned long max)
{
	struct usermm_range *range;
	unsigned long flags;
	void *entry = NULL;

	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	range = index <= max ? range_from(mas->tree, index) : NULL;
	if (range && range->first <= max)
		entry = set_range(mas, range);
	else
		mas->status = ma_overflow;
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	return entry;
}

/* The last range up to index that ends at min or later. */
static void *find_down(struct ma_state *mas, unsigned long index, unsigned long min)
{
	struct usermm_range *range;
	unsigned long flags;
	void *entry = NULL;

	spin_lock_irqsave(&mas->tree->usermm_lock, flags);
	range = range_from(mas->tree, index);
	if (!range || range->first > index)
		range = range_before(mas->tree, range);
	if (range && range->last >= min)
		entry = set_range(mas, range);
	else
		mas->status = ma_underflow;
	spin_unlock_irqrestore(&mas->tree->usermm_lock, flags);
	return entry;
}

void *mas_find(struct ma_state *mas, unsigned long max)
{
	if (mas->status == ma_start)
		return find_up(mas, mas->index, max);
	return mas_next(mas, max);
}

void *mas_find_rev(struct ma_state *mas, unsigned long min)
{
	if (mas->status == ma_start)
		return find_down(mas, mas->index, min);
	return mas_prev(mas, min);
}

void *mas_next(struct ma_state *mas, unsigned long max)
{
	if (mas->status == ma_start)
		(void)mas_walk(mas);
	if (mas->status != ma_overflow && mas->last < max)
		return find_up(mas, mas->last + 1, max);
	mas->status = ma_overflow;
	return NULL;
}

void *mas_prev(struct ma_state *mas, unsigned long min)
{
	if (mas->status == ma_start)
		(void)mas_walk(mas);
	if (mas->status != ma_underflow && mas->index > min)
		return find_down(mas, mas->index - 1, min);
	mas->status = ma_underflow;
	return NULL;
}

void *mtree_load(struct maple_tree *mt, unsigned long index)
{
	MA_STATE(mas, mt, index, index);

	return mas_walk(&mas);
}

void *mt_find(struct maple_tree *mt, unsigned long *index, unsigned long max)
{
	MA_STATE(mas, mt, *index, *index);
	void *entry = mas_find(&mas, max);

	if (entry)
		*index = mas.last + 1;
	return entry;
}

void *mt_next(struct maple_tree *mt, unsigned long index, unsigned long max)
{
	MA_STATE(mas, mt, index, index);

	return mas_next(&mas, max);
}

void *mt_prev(struct maple_tree *mt, unsigned long index, unsigned long min)
{
	MA_STATE(mas, mt, index, index);

	return mas_prev(&mas, min);
}

static bool is_no_entry(const void *entry)
{
	return WARN_ON_ONCE(xa_is_internal(entry) && (unsigned long)entry < MAPLE_RESERVED_RANGE);
}

int mtree_store_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		      gfp_t gfp)
{
	MA_STATE(mas, mt, first, last);
	int error;

	if (is_no_entry(entry) || first > last)
		return -EINVAL;
	mtree_lock(mt);
	error = mas_store_gfp(&mas, entry, gfp);
	mtree_unlock(mt);
	return error;
}

int mtree_insert_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		       gfp_t gfp)
{
	MA_STATE(mas, mt, first, last);
	int error;

	if (is_no_entry(entry) || first > last)
		return -EINVAL;
	mtree_lock(mt);
	/* The lock may be left for memory, so that comes first. */
	do {
		error = mas_find(&mas, last) ? -EEXIST : 0;
		mas_set_range(&mas, first, last);
		if (!error)
			(void)mas_store(&mas, entry);
	} while (!error && mas_nomem(&mas, gfp));
	mas_destroy(&mas);
	if (!error && mas_is_err(&mas))
		error = mas.usermm_error;
	mtree_unlock(mt);
	return error;
}

void *mtree_erase(struct maple_tree *mt, unsigned long index)
{
	MA_STATE(mas, mt, index, index);
	void *entry;

	mtree_lock(mt);
	entry = mas_erase(&mas);
	mtree_unlock(mt);
	return entry;
}

typedef int find_area(struct ma_state *mas, unsigned long min, unsigned long max,
		      unsigned long size);

/* Under the lock, which it may leave for memory. */
static int alloc_in_area(struct ma_state *mas, void *entry, unsigned long size, unsigned long min,
			 unsigned long max, gfp_t gfp, find_area *find)
{
	int error;

	do {
		error = find(mas, min, max, size);
		if (!error)
			(void)mas_store(mas, entry);
	} while (!error && mas_nomem(mas, gfp));
	mas_destroy(mas);
	if (!error && mas_is_err(mas))
		error = mas->usermm_error;
	return error;
}

static int alloc_range(struct maple_tree *mt, unsigned long *startp, void *entry,
		       unsigned long size, unsigned long min, unsigned long max, gfp_t gfp,
		       find_area *find)
{
	MA_STATE(mas, mt, 0, 0);
	int error;

	if (WARN_ON_ONCE(!(mt->ma_flags & MT_FLAGS_ALLOC_RANGE)) || is_no_entry(entry))
		return -EINVAL;
	mtree_lock(mt);
	error = alloc_in_area(&mas, entry, size, min, max, gfp, find);
	mtree_unlock(mt);
	if (!error)
		*startp = mas.index;
	return error;
}

int mtree_alloc_range(struct maple_tree *mt, unsigned long *startp, void *entry,
		      unsigned long size, unsigned long min, unsigned long max, gfp_t gfp)
{
	return alloc_range(mt, startp, entry, size, min, max, gfp, mas_empty_area);
}

int mtree_alloc_rrange(struct maple_tree *mt, unsigned long *startp, void *entry,
		       unsigned long size, unsigned long min, unsigned long max, gfp_t gfp)
{
	return alloc_range(mt, startp, entry, size, min, max, gfp, mas_empty_area_rev);
}

int mtree_alloc_cyclic(struct maple_tree *mt, unsigned long *startp, void *entry,
		       unsigned long range_lo, unsigned long range_hi, unsigned long *next,
		       gfp_t gfp)
{
	unsigned long min = max(*next, range_lo);
	MA_STATE(mas, mt, 0, 0);
	int error = -EBUSY, wrapped = 0;

	if (WARN_ON_ONCE(!(mt->ma_flags & MT_FLAGS_ALLOC_RANGE)) || is_no_entry(entry))
		return -EINVAL;
	mtree_lock(mt);
	if (min <= range_hi)
		error = alloc_in_area(&mas, entry, 1, min, range_hi, gfp, mas_empty_area);
	if (error == -EBUSY && min > range_lo) {
		error = alloc_in_area(&mas, entry, 1, range_lo, min - 1, gfp, mas_empty_area);
		wrapped = 1;
	}
	mtree_unlock(mt);
	if (error)
		return error;
	*startp = mas.index;
	*next = mas.index + 1 ? mas.index + 1 : range_lo;
	return wrapped;
}
