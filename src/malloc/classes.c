/* SPDX-License-Identifier: MIT */
#include "malloc/classes.h"

#include "base/check.h"
#include "base/fmt.h"
#include "os/once.h"
#include "slab/debug.h"

#define REPEAT2(x) x, x
#define REPEAT4(x) REPEAT2(x), REPEAT2(x)

/* Entry i is the class of sizes (i - 1) * 16 + 1 .. i * 16. */
const uint8_t class_table[CLASS_TABLE_MAX_BYTES / 16 + 1] = {
	0,
	0, 1, 2, 3, 4, 5, 6, 7,
	8, 9, 10, 11, 12, 13, 14, 15,
	REPEAT2(16), REPEAT2(17), REPEAT2(18), REPEAT2(19),
	REPEAT2(20), REPEAT2(21), REPEAT2(22), REPEAT2(23),
	REPEAT4(24), REPEAT4(25), REPEAT4(26), REPEAT4(27),
	REPEAT4(28), REPEAT4(29), REPEAT4(30), REPEAT4(31),
};

struct kmem_cache class_caches[CLASS_COUNT];
struct percpu_array *class_sheaves[CLASS_COUNT] __read_mostly;

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
	percpu_keep_apart(class_table, sizeof(class_table));
	percpu_keep_apart(class_sheaves, sizeof(class_sheaves));
	lock_acquire(&slab_caches_lock);
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		size_t bytes = class_bytes(i);

		fmt_format(name, sizeof(name), "malloc-%zu", bytes);
		slab_cache_setup(&class_caches[i], name, (unsigned int)bytes,
				 class_align(bytes), SLAB_KMALLOC, NULL);
		ASSERT(!cache_has_sheaf(&class_caches[i]) ||
		       class_caches[i].mark_offset == SLAB_MARK_OFFSET);
		atomic_store_release(&class_sheaves[i], class_caches[i].sheaf);
	}
	lock_release(&slab_caches_lock);
	return 0;
}

int classes_init(void)
{
	return once_run(&classes_once, bring_up) ? 0 : -1;
}
