/* SPDX-License-Identifier: MIT */
#include "malloc/size_classes.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/early_blocks.h"
#include "malloc/hardened/hardened.h"
#include "malloc/mapped/mapped.h"
#include "malloc/perturb.h"
#include "malloc/profile/profile.h"
#include "os/once.h"
#include "slab/cache.h"

struct class_step class_small_steps[CLASS_SMALL_STEPS] __read_mostly;
struct class_step class_large_steps[CLASS_LARGE_STEPS] __large_bss __aligned(PAGE_SIZE);
size_t class_large_limit __read_mostly __off_mark;

/* In the order in which classes are made, so that classes in use lie side by side. */
static struct kmem_cache class_caches[CLASS_COUNT] __large_bss;
static unsigned int nr_made __read_mostly;	/* Sync: slab_caches_lock */

bool classes_are_guarded __read_mostly;
/* Sync: slab_caches_lock; in classes_init() its caller is alone */
static bool sheaves_are_shown __read_mostly;
static struct once classes_once __read_mostly;

/*
 * Fills in the class's entries of its table. They begin behind the last entry of the next smaller
 * class; those of the first class begin with entry 0.
 */
static void show(unsigned int index, struct kmem_cache *cache)
{
	bool small = class_bytes(index) <= CLASS_SMALL_MAX_BYTES;
	struct class_step *steps = small ? class_small_steps : class_large_steps;
	size_t bytes = small ? CLASS_SMALL_STEP : CLASS_LARGE_STEP;

	for (size_t i = index ? class_bytes(index - 1) / bytes + 1 : 0;
	     i <= class_bytes(index) / bytes; i++) {
		/* pairs with class_of(): the cache */
		atomic_store_release(&steps[i].cache, cache);
		if (!sheaves_are_shown)		/* every allocation is counted */
			continue;
		/* pairs with malloc_at_hand(): the rest of the cache */
		atomic_store_release(&steps[i].sheaf, cache_sheaf(cache));
	}
}

/* The caller holds slab_caches_lock. */
static struct kmem_cache *make_locked(unsigned int index)
{
	struct kmem_cache *cache = &class_caches[nr_made++];
	size_t bytes = class_bytes(index);
	char name[CACHE_NAME_BYTES];

	fmt_format(name, sizeof(name), "malloc-%zu", bytes);
	slab_cache_setup_requested(cache, &(struct slab_cache_request){
		.name = name, .size = (unsigned int)bytes, .align = class_align(bytes),
		.flags = SLAB_KMALLOC, .hardened = options.hardened, .large_slabs = true,
		.may_mix = true,
		.caller_guards = options.kfence_sample && !options.profile,
	});
	ASSERT(!cache_sheaf(cache) || cache->byte_marks == (bytes > CLASS_SMALL_MAX_BYTES));
	show(index, cache);
	perturb_class_locked(cache);
	return cache;
}

static struct kmem_cache *make(size_t size)
{
	struct kmem_cache *cache;

	if (!lock_acquire_unless_handler(&slab_caches_lock))
		return NULL;
	cache = class_of(size);		/* another thread or a handler may have been faster */
	if (!cache)
		cache = make_locked(class_index(size));
	lock_release(&slab_caches_lock);
	return cache;
}

/*
 * The caller takes an object next. percpu_array_touch() writes this CPU's part of the sheaf before
 * anybody reads it, which saves a page fault.
 */
struct kmem_cache *class_make(size_t size)
{
	struct kmem_cache *cache = make(size);

	if (cache)
		percpu_array_touch(cache->own_sheaf);
	return cache;
}

seldom_called bool classes_make_all(void)
{
	for (unsigned int i = 0; i < CLASS_COUNT; i++)
		if (!class_of(class_bytes(i)) && !make(class_bytes(i)))
			return false;
	return true;
}

void classes_set_limits(bool shown)
{
	shown = shown && percpu_has_sequences();
	atomic_store_relaxed(&class_small_limit, shown ? CLASS_SMALL_MAX_BYTES + 1 : 0);
	atomic_store_relaxed(&class_large_limit, shown ? CLASS_MAX_BYTES + 1 : 0);
}

seldom_called void classes_show_sheaves(bool shown)
{
	struct kmem_cache *cache;

	if (options.hardened)
		return;
	lock_acquire(&slab_caches_lock);
	if (shown && !sheaves_are_shown) {
		sheaves_are_shown = true;
		for (unsigned int i = 0; i < CLASS_COUNT; i++) {
			cache = class_of(class_bytes(i));
			if (cache)
				show(i, cache);
		}
	}
	classes_set_limits(shown);
	lock_release(&slab_caches_lock);
}

static int bring_up(void)
{
	if (slab_base_init())
		return -1;
	percpu_keep_apart(&class_large_limit, sizeof(class_large_limit));
	mapped_init();
	profile_prepare();
	/* Written before the first read, which would cost one more page fault. */
	atomic_store_relaxed(&class_large_steps[0].sheaf, NULL);
	sheaves_are_shown = !options.profile && !options.kfence_sample;
	if (options.hardened || !sheaves_are_shown)
		classes_make_all();
	else
		classes_set_limits(true);
	if (options.hardened)
		hardened_init();
	profile_start();
	/* pairs with malloc_dispatch(): the classes */
	atomic_store_release(&classes_are_guarded, options.kfence_sample && !options.profile &&
			     !options.hardened);
	return 0;
}

int classes_init(void)
{
	if (likely(once_done(&classes_once)))
		return 0;
	return !early_is_now() && once_run(&classes_once, bring_up) ? 0 : -1;
}
