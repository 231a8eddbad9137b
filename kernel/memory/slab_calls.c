// SPDX-License-Identifier: MIT
/*
 * Functions of include/kernel/linux/slab.h that usermm/slab.h does not have. The file uses the
 * core's caches, so it includes the core's headers and not linux/slab.h.
 *
 * SLAB_TYPESAFE_BY_RCU: a freed object keeps its content, since the link and the mark lie behind
 * the object. Empty slabs go back after a grace period.
 */
#include <string.h>

#include "module/module_run.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/slab_fast.h"

#define SLAB_FLAGS_PERMITTED (SLAB_HWCACHE_ALIGN | SLAB_PANIC | SLAB_NO_MERGE | SLAB_FAILSLAB | \
			      USERMM_SLAB_DEBUG_FLAGS | USERMM_SLAB_KERNEL_FLAGS)

struct kmem_cache *usermm_kernel_cache_create(const char *name, unsigned int size,
						 const struct kmem_cache_args *args,
						 slab_flags_t flags);
void usermm_kernel_cache_destroy(struct kmem_cache *cache);
const char *kmem_cache_name(struct kmem_cache *cache) USERMM_API(kmem_cache_name);
void *usermm_kernel_cache_alloc_init(struct kmem_cache *cache, gfp_t gfp);
int usermm_kernel_cache_alloc_bulk_init(struct kmem_cache *cache, gfp_t gfp, size_t n,
				      void **objects);
void *usermm_kernel_alloc_from_sheaf_init(struct kmem_cache *cache, gfp_t gfp,
					  struct slab_sheaf *sheaf);
void rcu_barrier(void) USERMM_API(rcu_barrier) __attribute__((weak));
void call_rcu(void *head, void (*function)(void *head)) USERMM_API(call_rcu)
	__attribute__((weak));

void usermm_rcu_start(void) __attribute__((weak));
bool usermm_kfree_rcu_has(const void *object, size_t bytes) __attribute__((weak));

/* The hooks stay NULL in a program that does not use RCU: the functions are weak. */
static __attribute__((__constructor__)) void set_rcu_hooks(void)
{
	slab_rcu_hooks.call = call_rcu;
	slab_rcu_hooks.barrier = rcu_barrier;
	slab_rcu_hooks.has = usermm_kfree_rcu_has;
}

static bool name_exists(const char *name)
{
	struct kmem_cache *cache;
	bool exists = false;

	if (slab_init() || !lock_acquire_unless_handler(&slab_caches_lock))
		return false;
	list_for_each_entry(cache, &slab_caches, caches)
		exists |= !strcmp(cache->name, name);
	lock_release(&slab_caches_lock);
	return exists;
}

/* cf. Linux kmem_cache_sanity_check(), as with CONFIG_DEBUG_VM. */
static void check_name(const char *name)
{
	if (name_exists(name))
		slab_warn("kmem_cache of name '%s' already exists", name);
	if (strchr(name, ' '))
		slab_warn("WARNING: kmem_cache of name '%s': readers of slabinfo stop at spaces",
			  name);
}

/*
 * Sets the part of an object that may be copied to user space. A part that does not fit is reported
 * and ignored. cf. Linux __kmem_cache_create_args()
 */
static void set_window(struct slab_cache_request *request, const struct kmem_cache_args *args)
{
	if (args->usersize && args->usersize <= request->size &&
	    args->useroffset <= request->size - args->usersize) {
		request->useroffset = args->useroffset;
		request->usersize = args->usersize;
	} else if (args->usersize || args->useroffset) {
		slab_warn("WARNING: kmem_cache of name '%s': %u bytes from %u on are no part of an "
			  "object", request->name ? request->name : "(null)", args->usersize,
			  args->useroffset);
	}
}

struct kmem_cache *usermm_kernel_cache_create(const char *name, unsigned int size,
						 const struct kmem_cache_args *args,
						 slab_flags_t flags)
{
	static const struct kmem_cache_args no_args;
	struct slab_cache_request request = {
		.name = name,
		.size = size,
		.flags = flags,
		.in_interrupt = is_in_interrupt(),
		.is_refused = flags & ~SLAB_FLAGS_PERMITTED,
	};
	struct kmem_cache *cache;

	if ((flags & SLAB_TYPESAFE_BY_RCU) && usermm_rcu_start)
		usermm_rcu_start();
	if (name && !request.in_interrupt && size <= KMALLOC_MAX_SIZE)
		check_name(name);
	if (!args)
		args = &no_args;
	request.align = args->align;
	request.ctor = args->ctor;
	request.sheaf_capacity = args->sheaf_capacity;
	request.may_merge = !args->sheaf_capacity;
	request.freeptr_offset = args->freeptr_offset;
	request.use_freeptr_offset = args->use_freeptr_offset;
	set_window(&request, args);
	cache = slab_cache_create(&request);
	if (cache && strcmp(cache->name, name))
		module_leaks_note_merged(cache, name);
	return cache;
}

void usermm_kernel_cache_destroy(struct kmem_cache *cache)
{
	/* Wait for objects that kfree_rcu() will free, and for readers of freed objects. */
	if (cache && rcu_barrier)
		rcu_barrier();
	kmem_cache_destroy(cache);
}

void usermm_kfree_rcu_check_mark(const void *object, const void *caller)
{
	const struct kmem_cache *cache = cache_of(object);

	if (cache && object_starts_at(cache, object) && is_marked_free(cache, object))
		slab_report_bad_free("kfree_rcu", object, caller);
}

/*
 * Is the mark outside of the object? Only then may it be written while the object waits: readers
 * may still read the whole object, and the rcu_head may lie anywhere in it.
 */
static bool mark_is_apart(const struct kmem_cache *cache)
{
	return cache->byte_marks || cache->mark_offset >= cache->object_size;
}

bool usermm_kfree_rcu_begin(void *object, bool waits, const void *caller)
{
	struct kmem_cache *cache = cache_of(object);

	if (cache && cache_is_debugged(cache))
		return slab_debug_check_later(cache, object, "kfree_rcu", caller);
	usermm_kfree_rcu_check_mark(object, caller);
	if (waits)
		slab_report_waiting("kfree_rcu", object, caller);
	if (cache && object_is_at(cache, object) && mark_is_apart(cache))
		slab_mark_waiting(cache, object);
	return true;
}

void usermm_kfree_rcu_end(void *object)
{
	struct kmem_cache *cache = cache_of(object);

	if (cache && object_is_at(cache, object) && is_marked_waiting(cache, object))
		slab_mark_in_use(cache, object);
}

unsigned long usermm_kfree_rcu_key(void)
{
	return slab_init() ? 0 : slab_mark_key ^ MARK_WAITING;
}

const char *kmem_cache_name(struct kmem_cache *cache)
{
	return cache->name;
}

/* Adds __GFP_ZERO, unless an object keeps its state. cf. Linux slab_want_init_on_alloc() */
static gfp_t init_on_alloc(const struct kmem_cache *cache, gfp_t gfp)
{
	return cache->ctor || (cache->flags & SLAB_TYPESAFE_BY_RCU) ? gfp : gfp | __GFP_ZERO;
}

void *usermm_kernel_cache_alloc_init(struct kmem_cache *cache, gfp_t gfp)
{
	return kmem_cache_alloc(cache, init_on_alloc(cache, gfp));
}

int usermm_kernel_cache_alloc_bulk_init(struct kmem_cache *cache, gfp_t gfp, size_t n,
				      void **objects)
{
	return kmem_cache_alloc_bulk(cache, init_on_alloc(cache, gfp), n, objects);
}

void *usermm_kernel_alloc_from_sheaf_init(struct kmem_cache *cache, gfp_t gfp,
					  struct slab_sheaf *sheaf)
{
	return kmem_cache_alloc_from_sheaf(cache, init_on_alloc(cache, gfp), sheaf);
}

/*
 * Linux's table: 96 and 192 bytes come first; a power of two stands at the index of its logarithm.
 */
#define INDICES 14
extern struct kmem_cache *const usermm_kernel_kmalloc_caches[NR_KMALLOC_TYPES][INDICES]
	USERMM_API(kmalloc_caches);
#define CLASS(kind, size_class) &kmalloc_caches[(kind) * KMALLOC_CLASSES + (size_class)]
#define KIND(kind)								\
	[kind] = {								\
		[1] = CLASS(kind, 4), CLASS(kind, 6), CLASS(kind, 0), CLASS(kind, 1),	\
		CLASS(kind, 2), CLASS(kind, 3), CLASS(kind, 5), CLASS(kind, 7),	\
		CLASS(kind, 8), CLASS(kind, 9), CLASS(kind, 10), CLASS(kind, 11),	\
		CLASS(kind, 12),						\
	}
struct kmem_cache *const usermm_kernel_kmalloc_caches[NR_KMALLOC_TYPES][INDICES] = {
	KIND(KMALLOC_NORMAL), KIND(KMALLOC_RECLAIM), KIND(KMALLOC_DMA), KIND(KMALLOC_CGROUP),
};
