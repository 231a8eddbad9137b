/* SPDX-License-Identifier: MIT */
/* Allocate the lowest free number: for a pointer (idr), or alone (ida). */
#ifndef KERNEL_LINUX_IDR_H
#define KERNEL_LINUX_IDR_H

#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/radix-tree.h>
#include <linux/version.h>
#include <linux/xarray.h>

struct idr {
	struct xarray idr_rt;
	unsigned int idr_base;
	unsigned int idr_next;
};

#define IDR_INIT_BASE(name, base) \
	{ .idr_rt = XARRAY_INIT(name.idr_rt, XA_FLAGS_ALLOC), .idr_base = (base) }
#define IDR_INIT(name) IDR_INIT_BASE(name, 0)
#define DEFINE_IDR(name) struct idr name = IDR_INIT(name)

static inline void idr_init_base(struct idr *idr, int base)
{
	xa_init_flags(&idr->idr_rt, XA_FLAGS_ALLOC);
	idr->idr_base = (unsigned int)base;
	idr->idr_next = 0;
}

static inline void idr_init(struct idr *idr)
{
	idr_init_base(idr, 0);
}

USERMM_BEGIN_DECLS

/* Numbers from start to end - 1; no upper limit if end <= 0. -ENOSPC or -ENOMEM. */
int idr_alloc(struct idr *idr, void *ptr, int start, int end, gfp_t gfp) USERMM_API(idr_alloc);
int idr_alloc_cyclic(struct idr *idr, void *ptr, int start, int end, gfp_t gfp)
	USERMM_API(idr_alloc_cyclic);
/* Numbers from *id to max, both included. */
int idr_alloc_u32(struct idr *idr, void *ptr, u32 *id, unsigned long max, gfp_t gfp)
	USERMM_API(idr_alloc_u32);
void *idr_remove(struct idr *idr, unsigned long id) USERMM_API(idr_remove);
void *idr_find(const struct idr *idr, unsigned long id) USERMM_API(idr_find);
void *idr_replace(struct idr *idr, void *ptr, unsigned long id) USERMM_API(idr_replace);
int idr_for_each(const struct idr *idr, int (*function)(int id, void *ptr, void *data),
		 void *data) USERMM_API(idr_for_each);
void *idr_get_next(struct idr *idr, int *next) USERMM_API(idr_get_next);
void *idr_get_next_ul(struct idr *idr, unsigned long *next) USERMM_API(idr_get_next_ul);
void idr_destroy(struct idr *idr) USERMM_API(idr_destroy);

USERMM_END_DECLS

static inline bool idr_is_empty(const struct idr *idr)
{
	return xa_empty(&idr->idr_rt);
}

static inline unsigned int idr_get_cursor(const struct idr *idr)
{
	return READ_ONCE(idr->idr_next);
}

static inline void idr_set_cursor(struct idr *idr, unsigned int next)
{
	WRITE_ONCE(idr->idr_next, next);
}

/* Preloads nothing: memory is allocated when needed. Preemption is off until idr_preload_end(). */
static inline void idr_preload(gfp_t gfp)
{
	(void)gfp;
	preempt_disable();
}

static inline void idr_preload_end(void)
{
	preempt_enable();
}

#define idr_lock(idr) xa_lock(&(idr)->idr_rt)
#define idr_unlock(idr) xa_unlock(&(idr)->idr_rt)
#define idr_for_each_entry(idr, entry, id)				\
	for (id = 0; ((entry) = idr_get_next(idr, &(id))) != NULL; id += 1U)
#define idr_for_each_entry_ul(idr, entry, tmp, id)			\
	for (tmp = 0, id = 0;						\
	     ((entry) = tmp <= id ? idr_get_next_ul(idr, &(id)) : NULL) != NULL; \
	     tmp = id, ++id)
#define idr_for_each_entry_continue(idr, entry, id) \
	for ((entry) = idr_get_next(idr, &(id)); entry; ++id, (entry) = idr_get_next(idr, &(id)))

#define IDA_CHUNK_SIZE 128
#define IDA_BITMAP_LONGS (IDA_CHUNK_SIZE / sizeof(long))
#define IDA_BITMAP_BITS (IDA_BITMAP_LONGS * sizeof(long) * 8)

struct ida {
	struct xarray xa;
};

#define IDA_INIT(name) { .xa = XARRAY_INIT(name.xa, XA_FLAGS_ALLOC) }
#define DEFINE_IDA(name) struct ida name = IDA_INIT(name)

USERMM_BEGIN_DECLS

int ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max, gfp_t gfp)
	USERMM_API(ida_alloc_range);
void ida_free(struct ida *ida, unsigned int id) USERMM_API(ida_free);
void ida_destroy(struct ida *ida) USERMM_API(ida_destroy);
/*
 * The lowest number in use from min to max. -EINVAL: min is above max or too large; -ENOENT: no
 * such number is in use.
 */
int ida_find_first_range(struct ida *ida, unsigned int min, unsigned int max)
	USERMM_API(ida_find_first_range);

USERMM_END_DECLS

static inline void ida_init(struct ida *ida)
{
	xa_init_flags(&ida->xa, XA_FLAGS_ALLOC);
}

static inline int ida_alloc(struct ida *ida, gfp_t gfp)
{
	return ida_alloc_range(ida, 0, ~0U, gfp);
}

static inline int ida_alloc_min(struct ida *ida, unsigned int min, gfp_t gfp)
{
	return ida_alloc_range(ida, min, ~0U, gfp);
}

static inline int ida_alloc_max(struct ida *ida, unsigned int max, gfp_t gfp)
{
	return ida_alloc_range(ida, 0, max, gfp);
}

static inline bool ida_is_empty(const struct ida *ida)
{
	return xa_empty(&ida->xa);
}

static inline int ida_find_first(struct ida *ida)
{
	return ida_find_first_range(ida, 0, ~0U);
}

static inline bool ida_exists(struct ida *ida, unsigned int id)
{
	return xa_load(&ida->xa, id) != NULL;
}

/* An end of 0 means no upper limit. */
#define ida_simple_get(ida, start, end, gfp) ida_alloc_range(ida, start, (end) - 1, gfp)
#define ida_simple_remove(ida, id) ida_free(ida, id)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#undef ida_simple_get
USERMM_REMOVED(ida_simple_get, "7.0", "ida_alloc_range()")
#undef ida_simple_remove
USERMM_REMOVED(ida_simple_remove, "7.0", "ida_free()")
#endif

#endif
