/* SPDX-License-Identifier: MIT */
#include "malloc/classes.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/hardened.h"
#include "os/once.h"
#include "slab/debug.h"

#define ONE(x) { .index = x }
#define TWO(x) ONE(x), ONE(x)
#define FOUR(x) TWO(x), TWO(x)

struct class_step class_steps[] __read_mostly = {
	ONE(0),
	ONE(0), ONE(1), ONE(2), ONE(3), ONE(4), ONE(5), ONE(6), ONE(7),
	ONE(8), ONE(9), ONE(10), ONE(11), ONE(12), ONE(13), ONE(14), ONE(15),
	TWO(16), TWO(17), TWO(18), TWO(19), TWO(20), TWO(21), TWO(22), TWO(23),
	FOUR(24), FOUR(25), FOUR(26), FOUR(27), FOUR(28), FOUR(29), FOUR(30), FOUR(31),
};

struct kmem_cache class_caches[CLASS_COUNT];

static struct once classes_once;

/* As far as the size allows: aligned requests count on it, beside red zones too. */
static unsigned int class_align(size_t bytes)
{
	return (unsigned int)min(bytes & -bytes, PAGE_SIZE);
}

static int bring_up(void)
{
	char name[CACHE_NAME_BYTES];

	if (slab_init())
		return -1;
	percpu_keep_apart(class_steps, sizeof(class_steps));
	lock_acquire(&slab_caches_lock);
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		size_t bytes = class_bytes(i);

		fmt_format(name, sizeof(name), "malloc-%zu", bytes);
		slab_cache_setup_requested(&class_caches[i], &(struct slab_cache_request){
			.name = name, .size = (unsigned int)bytes, .align = class_align(bytes),
			.flags = SLAB_KMALLOC, .hardened = options.hardened,
		});
		ASSERT(!class_caches[i].sheaf ||
		       class_caches[i].mark_offset == SLAB_MARK_OFFSET);
	}
	for (size_t i = 0; i < ARRAY_SIZE(class_steps); i++)
		atomic_store_release(&class_steps[i].sheaf,
				     class_caches[class_steps[i].index].sheaf);
	lock_release(&slab_caches_lock);
	hardened_is_up = options.hardened;
	return 0;
}

int classes_init(void)
{
	return once_run(&classes_once, bring_up) ? 0 : -1;
}
