/* SPDX-License-Identifier: MIT */
/*
 * Sparse arrays of pointers by index. Lookups take no lock; changes hold xa_lock.
 *
 * This is the ordinary interface. Of the advanced one (XA_STATE, xas_) only the calls that iterate
 * without changes are here. The others expose the nodes of Linux's tree; they and entries with
 * several indices are not supported.
 */
#ifndef KERNEL_LINUX_XARRAY_H
#define KERNEL_LINUX_XARRAY_H

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kconfig.h>
#include <linux/limits.h>
#include <linux/memory_hotplug.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct xarray {
	spinlock_t xa_lock;
	gfp_t xa_flags;
	void *xa_head;		/* Sync: xa_lock; read under RCU */
};

typedef unsigned int xa_mark_t;
#define XA_MARK_0 0U
#define XA_MARK_1 1U
#define XA_MARK_2 2U
#define XA_PRESENT 8U
#define XA_MARK_MAX XA_MARK_2
#define XA_FREE_MARK XA_MARK_0

struct xa_limit {
	u32 max;
	u32 min;
};

#define XA_LIMIT(low, high) ((struct xa_limit){ .min = (low), .max = (high) })
#define xa_limit_32b XA_LIMIT(0, UINT_MAX)
#define xa_limit_31b XA_LIMIT(0, INT_MAX)
#define xa_limit_16b XA_LIMIT(0, USHRT_MAX)

#define XA_FLAGS_LOCK_IRQ ((gfp_t)1)
#define XA_FLAGS_LOCK_BH ((gfp_t)2)
#define XA_FLAGS_TRACK_FREE ((gfp_t)4)
#define XA_FLAGS_ZERO_BUSY ((gfp_t)8)
#define XA_FLAGS_ALLOC_WRAPPED ((gfp_t)16)
#define XA_FLAGS_ACCOUNT ((gfp_t)32)
#define XA_FLAGS_ALLOC XA_FLAGS_TRACK_FREE
#define XA_FLAGS_ALLOC1 (XA_FLAGS_TRACK_FREE | XA_FLAGS_ZERO_BUSY)

#define XARRAY_INIT(name, flags) \
	{ .xa_lock = __SPIN_LOCK_UNLOCKED((name).xa_lock), .xa_flags = (flags) }
#define DEFINE_XARRAY_FLAGS(name, flags) struct xarray name = XARRAY_INIT(name, flags)
#define DEFINE_XARRAY(name) DEFINE_XARRAY_FLAGS(name, 0)
#define DEFINE_XARRAY_ALLOC(name) DEFINE_XARRAY_FLAGS(name, XA_FLAGS_ALLOC)
#define DEFINE_XARRAY_ALLOC1(name) DEFINE_XARRAY_FLAGS(name, XA_FLAGS_ALLOC1)

static inline void xa_init_flags(struct xarray *xa, gfp_t flags)
{
	spin_lock_init(&xa->xa_lock);
	xa->xa_flags = flags;
	xa->xa_head = NULL;
}

static inline void xa_init(struct xarray *xa)
{
	xa_init_flags(xa, 0);
}

static inline bool xa_empty(const struct xarray *xa)
{
	return !READ_ONCE(xa->xa_head);
}

/*
 * Entries are aligned pointers, or numbers shifted by one. Those that end in binary 10 are
 * internal.
 */
static inline void *xa_mk_value(unsigned long value)
{
	WARN_ON((long)value < 0);
	return (void *)(value << 1 | 1);
}

static inline unsigned long xa_to_value(const void *entry)
{
	return (unsigned long)entry >> 1;
}

static inline bool xa_is_value(const void *entry)
{
	return (unsigned long)entry & 1;
}

static inline void *xa_tag_pointer(void *ptr, unsigned long tag)
{
	return (void *)((unsigned long)ptr | tag);
}

static inline void *xa_untag_pointer(void *entry)
{
	return (void *)((unsigned long)entry & ~3UL);
}

static inline unsigned int xa_pointer_tag(void *entry)
{
	return (unsigned int)((unsigned long)entry & 3UL);
}

static inline void *xa_mk_internal(unsigned long value)
{
	return (void *)(value << 2 | 2);
}

static inline bool xa_is_internal(const void *entry)
{
	return ((unsigned long)entry & 3) == 2;
}

#define XA_ZERO_ENTRY xa_mk_internal(257)

static inline bool xa_is_zero(const void *entry)
{
	return entry == XA_ZERO_ENTRY;
}

static inline bool xa_is_err(const void *entry)
{
	return xa_is_internal(entry) && entry >= xa_mk_internal((unsigned long)-MAX_ERRNO);
}

/* The error that a call returned as an entry, or 0. */
static inline int xa_err(void *entry)
{
	return xa_is_err(entry) ? (int)((long)entry >> 2) : 0;
}

#define xa_trylock(xa) spin_trylock(&(xa)->xa_lock)
#define xa_lock(xa) spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa) spin_unlock(&(xa)->xa_lock)
#define xa_lock_bh(xa) spin_lock_bh(&(xa)->xa_lock)
#define xa_unlock_bh(xa) spin_unlock_bh(&(xa)->xa_lock)
#define xa_lock_irq(xa) spin_lock_irq(&(xa)->xa_lock)
#define xa_unlock_irq(xa) spin_unlock_irq(&(xa)->xa_lock)
#define xa_lock_irqsave(xa, flags) spin_lock_irqsave(&(xa)->xa_lock, flags)
#define xa_unlock_irqrestore(xa, flags) spin_unlock_irqrestore(&(xa)->xa_lock, flags)

USERMM_BEGIN_DECLS

void *xa_load(struct xarray *xa, unsigned long index) USERMM_API(xa_load);
/* Names with __: the caller holds the lock. A call that may wait drops it while it waits. */
void *__xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
	USERMM_API(__xa_store);
void *__xa_erase(struct xarray *xa, unsigned long index) USERMM_API(__xa_erase);
void *__xa_cmpxchg(struct xarray *xa, unsigned long index, void *old, void *entry, gfp_t gfp)
	USERMM_API(__xa_cmpxchg);
int __xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
	USERMM_API(__xa_insert);
int __xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, gfp_t gfp)
	USERMM_API(__xa_alloc);
/* Returns 1 if the numbers have wrapped around. */
int __xa_alloc_cyclic(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, u32 *next,
		      gfp_t gfp) USERMM_API(__xa_alloc_cyclic);
void __xa_set_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
	USERMM_API(__xa_set_mark);
void __xa_clear_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
	USERMM_API(__xa_clear_mark);
bool xa_get_mark(struct xarray *xa, unsigned long index, xa_mark_t mark) USERMM_API(xa_get_mark);
bool xa_marked(const struct xarray *xa, xa_mark_t mark) USERMM_API(xa_marked);
/* The first entry from *index to max; with a mark as filter, the first that has the mark. */
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max, xa_mark_t filter)
	USERMM_API(xa_find);
void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max, xa_mark_t filter)
	USERMM_API(xa_find_after);
unsigned int xa_extract(struct xarray *xa, void **to, unsigned long start, unsigned long max,
			unsigned int n, xa_mark_t filter) USERMM_API(xa_extract);
/* Removes all entries. The caller frees what they point to. */
void xa_destroy(struct xarray *xa) USERMM_API(xa_destroy);

/* For idr.h and radix-tree.h: the entry's slot, or NULL. The caller holds the lock. */
void **usermm_xa_slot(struct xarray *xa, unsigned long index)
	__attribute__((visibility("default")));

USERMM_END_DECLS

/* The same functions with the lock taken, in three forms of the lock. */
#define USERMM_XA_LOCKED(suffix, lock, unlock)				\
	static inline void *xa_store##suffix(struct xarray *xa, unsigned long index, \
					     void *entry, gfp_t gfp)	\
	{								\
		void *old;						\
									\
		lock(&xa->xa_lock);					\
		old = __xa_store(xa, index, entry, gfp);		\
		unlock(&xa->xa_lock);					\
		return old;						\
	}								\
	static inline void *xa_erase##suffix(struct xarray *xa, unsigned long index) \
	{								\
		void *old;						\
									\
		lock(&xa->xa_lock);					\
		old = __xa_erase(xa, index);				\
		unlock(&xa->xa_lock);					\
		return old;						\
	}								\
	static inline void *xa_cmpxchg##suffix(struct xarray *xa, unsigned long index, \
					       void *old, void *entry, gfp_t gfp) \
	{								\
		lock(&xa->xa_lock);					\
		old = __xa_cmpxchg(xa, index, old, entry, gfp);		\
		unlock(&xa->xa_lock);					\
		return old;						\
	}								\
	static inline int xa_insert##suffix(struct xarray *xa, unsigned long index, \
					    void *entry, gfp_t gfp)	\
	{								\
		int error;						\
									\
		lock(&xa->xa_lock);					\
		error = __xa_insert(xa, index, entry, gfp);		\
		unlock(&xa->xa_lock);					\
		return error;						\
	}								\
	static inline int xa_alloc##suffix(struct xarray *xa, u32 *id, void *entry, \
					   struct xa_limit limit, gfp_t gfp) \
	{								\
		int error;						\
									\
		lock(&xa->xa_lock);					\
		error = __xa_alloc(xa, id, entry, limit, gfp);		\
		unlock(&xa->xa_lock);					\
		return error;						\
	}								\
	static inline int xa_alloc_cyclic##suffix(struct xarray *xa, u32 *id, void *entry, \
						  struct xa_limit limit, u32 *next, gfp_t gfp) \
	{								\
		int error;						\
									\
		lock(&xa->xa_lock);					\
		error = __xa_alloc_cyclic(xa, id, entry, limit, next, gfp); \
		unlock(&xa->xa_lock);					\
		return error;						\
	}								\
	static inline int xa_reserve##suffix(struct xarray *xa, unsigned long index, gfp_t gfp) \
	{								\
		return xa_err(xa_cmpxchg##suffix(xa, index, NULL, XA_ZERO_ENTRY, gfp)); \
	}

USERMM_XA_LOCKED(, spin_lock, spin_unlock)
USERMM_XA_LOCKED(_bh, spin_lock_bh, spin_unlock_bh)
USERMM_XA_LOCKED(_irq, spin_lock_irq, spin_unlock_irq)

static inline void xa_release(struct xarray *xa, unsigned long index)
{
	xa_cmpxchg(xa, index, XA_ZERO_ENTRY, NULL, 0);
}

static inline void xa_set_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	xa_lock(xa);
	__xa_set_mark(xa, index, mark);
	xa_unlock(xa);
}

static inline void xa_clear_mark(struct xarray *xa, unsigned long index, xa_mark_t mark)
{
	xa_lock(xa);
	__xa_clear_mark(xa, index, mark);
	xa_unlock(xa);
}

#define xa_for_each_range(xa, index, entry, start, last)		\
	for (index = start, entry = xa_find(xa, &index, last, XA_PRESENT); entry; \
	     entry = xa_find_after(xa, &index, last, XA_PRESENT))
#define xa_for_each_start(xa, index, entry, start) \
	xa_for_each_range(xa, index, entry, start, ULONG_MAX)
#define xa_for_each(xa, index, entry) xa_for_each_start(xa, index, entry, 0)
#define xa_for_each_marked(xa, index, entry, filter)			\
	for (index = 0, entry = xa_find(xa, &index, ULONG_MAX, filter); entry; \
	     entry = xa_find_after(xa, &index, ULONG_MAX, filter))

/* --- Iteration, part of the advanced interface -------------------------------------- */

struct xa_state {
	struct xarray *xa;
	unsigned long xa_index;
	bool found;		/* the entry at the index was returned already */
};

#define XA_STATE(name, array, index) struct xa_state name = { .xa = (array), .xa_index = (index) }
#define xas_lock(xas) xa_lock((xas)->xa)
#define xas_unlock(xas) xa_unlock((xas)->xa)

static inline void xas_set(struct xa_state *xas, unsigned long index)
{
	xas->xa_index = index;
	xas->found = false;
}

static inline void xas_reset(struct xa_state *xas)
{
	xas->found = false;
}

/* Call it before the lock or RCU is dropped: the iteration then continues behind the last entry. */
static inline void xas_pause(struct xa_state *xas)
{
	if (xas->found)
		xas_set(xas, xas->xa_index + 1);
}

static inline void *xas_load(struct xa_state *xas)
{
	xas->found = true;
	return xa_load(xas->xa, xas->xa_index);
}

/* The next entry with the mark; the first call includes the index itself. NULL at the end. */
static inline void *xas_find_marked(struct xa_state *xas, unsigned long max, xa_mark_t mark)
{
	bool found = xas->found;

	xas->found = true;
	return found ? xa_find_after(xas->xa, &xas->xa_index, max, mark) :
		       xa_find(xas->xa, &xas->xa_index, max, mark);
}

static inline void *xas_find(struct xa_state *xas, unsigned long max)
{
	return xas_find_marked(xas, max, XA_PRESENT);
}

/* Always false: readers never meet entries that are being moved. */
static inline bool xas_retry(struct xa_state *xas __maybe_unused,
			     const void *entry __maybe_unused)
{
	return false;
}

#define xas_next_entry(xas, max) xas_find(xas, max)
#define xas_for_each(xas, entry, max) \
	for (entry = xas_find(xas, max); entry; entry = xas_find(xas, max))
#define xas_for_each_marked(xas, entry, max, mark) \
	for (entry = xas_find_marked(xas, max, mark); entry; \
	     entry = xas_find_marked(xas, max, mark))

#endif
