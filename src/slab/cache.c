/* SPDX-License-Identifier: MIT */
/* Making caches. destroy/ is the other end of their lives. */
#include <errno.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "base/text.h"
#include "os/once.h"
#include "os/os.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/clearing.h"
#include "slab/cpu_cache.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/debug/debug.h"
#include "slab/debug/report.h"
#include "slab/events.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/merge.h"
#include "slab/mixed/mixed.h"
#include "slab/mixed/mixed_source.h"
#include "slab/partial.h"
#include "slab/random.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/sheaf.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/shrink.h"

/* cf. Linux slub_max_order: larger slabs only for objects that need them. */
#define SLAB_MAX_ORDER PAGE_ALLOC_COSTLY_ORDER
/* Objects of more than two pages may use slabs of up to this order. */
#define SLAB_MAX_ORDER_LARGE 5
/*
 * Large slabs need at least this much memory. One object that stays keeps its whole slab from other
 * sizes, until the slab becomes a mixed one (mixed/mixed.h); one such slab of each of malloc's 72
 * sizes is a fortieth of this. With less memory, slabs are so small that mixed slabs would gain
 * little: a slab has few holes for other sizes, and its map takes an eighth as much as the slab.
 */
#define LARGE_SLABS_MEMORY_MIN (96 * MIB)
/* A cache keeps empty slabs of at most KEPT_BYTES_MAX, or one slab. */
#define KEPT_BYTES_MAX (128 * KIB)

struct lock slab_caches_lock;
struct list_head slab_caches = LIST_HEAD_INIT(slab_caches);
size_t slab_kept_sheaf_limit __read_mostly __off_mark;

static struct once slab_base_once __read_mostly, slab_once __read_mostly;
static struct kmem_cache cache_of_caches __eager_bss;
/* Memory for the nodes of caches behind the first node, on a machine with several nodes. */
static struct kmem_cache cache_of_nodes __large_bss;
static struct kmem_cache_node nodes_of_cache_of_nodes[MAX_NUMNODES - 1] __large_bss;

static int bring_up_base(void)
{
	if (page_init())
		return -1;
	slab_mark_key = os_random() & ~MARK_LISTED;
	slab_hardened_init();
	slab_random_init();
	slab_debug_init();
	slab_cpu_cache_init();
	slab_failslab_init();
	slab_kfence_init();
	barn_budget_init();
	slab_shrink_init();
	slab_mixed_init();
	lock_init(&slab_caches_lock, RANK_CACHES);
	lock_acquire(&slab_caches_lock);
	if (nr_online_nodes > 1)
		slab_cache_setup(&cache_of_nodes, "kmem_cache_node",
				 (nr_online_nodes - 1) * sizeof(struct kmem_cache_node),
				 CACHE_LINE_BYTES, 0, NULL);
	slab_cache_setup(&cache_of_caches, "kmem_cache", sizeof(struct kmem_cache),
			 CACHE_LINE_BYTES, 0, NULL);
	lock_release(&slab_caches_lock);
	if (percpu_has_sequences())
		atomic_store_relaxed(&slab_kept_sheaf_limit, KMALLOC_SMALL_BYTES + 1);
	slab_shrink_begin();
	return 0;
}

int slab_base_init(void)
{
	return once_run(&slab_base_once, bring_up_base) ? 0 : -1;
}

static int bring_up(void)
{
	if (slab_base_init())
		return -1;
	lock_acquire(&slab_caches_lock);
	kmalloc_setup();
	lock_release(&slab_caches_lock);
	return 0;
}

int slab_init(void)
{
	return once_run(&slab_once, bring_up) ? 0 : -1;
}

bool slab_is_up(void)
{
	return once_done(&slab_base_once);
}

bool slab_is_cache_of_caches(const struct kmem_cache *cache)
{
	return cache == &cache_of_caches;
}

static unsigned int objects_in(unsigned int order, unsigned int size)
{
	return (unsigned int)min((PAGE_SIZE << order) / size, (unsigned long)SLAB_OBJECTS_MAX);
}

/*
 * The order of the smallest slab, of at least min_order, that holds enough objects and wastes at
 * most 1/16 of itself. If there is none, 1/8 may be wasted, and so on; if there is still none, the
 * slab may hold fewer objects. cf. Linux mm/slub.c: calculate_order(), slub_min_order.
 */
static unsigned int slab_order(unsigned int size, unsigned int min_order)
{
	unsigned int max_order = size > 2 * PAGE_SIZE ? SLAB_MAX_ORDER_LARGE : SLAB_MAX_ORDER;
	unsigned int min_objects = 4 * (ilog2(percpu_nr_cpus()) + 2);

	min_objects = min(min_objects, max(objects_in(max_order, size), 1u));
	for (unsigned int fraction = 16; fraction > 1; fraction /= 2)
		for (unsigned int order = min_order; order <= max_order; order++) {
			unsigned long bytes = PAGE_SIZE << order;

			if (objects_in(order, size) >= min_objects &&
			    bytes % size <= bytes / fraction)
				return order;
		}
	return (unsigned int)get_order(size);
}

unsigned int slab_effective_align(unsigned int size, unsigned int align, slab_flags_t flags)
{
	if (flags & SLAB_HWCACHE_ALIGN) {
		unsigned int line = CACHE_LINE_BYTES;

		while (size <= line / 2)
			line /= 2;
		align = max(align, line);
	}
	return max(align, (unsigned int)ARCH_KMALLOC_MINALIGN);
}

/* Must a free object keep its content, so that the allocator writes nothing into it? */
static bool keeps_content(const struct kmem_cache *cache)
{
	return cache->ctor || (cache->flags & SLAB_TYPESAFE_BY_RCU);
}

/* The largest size of small objects: see free_mark.h. */
static unsigned int small_bytes(const struct kmem_cache *cache)
{
	bool is_class = (cache->flags & SLAB_KMALLOC) || cache->owner != cache;

	return is_class ? KMALLOC_SMALL_BYTES : SLAB_SMALL_BYTES;
}

/* Lays out an object without debugging: link and mark lie in the free object, or behind it. */
static void lay_out_plain(struct kmem_cache *cache, const struct slab_cache_request *request)
{
	unsigned int size = ALIGN(cache->object_size, 8u);

	cache->inuse = size;
	cache->red_left_pad = 0;
	cache->byte_marks = size > small_bytes(cache) && !cache->is_hardened;
	if (cache->is_hardened) {	/* in the last two words; the mark has the seal's place */
		cache->offset = size - 16;
		cache->mark_offset = size - 8;
	} else if (!keeps_content(cache)) {
		cache->offset = 0;
		cache->mark_offset = SLAB_MARK_OFFSET;
		size = max(size, 16u);	/* room for both in the smallest object */
	} else {
		/* Behind the object, unless the request says where. */
		cache->offset = slab_places_link(cache, request) ? request->freeptr_offset : size;
		cache->mark_offset = size + 8;
		size += cache->byte_marks ? 8 : 16;
	}
	cache->size = ALIGN(size, cache->align);
}

/* The bytes of an object that its user may use. cf. Linux slab_ksize() */
static unsigned int usable_bytes(const struct kmem_cache *cache)
{
	if (cache->flags & (SLAB_RED_ZONE | SLAB_POISON))
		return cache->object_size;
	if ((cache->flags & SLAB_STORE_USER) || keeps_content(cache))
		return cache->inuse;
	/* Less than cache->size for the smallest objects: the mark's bytes do not count. */
	return ALIGN(cache->inuse, cache->align);
}

static void lay_out_object(struct kmem_cache *cache, const struct slab_cache_request *request)
{
	if (cache_is_debugged(cache))
		slab_debug_lay_out(cache, request);
	else
		lay_out_plain(cache, request);
	if (slab_debug_keeps_order() && (cache->flags & SLAB_DEBUG_METADATA) &&
	    get_order(cache->size) > get_order(cache->object_size)) {
		cache->flags &= ~SLAB_DEBUG_METADATA;
		lay_out_object(cache, request);
		return;
	}
	cache->link_offset = cache->offset;
	cache->fast_object_size = cache->object_size;
	cache->usable_bytes = usable_bytes(cache);
}

/* The flags of a cache's requests for pages: the zone, and whether the pages are reclaimable. */
static gfp_t slab_gfp(slab_flags_t flags)
{
	gfp_t gfp = 0;

	if (flags & SLAB_CACHE_DMA)
		gfp |= GFP_DMA;
	if (flags & SLAB_CACHE_DMA32)
		gfp |= GFP_DMA32;
	if (flags & SLAB_RECLAIM_ACCOUNT)
		gfp |= __GFP_RECLAIMABLE;
	return gfp;
}

/*
 * Fills in what the request says, before the cache has memory. The cache must be zeroed already:
 * kmalloc's caches may be in use by others, so nobody may clear them here.
 */
static void describe(struct kmem_cache *cache, const struct slab_cache_request *request)
{
	cache->name = request->name;
	cache->flags = slab_debug_flags(request->name, request->flags);
	cache->object_size = request->size;
	cache->ctor = request->ctor;
	cache->useroffset = request->useroffset;
	cache->usersize = request->usersize;
	cache->allocflags = slab_gfp(cache->flags);
	cache->sheaf_capacity = cache_is_debugged(cache) ? 0 : request->sheaf_capacity;
	cache->align = slab_effective_align(request->size, request->align, cache->flags);
	cache->is_hardened = request->hardened && !cache_is_debugged(cache);
	/* A random order opens a whole slab at once, so large slabs would touch much memory. */
	cache->large_slabs = request->large_slabs && !cache_is_debugged(cache) &&
			     !options.slab_freelist_random &&
			     nodes_managed_pages() >= LARGE_SLABS_MEMORY_MIN >> PAGE_SHIFT;
	cache->may_mix = request->may_mix;
	cache->caller_guards = request->caller_guards;
	cache->owner = request->owner ? request->owner : cache;
	lay_out_object(cache, request);
}

static void lay_out_slabs(struct kmem_cache *cache)
{
	cache->order = (uint16_t)slab_order(cache->size, cache->large_slabs ? SLAB_MAX_ORDER : 0);
	cache->objects = (uint16_t)objects_in(cache->order, cache->size);
	cache->list_mask = (PAGE_SIZE << cache->order) - 1;
	atomic_store_relaxed(&cache->sheaf_and_mask, cache->list_mask);
	cache->min_order = (uint16_t)slab_small_order(cache);
	/* With debugging both limits stay 0, so the fast path takes no address for an object. */
	if (cache_is_debugged(cache))
		return;
	/* 2^64 / size + 1. The dividend is 2^64 - size, which fits; so the quotient lacks 1. */
	cache->divisor = -(unsigned long)cache->size / cache->size + 1 + 1;
	cache->objects_limit = cache->objects * (cache->divisor * cache->size);
	if (cache->is_hardened)
		return;
	cache->start_limit = cache->objects_limit;
	if (cache->byte_marks)
		cache->large_limit = cache->start_limit;
	else if (cache->mark_offset == SLAB_MARK_OFFSET)
		cache->small_limit = cache->start_limit;
}

static unsigned long slabs_kept(const struct kmem_cache *cache)
{
	/*
	 * cf. Linux set_min_partial(). If slabs are large, Linux's number would hold too much
	 * memory.
	 */
	unsigned long linux_nr = clamp(ilog2(cache->size) / 2, 5u, 10u);

	if (cache_keeps_slabs(cache))
		return ~0UL;
	if (cache_is_debugged(cache))
		return linux_nr;
	return clamp(KEPT_BYTES_MAX >> (PAGE_SHIFT + cache->order), 1UL, linux_nr);
}

/*
 * Makes the nodes behind the first. NULL on a machine with one node, and without memory: then the
 * first node has all slabs.
 */
static struct kmem_cache_node *alloc_more_nodes(struct kmem_cache *cache)
{
	if (nr_online_nodes == 1 || cache_is_debugged(cache))
		return NULL;
	if (cache == &cache_of_nodes)
		return nodes_of_cache_of_nodes;
	return kmem_cache_zalloc(&cache_of_nodes, GFP_KERNEL | __GFP_NOWARN);
}

/* The caller holds slab_caches_lock. */
static void init_nodes(struct kmem_cache *cache)
{
	struct kmem_cache_node *more = alloc_more_nodes(cache);

	slab_node_init(cache, &cache->first_node);
	for (unsigned int i = 0; more && i < nr_online_nodes - 1; i++)
		slab_node_init(cache, &more[i]);
	cache->more_nodes = more;
}

void slab_nodes_destroy_locked(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	slab_barns_destroy(cache);
	for_each_kmem_cache_node(cache, node)
		lock_destroy(&node->lock);
	if (cache->more_nodes)
		kmem_cache_free(&cache_of_nodes, cache->more_nodes);
	cache->more_nodes = NULL;
}

static void free_checked(void *object, struct kmem_cache *cache, const void *caller)
{
	slab_free_checked(cache, object, "free", caller);
}

/* Caches with debugging flags have sheaf_ops and no sheaf. */
static const struct cpu_cache_ops *cpu_ops_of(const struct kmem_cache *cache)
{
	bool has_cpu_slab = !cache_is_debugged(cache) && slab_cpu_cache_is_slab(cache->name);

	return has_cpu_slab ? &cpu_slab_ops : &sheaf_ops;
}

/* Makes a cache ready that describe() has filled in. The caller holds slab_caches_lock. */
static void set_up(struct kmem_cache *cache)
{
	lay_out_slabs(cache);
	cache->min_partial = slabs_kept(cache);
	init_nodes(cache);
	slab_random_setup(cache);
	slab_clearing_setup(cache);
	cache->fast_usable_bytes = slab_clears_what_krealloc_leaves() ? 0 : cache->usable_bytes;
	cache->free_checked = free_checked;
	cache->sheaf_room_max = sheaf_size_max(cache);
	cache->remote_node_defrag_ratio = REMOTE_NODE_DEFRAG_RATIO_DEFAULT;
	cache->cpu_ops = cpu_ops_of(cache);
	list_add_tail(&cache->caches, &slab_caches);
	cache->cpu_ops->set_up(cache);
	if (cache->is_hardened)
		slab_hardened_setup(cache);
	mixed_source_join(cache);
	cache->counts = options.slab_stats || cache_is_debugged(cache);
	/* pairs with slab_cache_is_up(): slow paths may use the cache */
	atomic_store_release(&cache->is_up, true);
	if (slab_failslab_is_armed() || slab_clears(cache) || cache->counts || cache->is_hardened ||
	    (options.kfence_sample && !(cache->caller_guards && cache->own_sheaf)))
		return;		/* nothing is shown to the fast paths */
	/*
	 * Last, since others may meet kmalloc's caches while they are made. The release in
	 * cache_show_sheaf() or cpu_slab_show() pairs with kmalloc_fast() or cpu_slab_pop_fast():
	 * the rest of the cache.
	 */
	cache->cpu_ops->show(cache, true);
}

/* The caller holds slab_caches_lock. */
void slab_cache_setup_requested(struct kmem_cache *cache,
				const struct slab_cache_request *request)
{
	describe(cache, request);
	fmt_format(cache->name_buffer, sizeof(cache->name_buffer), "%s", request->name);
	cache->name = cache->name_buffer;
	cache->is_static = true;
	cache->refcount = -1;
	set_up(cache);
}

/* The caller holds slab_caches_lock. */
void slab_cache_setup(struct kmem_cache *cache, const char *name, unsigned int size,
		      unsigned int align, slab_flags_t flags, void (*ctor)(void *))
{
	const struct slab_cache_request request = {
		.name = name, .size = size, .align = align, .flags = flags, .ctor = ctor,
	};

	slab_cache_setup_requested(cache, &request);
}

/*
 * cf. Linux kmem_cache_sanity_check(), as with CONFIG_DEBUG_VM. Linux names a directory after the
 * cache, so up to 7.2 an empty name is refused; since 7.3 the directory may be missing.
 */
static bool request_is_sane(const struct slab_cache_request *request)
{
	if (!request->name || request->in_interrupt || request->size > KMALLOC_MAX_SIZE) {
		slab_say("kmem_cache_create(%s) integrity check failed",
			 request->name ? request->name : "(null)");
		return false;
	}
	return !request->is_refused && (*request->name || linux_since(7, 3));
}

/* cf. Linux create_cache(). Since 7.1 a constructor is reason enough. */
static bool may_place_link(const struct slab_cache_request *request)
{
	return (request->flags & SLAB_TYPESAFE_BY_RCU) || (request->ctor && linux_since(7, 1));
}

/* Can such a cache be made? */
static bool has_layout(const struct slab_cache_request *request)
{
	struct kmem_cache cache = { 0 };

	if (!request->size || request->align > KMALLOC_MAX_SIZE ||
	    (request->use_freeptr_offset &&
	     (request->freeptr_offset >= request->size || request->freeptr_offset % 8 ||
	      !may_place_link(request))))
		return false;
	describe(&cache, request);
	return cache.size <= KMALLOC_MAX_SIZE;
}

/* Copies the name into the cache, or into memory of its own if it is too long. */
static bool copy_name(struct kmem_cache *cache, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char *copy = bytes <= sizeof(cache->name_buffer) ? cache->name_buffer :
							   kmalloc(bytes, GFP_KERNEL);

	if (!copy)
		return false;
	memcpy(copy, name, bytes);
	cache->name = copy;
	return true;
}

void slab_cache_free(struct kmem_cache *cache)
{
	if (cache->name != cache->name_buffer)
		kfree(cache->name);
	kmem_cache_free(&cache_of_caches, cache);
}

static struct kmem_cache *create(const struct slab_cache_request *request)
{
	struct kmem_cache *cache = kmem_cache_zalloc(&cache_of_caches, GFP_KERNEL);

	if (!cache)
		return NULL;
	describe(cache, request);
	if (!copy_name(cache, request->name)) {
		kmem_cache_free(&cache_of_caches, cache);
		return NULL;
	}
	cache->refcount = 1;
	if (!lock_acquire_unless_handler(&slab_caches_lock)) {
		slab_cache_free(cache);
		return NULL;
	}
	set_up(cache);
	lock_release(&slab_caches_lock);
	return cache;
}

static bool may_merge(const struct slab_cache_request *request)
{
	return options.slab_merge == OPTION_SLAB_MERGE_ON ||
	       (options.slab_merge == OPTION_SLAB_MERGE_AUTO && request->may_merge);
}

static struct kmem_cache *merge(const struct slab_cache_request *request)
{
	struct slab_alias *alias = may_merge(request) ? slab_alias_new(request->name) : NULL;
	struct kmem_cache *cache = NULL;

	if (!alias)
		return NULL;
	if (lock_acquire_unless_handler(&slab_caches_lock)) {
		cache = slab_merge_locked(request, alias);
		lock_release(&slab_caches_lock);
	}
	if (!cache)
		kfree(alias);
	return cache;
}

static int merge_or_create(const struct slab_cache_request *request, struct kmem_cache **cache)
{
	if (!request_is_sane(request))
		return -EINVAL;
	*cache = merge(request);
	if (*cache)
		return 0;
	if (!has_layout(request))
		return -EINVAL;
	*cache = create(request);
	return *cache ? 0 : -ENOMEM;
}

seldom_called struct kmem_cache *slab_cache_create(const struct slab_cache_request *request)
{
	struct kmem_cache *cache = NULL;
	int error = slab_init() ? -ENOMEM : merge_or_create(request, &cache);

	if (error)
		slab_report_not_created(request, error);
	return cache;
}

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
				     slab_flags_t flags, void (*ctor)(void *object))
{
	struct slab_cache_request request = {
		.name = name, .size = size, .align = align, .flags = flags, .ctor = ctor,
	};

	request.is_refused = size < KMALLOC_MIN_SIZE || (flags & ~USERMM_SLAB_FLAGS) ||
			     (align && !is_power_of_2(align));
	return slab_cache_create(&request);
}

unsigned int kmem_cache_size(const struct kmem_cache *cache)
{
	return cache->object_size;
}

FOR_KERNEL(slab_cache_create);
FOR_KERNEL(slab_caches);
FOR_KERNEL(slab_caches_lock);
FOR_KERNEL(slab_init);
