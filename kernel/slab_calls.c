// SPDX-License-Identifier: MIT
/*
 * What include/kernel/linux/slab.h declares beyond usermm/slab.h. It sees the core's
 * caches, so it includes the core's headers and not linux/slab.h.
 *
 * SLAB_TYPESAFE_BY_RCU. Objects keep their content when they are freed, since links and
 * marks then lie behind the object. Slabs are kept until the cache is destroyed, which
 * waits for a grace period.
 */
#include <pthread.h>
#include <string.h>

#include "percpu/remote.h"
#include "slab/debug_object.h"
#include "slab/freelist.h"
#include "slab/kmalloc.h"

#define SLAB_FLAGS_PERMITTED (SLAB_HWCACHE_ALIGN | SLAB_PANIC | SLAB_NO_MERGE | SLAB_FAILSLAB | \
			      USERMM_SLAB_DEBUG_FLAGS | USERMM_SLAB_KERNEL_FLAGS)

struct kmem_cache *usermm_kernel_cache_create(const char *name, unsigned int size,
						 const struct kmem_cache_args *args,
						 slab_flags_t flags);
void usermm_kernel_cache_destroy(struct kmem_cache *cache);
int kmem_cache_shrink(struct kmem_cache *cache) USERMM_API(kmem_cache_shrink);
const char *kmem_cache_name(struct kmem_cache *cache) USERMM_API(kmem_cache_name);
bool kmem_dump_obj(void *object) USERMM_API(kmem_dump_obj);
int printk(const char *format, ...) USERMM_API(printk) __printf(1, 2);
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
	USERMM_API(kmem_cache_alloc_bulk);
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects)
	USERMM_API(kmem_cache_free_bulk);
void *usermm_kernel_cache_alloc_init(struct kmem_cache *cache, gfp_t gfp);
int usermm_kernel_cache_alloc_bulk_init(struct kmem_cache *cache, gfp_t gfp, size_t n,
				      void **objects);
void kfree_sensitive(const void *object) USERMM_API(kfree_sensitive);
void rcu_barrier(void) USERMM_API(rcu_barrier) __attribute__((weak));

struct kmem_cache *usermm_kernel_cache_create(const char *name, unsigned int size,
						 const struct kmem_cache_args *args,
						 slab_flags_t flags)
{
	static const struct kmem_cache_args no_args;
	struct slab_cache_request request = {
		.name = flags & ~SLAB_FLAGS_PERMITTED ? NULL : name,
		.size = size,
		.flags = flags,
		.may_merge = true,
	};

	if (!args)
		args = &no_args;
	request.align = args->align;
	request.ctor = args->ctor;
	request.freeptr_offset = args->freeptr_offset;
	request.use_freeptr_offset = args->use_freeptr_offset;
	/* cf. Linux __kmem_cache_create_args(): a window that does not fit is none. */
	if (args->usersize <= size && args->useroffset <= size - args->usersize &&
	    args->usersize) {
		request.useroffset = args->useroffset;
		request.usersize = args->usersize;
	}
	return slab_cache_create(&request);
}

void usermm_kernel_cache_destroy(struct kmem_cache *cache)
{
	/* Objects on their way back by kfree_rcu(), readers of freed ones. */
	if (cache && rcu_barrier)
		rcu_barrier();
	kmem_cache_destroy(cache);
}

/* One CPU's objects; the caller is the only one who stops sheaves. */
static void drain_slot(struct kmem_cache *cache, unsigned int slot)
{
	struct percpu_stopped_array stopped;
	void *objects[SHEAF_OBJECTS_MAX];
	unsigned int nr;

	if (cache->own_freelist) {
		slab_freelist_flush(cache, slot);
		return;
	}
	if (percpu_stop_array(cache->own_sheaf, slot, &stopped))
		return;
	nr = stopped.count;
	for (unsigned int i = 0; i < nr; i++)
		objects[i] = percpu_stopped_item(&stopped, i);
	stopped.count = 0;
	percpu_start_array(&stopped);
	if (nr)
		slab_return_objects(cache, objects, nr);
}

static bool slab_has_objects(struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	return usage.inuse != 0;
}

int kmem_cache_shrink(struct kmem_cache *cache)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *objects[SHEAF_OBJECTS_MAX];
	unsigned int nr;

	/* Where other CPUs cannot be stopped, this one's objects are all there is. */
	while ((nr = percpu_pop_n(cache->own_sheaf, objects, SHEAF_OBJECTS_MAX)))
		slab_return_objects(cache, objects, nr);
	slab_barns_empty(cache);
	pthread_mutex_lock(&lock);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		/* A glance, so that idle CPUs cost nothing. */
		if (cache->own_freelist || atomic_load_relaxed(&sheaf->count))
			drain_slot(cache, slot);
	}
	pthread_mutex_unlock(&lock);
	if (cache->flags & SLAB_TYPESAFE_BY_RCU)	/* readers may be in any slab */
		return slab_has_objects(cache);
	return slab_free_empty(cache) != 0;
}

const char *kmem_cache_name(struct kmem_cache *cache)
{
	return cache->name;
}

/* KERN_CONT: the caller has begun the line. */
#define CONTINUED "\001c"

/*
 * cf. Linux kmem_dump_obj(): what debugging puts in front of an object is counted as
 * part of it, but not by the pointer's offset.
 */
static void dump_object(const struct kmem_cache *cache, const char *pointer)
{
	const struct page *slab = slab_of(cache, pointer);
	const char *object = slab_object(cache, slab, slab_index(cache, slab, pointer));
	const void *caller = NULL;

	printk(CONTINUED " slab %s start %px", cache->name, object - cache->red_left_pad);
	if (cache->red_left_pad)
		printk(CONTINUED " data offset %u", cache->red_left_pad);
	printk(CONTINUED " pointer offset %lu size %u", (unsigned long)(pointer - object),
	       cache->object_size);
	if (cache->flags & SLAB_STORE_USER)
		caller = object_track(cache, object, TRACK_ALLOC)->caller;
	if (caller)
		printk(CONTINUED " allocated at %pS", caller);
	printk(CONTINUED "\n");
}

bool kmem_dump_obj(void *object)
{
	const struct kmem_cache *cache = NULL;

	if (virt_addr_valid(object))
		cache = atomic_load_relaxed(&virt_to_page(object)->slab_cache);
	if (cache)
		dump_object(cache, object);
	return cache != NULL;
}

static int alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
{
	for (size_t i = 0; i < n; i++) {
		objects[i] = kmem_cache_alloc(cache, gfp);
		if (!objects[i]) {
			kmem_cache_free_bulk(cache, i, objects);
			return 0;
		}
	}
	return (int)n;
}

int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
{
	return alloc_bulk(cache, gfp, n, objects);
}

void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects)
{
	for (size_t i = 0; i < n; i++) {
		if (cache)
			kmem_cache_free(cache, objects[i]);
		else
			kfree(objects[i]);
	}
}

/* cf. Linux slab_want_init_on_alloc(): state that has to stay is left alone. */
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
	return alloc_bulk(cache, init_on_alloc(cache, gfp), n, objects);
}

void kfree_sensitive(const void *object)
{
	if (!ZERO_OR_NULL_PTR(object)) {
		memset((void *)object, 0, ksize(object));
		/* The compiler may not leave out stores to what is freed. */
		__asm__ __volatile__("" : : "r"(object) : "memory");
	}
	kfree(object);
}

/* Linux's table: 96 and 192 bytes first, then the powers of two at their logarithms. */
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
