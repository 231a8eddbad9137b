/* SPDX-License-Identifier: MIT */
/*
 * Trees of ranges of unsigned longs, which do not overlap; each has an entry, a pointer or
 * xa_mk_value(). mtree_*() lock by themselves, mas_*() are called under mas_lock(), or the lock
 * that the owner has instead. Reading works in any context, also under the lock.
 */
#ifndef _LINUX_MAPLE_TREE_H
#define _LINUX_MAPLE_TREE_H

#include <linux/kernel.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <usermm/compiler.h>

#define MT_FLAGS_ALLOC_RANGE 0x01	/* mtree_alloc_*() may be used */
#define MT_FLAGS_USE_RCU 0x02		/* readers need no lock: true of every tree */
#define MT_FLAGS_LOCK_MASK 0x300
#define MT_FLAGS_LOCK_IRQ 0x100
#define MT_FLAGS_LOCK_BH 0x200
#define MT_FLAGS_LOCK_EXTERN 0x300
#define MAPLE_RESERVED_RANGE 4096

struct maple_tree {
	spinlock_t ma_lock;		/* of writers; the owner's may stand for it */
	unsigned int ma_flags;
	void *ma_root;			/* NULL: empty */
	spinlock_t usermm_lock;		/* of the nodes, for single steps */
	struct rb_root usermm_ranges;	/* Sync: usermm_lock */
};

#define MTREE_INIT(name, flags) {						\
	.ma_lock = __SPIN_LOCK_UNLOCKED((name).ma_lock), .ma_flags = (flags),	\
	.usermm_lock = __SPIN_LOCK_UNLOCKED((name).usermm_lock),		\
}
#define MTREE_INIT_EXT(name, flags, lock) MTREE_INIT(name, (flags) | MT_FLAGS_LOCK_EXTERN)
#define DEFINE_MTREE(name) struct maple_tree name = MTREE_INIT(name, 0)
#define mtree_lock(mt) spin_lock(&(mt)->ma_lock)
#define mtree_unlock(mt) spin_unlock(&(mt)->ma_lock)
#define mtree_lock_nested(mt, subclass) spin_lock_nested(&(mt)->ma_lock, subclass)

enum maple_status {
	ma_active, ma_start, ma_root, ma_none, ma_pause, ma_overflow, ma_underflow, ma_error,
};

struct usermm_range;

/* A place in a tree: a range, and how it was reached. */
struct ma_state {
	struct maple_tree *tree;
	unsigned long index, last;
	enum maple_status status;
	int usermm_error;		/* of ma_error */
	struct usermm_range *usermm_spare[2];
};

#define MA_STATE(name, mt, first, end)						\
	struct ma_state name = {						\
		.tree = (mt), .index = (first), .last = (end), .status = ma_start, \
	}
#define mas_lock(mas) mtree_lock((mas)->tree)
#define mas_unlock(mas) mtree_unlock((mas)->tree)

static inline void mt_init_flags(struct maple_tree *mt, unsigned int flags)
{
	*mt = (struct maple_tree){ .ma_flags = flags };
	spin_lock_init(&mt->ma_lock);
	spin_lock_init(&mt->usermm_lock);
}

#define mt_init(mt) mt_init_flags(mt, 0)
#define mt_set_external_lock(mt, lock) ((void)(mt), (void)(lock))
#define mt_on_stack(mt) ((void)(mt))
#define mt_set_in_rcu(mt) ((void)((mt)->ma_flags |= MT_FLAGS_USE_RCU))
#define mt_clear_in_rcu(mt) ((void)((mt)->ma_flags &= ~(unsigned int)MT_FLAGS_USE_RCU))
#define mt_in_rcu(mt) (!!((mt)->ma_flags & MT_FLAGS_USE_RCU))
#define mt_external_lock(mt) (((mt)->ma_flags & MT_FLAGS_LOCK_MASK) == MT_FLAGS_LOCK_EXTERN)
#define mtree_empty(mt) (!READ_ONCE((mt)->ma_root))

USERMM_BEGIN_DECLS

/* The entry at index, or NULL. */
void *mtree_load(struct maple_tree *mt, unsigned long index)
	USERMM_API(mtree_load);
/* Stores over whatever is there; NULL erases. 0, -ENOMEM, -EINVAL for a range that ends early. */
int mtree_store_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		      gfp_t gfp)
	USERMM_API(mtree_store_range);
/* As above, but -EEXIST if the range has an entry. */
int mtree_insert_range(struct maple_tree *mt, unsigned long first, unsigned long last, void *entry,
		       gfp_t gfp)
	USERMM_API(mtree_insert_range);
/* Erases the whole range that index is in: its entry, or NULL. */
void *mtree_erase(struct maple_tree *mt, unsigned long index)
	USERMM_API(mtree_erase);
/*
 * Stores at the lowest (rrange: highest) place of size free indices from min to max, and tells its
 * first index. 0, -EBUSY, -ENOMEM, -EINVAL.
 */
int mtree_alloc_range(struct maple_tree *mt, unsigned long *startp, void *entry,
		      unsigned long size, unsigned long min, unsigned long max, gfp_t gfp)
	USERMM_API(mtree_alloc_range);
int mtree_alloc_rrange(struct maple_tree *mt, unsigned long *startp, void *entry,
		       unsigned long size, unsigned long min, unsigned long max, gfp_t gfp)
	USERMM_API(mtree_alloc_rrange);
/* The first free index from *next on, then from the lowest on, which gives 1. Moves *next. */
int mtree_alloc_cyclic(struct maple_tree *mt, unsigned long *startp, void *entry,
		       unsigned long range_lo, unsigned long range_hi, unsigned long *next,
		       gfp_t gfp)
	USERMM_API(mtree_alloc_cyclic);
/* Forgets all entries. __mt_destroy() is called under the lock. */
void mtree_destroy(struct maple_tree *mt)
	USERMM_API(mtree_destroy);
void __mt_destroy(struct maple_tree *mt)
	USERMM_API(__mt_destroy);

/* The first entry from *index to max, behind which *index moves. */
void *mt_find(struct maple_tree *mt, unsigned long *index, unsigned long max)
	USERMM_API(mt_find);
/* The first entry that begins behind index, up to max; the last one that ends before it. */
void *mt_next(struct maple_tree *mt, unsigned long index, unsigned long max)
	USERMM_API(mt_next);
void *mt_prev(struct maple_tree *mt, unsigned long index, unsigned long min)
	USERMM_API(mt_prev);

/* The entry at mas->index. The state gets its range, or that of the gap. */
void *mas_walk(struct ma_state *mas)
	USERMM_API(mas_walk);
/* The entry at the state's index, or the next one; later calls go on. NULL behind max. */
void *mas_find(struct ma_state *mas, unsigned long max)
	USERMM_API(mas_find);
/* The same downwards, to min. */
void *mas_find_rev(struct ma_state *mas, unsigned long min)
	USERMM_API(mas_find_rev);
void *mas_next(struct ma_state *mas, unsigned long max)
	USERMM_API(mas_next);
void *mas_prev(struct ma_state *mas, unsigned long min)
	USERMM_API(mas_prev);
/* Stores from index to last: what was at index. On an error the state has it: mas_nomem(). */
void *mas_store(struct ma_state *mas, void *entry)
	USERMM_API(mas_store);
/* The same with memory by gfp, for which it may leave the lock: 0 or -ENOMEM. */
int mas_store_gfp(struct ma_state *mas, void *entry, gfp_t gfp)
	USERMM_API(mas_store_gfp);
/* Did the last call lack memory, and is there some now? Then it is to be repeated. */
bool mas_nomem(struct ma_state *mas, gfp_t gfp)
	USERMM_API(mas_nomem);
/* Memory for the next store: 0 or -ENOMEM. mas_destroy() frees it if there is none. */
int usermm_mas_preallocate(struct ma_state *mas, gfp_t gfp)
	USERMM_API(mas_preallocate);
void mas_destroy(struct ma_state *mas)
	USERMM_API(mas_destroy);
void *mas_erase(struct ma_state *mas)
	USERMM_API(mas_erase);
/* Puts the state at the lowest (rev: highest) gap of size from min to max: 0, -EBUSY, -EINVAL. */
int mas_empty_area(struct ma_state *mas, unsigned long min, unsigned long max, unsigned long size)
	USERMM_API(mas_empty_area);
int mas_empty_area_rev(struct ma_state *mas, unsigned long min, unsigned long max,
		       unsigned long size)
	USERMM_API(mas_empty_area_rev);

USERMM_END_DECLS

#define mas_preallocate(mas, entry, gfp) ((void)(entry), usermm_mas_preallocate(mas, gfp))

static inline int mtree_store(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp)
{
	return mtree_store_range(mt, index, index, entry, gfp);
}

static inline int mtree_insert(struct maple_tree *mt, unsigned long index, void *entry, gfp_t gfp)
{
	return mtree_insert_range(mt, index, index, entry, gfp);
}

static inline void *mt_find_after(struct maple_tree *mt, unsigned long *index, unsigned long max)
{
	return *index ? mt_find(mt, index, max) : NULL;
}

static inline void mas_init(struct ma_state *mas, struct maple_tree *tree, unsigned long addr)
{
	*mas = (struct ma_state){
		.tree = tree, .index = addr, .last = addr, .status = ma_start,
	};
}

static inline void mas_store_prealloc(struct ma_state *mas, void *entry)
{
	(void)mas_store(mas, entry);
}

static inline void mas_reset(struct ma_state *mas)
{
	mas->status = ma_start;
}

static inline void mas_pause(struct ma_state *mas)
{
	mas->status = ma_pause;
}

static inline void mas_set_range(struct ma_state *mas, unsigned long start, unsigned long last)
{
	mas_reset(mas);
	mas->index = start;
	mas->last = last;
}

static inline void mas_set(struct ma_state *mas, unsigned long index)
{
	mas_set_range(mas, index, index);
}

static inline bool mas_is_active(const struct ma_state *mas)
{
	return mas->status == ma_active;
}

static inline bool mas_is_err(const struct ma_state *mas)
{
	return mas->status == ma_error;
}

#define mas_for_each(mas, entry, max) while (((entry) = mas_find(mas, max)))
#define mas_for_each_rev(mas, entry, min) while (((entry) = mas_find_rev(mas, min)))
#define mt_for_each(tree, entry, index, max)					\
	for (entry = mt_find(tree, &(index), max); entry;			\
	     entry = mt_find_after(tree, &(index), max))

#endif
