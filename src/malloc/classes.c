/* SPDX-License-Identifier: MIT */
#include "malloc/classes.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/hardened.h"
#include "malloc/profile.h"
#include "os/once.h"
#include "slab/debug.h"

struct class_step class_steps[CLASS_SMALL_STEPS + CLASS_LARGE_STEPS] __read_mostly;
struct class_limits class_limits __read_mostly = {
	.small = CLASS_SMALL_MAX_BYTES + 1, .large = CLASS_MAX_BYTES + 1,
};
struct kmem_cache class_caches[CLASS_COUNT];

static struct once classes_once;

/* As far as the size allows: aligned requests count on it, beside red zones too. */
static unsigned int class_align(size_t bytes)
{
	return (unsigned int)min(bytes & -bytes, PAGE_SIZE);
}

/* The first step has no bytes, and the first class. */
static void set_steps(struct class_step *steps, size_t nr, size_t bytes)
{
	unsigned int index = 0;

	for (size_t i = 0; i < nr; i++) {
		while (class_bytes(index) < i * bytes)
			index++;
		steps[i].index = (uint8_t)index;
		if (options.profile)	/* all allocations are to be counted */
			continue;
		/* pairs with alloc_fast(): the rest of the cache */
		atomic_store_release(&steps[i].sheaf, class_caches[index].sheaf);
	}
}

static int bring_up(void)
{
	char name[CACHE_NAME_BYTES];

	if (slab_init())
		return -1;
	percpu_keep_apart(class_steps, sizeof(class_steps));
	percpu_keep_apart(&class_limits, sizeof(class_limits));
	profile_prepare();
	lock_acquire(&slab_caches_lock);
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		size_t bytes = class_bytes(i);

		fmt_format(name, sizeof(name), "malloc-%zu", bytes);
		slab_cache_setup_requested(&class_caches[i], &(struct slab_cache_request){
			.name = name, .size = (unsigned int)bytes, .align = class_align(bytes),
			.flags = SLAB_KMALLOC, .hardened = options.hardened,
			.large_slabs = true,
		});
		ASSERT(!class_caches[i].sheaf ||
		       class_caches[i].marks_pages == (bytes > CLASS_SMALL_MAX_BYTES));
	}
	set_steps(class_steps, CLASS_SMALL_STEPS, CLASS_SMALL_STEP);
	set_steps(class_steps + CLASS_SMALL_STEPS, CLASS_LARGE_STEPS, CLASS_LARGE_STEP);
	lock_release(&slab_caches_lock);
	if (options.hardened || options.profile) {
		atomic_store_relaxed(&class_limits.small, 0);
		atomic_store_relaxed(&class_limits.large, 0);
	}
	if (options.hardened)
		hardened_init();
	profile_start();
	return 0;
}

int classes_init(void)
{
	return once_run(&classes_once, bring_up) ? 0 : -1;
}
