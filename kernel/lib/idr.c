// SPDX-License-Identifier: MIT
/* idr and ida, which hand out numbers, and radix trees; all of them on top of xarray.c. */
#include <linux/idr.h>
#include <linux/kernel.h>
#include <linux/slab.h>

int idr_alloc_u32(struct idr *idr, void *ptr, u32 *id, unsigned long max, gfp_t gfp)
{
	struct xa_limit limit = { .min = *id, .max = (u32)min_t(unsigned long, max, U32_MAX) };
	int error;

	if (limit.min < idr->idr_base)
		limit.min = idr->idr_base;
	if (limit.min > limit.max)
		return -ENOSPC;
	/* The caller holds its own lock and may not be allowed to sleep. */
	error = __xa_alloc(&idr->idr_rt, id, ptr, limit, gfp & ~__GFP_DIRECT_RECLAIM);
	return error == -EBUSY ? -ENOSPC : error;
}

int idr_alloc(struct idr *idr, void *ptr, int start, int end, gfp_t gfp)
{
	u32 id = (u32)start;
	int error;

	if (WARN_ON_ONCE(start < 0))
		return -EINVAL;
	error = idr_alloc_u32(idr, ptr, &id, end > 0 ? (unsigned int)end - 1 : INT_MAX, gfp);
	return error ? error : (int)id;
}

int idr_alloc_cyclic(struct idr *idr, void *ptr, int start, int end, gfp_t gfp)
{
	unsigned int max = end > 0 ? (unsigned int)end - 1 : INT_MAX;
	u32 id = max_t(u32, idr->idr_next, (u32)start);
	int error = idr_alloc_u32(idr, ptr, &id, max, gfp);

	if (error == -ENOSPC && id > (u32)start) {
		id = (u32)start;
		error = idr_alloc_u32(idr, ptr, &id, max, gfp);
	}
	if (error)
		return error;
	idr->idr_next = id + 1;
	return (int)id;
}

void *idr_remove(struct idr *idr, unsigned long id)
{
	return __xa_erase(&idr->idr_rt, id);
}

void *idr_find(const struct idr *idr, unsigned long id)
{
	return xa_load((struct xarray *)&idr->idr_rt, id);
}

void *idr_replace(struct idr *idr, void *ptr, unsigned long id)
{
	void **slot = usermm_xa_slot(&idr->idr_rt, id), *old;

	if (!slot)
		return ERR_PTR(-ENOENT);
	old = *slot;
	rcu_assign_pointer(*slot, ptr ? ptr : XA_ZERO_ENTRY);
	return xa_is_zero(old) ? NULL : old;
}

void *idr_get_next_ul(struct idr *idr, unsigned long *next)
{
	return xa_find(&idr->idr_rt, next, ULONG_MAX, XA_PRESENT);
}

void *idr_get_next(struct idr *idr, int *next)
{
	unsigned long id = (unsigned long)*next;
	void *entry = xa_find(&idr->idr_rt, &id, INT_MAX, XA_PRESENT);

	if (entry)
		*next = (int)id;
	return entry;
}

int idr_for_each(const struct idr *idr, int (*function)(int id, void *ptr, void *data),
		 void *data)
{
	unsigned long id;
	void *entry;
	int result;

	xa_for_each((struct xarray *)&idr->idr_rt, id, entry) {
		result = function((int)id, entry, data);
		if (result)
			return result;
	}
	return 0;
}

void idr_destroy(struct idr *idr)
{
	xa_destroy(&idr->idr_rt);
	idr->idr_next = 0;
}

int ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max, gfp_t gfp)
{
	unsigned long flags;
	u32 id;
	int error;

	if ((int)min < 0)
		return -ENOSPC;
	if ((int)max < 0)
		max = INT_MAX;
	if (min > max)
		return -ENOSPC;
	xa_lock_irqsave(&ida->xa, flags);
	error = __xa_alloc(&ida->xa, &id, xa_mk_value(0), XA_LIMIT(min, max),
			   gfp & ~__GFP_DIRECT_RECLAIM);
	xa_unlock_irqrestore(&ida->xa, flags);
	if (error)
		return error == -EBUSY ? -ENOSPC : error;
	return (int)id;
}

void ida_free(struct ida *ida, unsigned int id)
{
	unsigned long flags;
	void *old;

	if ((int)id < 0)
		return;
	xa_lock_irqsave(&ida->xa, flags);
	old = __xa_erase(&ida->xa, id);
	xa_unlock_irqrestore(&ida->xa, flags);
	WARN(!old, "ida_free called for id=%d which is not allocated.\n", id);
}

int ida_find_first_range(struct ida *ida, unsigned int min, unsigned int max)
{
	unsigned long id = min;

	if ((int)min < 0)
		return -EINVAL;
	if ((int)max < 0)
		max = INT_MAX;
	return xa_find(&ida->xa, &id, max, XA_PRESENT) ? (int)id : -ENOENT;
}

void ida_destroy(struct ida *ida)
{
	xa_destroy(&ida->xa);
}

int radix_tree_insert(struct radix_tree_root *root, unsigned long index, void *entry)
{
	int error = __xa_insert(root, index, entry, GFP_NOWAIT);

	return error == -EBUSY ? -EEXIST : error;
}

void *radix_tree_delete_item(struct radix_tree_root *root, unsigned long index, void *entry)
{
	if (entry && xa_load(root, index) != entry)
		return NULL;
	return __xa_erase(root, index);
}

unsigned int radix_tree_gang_lookup(const struct radix_tree_root *root, void **results,
				    unsigned long first, unsigned int max)
{
	return xa_extract((struct xarray *)root, results, first, ULONG_MAX, max, XA_PRESENT);
}

unsigned int radix_tree_gang_lookup_tag(const struct radix_tree_root *root, void **results,
					unsigned long first, unsigned int max, unsigned int tag)
{
	return xa_extract((struct xarray *)root, results, first, ULONG_MAX, max, tag);
}

void **usermm_radix_tree_next(const struct radix_tree_root *root, struct radix_tree_iter *iter,
			      unsigned int tag)
{
	struct xarray *xa = (struct xarray *)root;

	if (!xa_find(xa, &iter->index, ULONG_MAX, tag))
		return NULL;
	iter->next_index = iter->index + 1;
	return usermm_xa_slot(xa, iter->index);
}
