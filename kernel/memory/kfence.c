// SPDX-License-Identifier: MIT
/*
 * Functions of include/kernel/linux/kfence.h and ../mm/slab.h. The file uses the library's pool and
 * caches, so it includes the core's headers and not linux/slab.h.
 */
#include "module/module_run.h"
#include "slab/cache.h"
#include "slab/kfence/kfence.h"
#include "slab/slab_fast.h"
#include "slab/small_slab.h"

/* Linux's struct slab; here it is the struct page of the slab's first page. Nobody reads it. */
struct slab;

extern char *kfence_pool USERMM_API(__kfence_pool);
extern unsigned long kfence_sample_interval USERMM_API(kfence_sample_interval);
bool is_kfence_address(const void *address) USERMM_API(is_kfence_address);
void *kfence_object_start(const void *address) USERMM_API(kfence_object_start);
struct slab *virt_to_slab(const void *address) USERMM_API(virt_to_slab);
unsigned int obj_to_index(const struct kmem_cache *cache, const struct slab *slab,
			  const void *object) USERMM_API(obj_to_index);
int objs_per_slab(const struct kmem_cache *cache, const struct slab *slab)
	USERMM_API(objs_per_slab);

/* The value of generated/autoconf.h. */
#define CONFIG_KFENCE_SAMPLE_INTERVAL 100

char *kfence_pool;
unsigned long kfence_sample_interval;

/* Stands for the slab of any guarded object. Such a slab has one object. */
static struct page guarded_slab = { .objects = 1 };

void kfence_begin(void)
{
	if (slab_init() || !slab_kfence_pool.bytes)
		return;
	kfence_pool = (char *)slab_kfence_pool.start;
	kfence_sample_interval = CONFIG_KFENCE_SAMPLE_INTERVAL;
}

bool is_kfence_address(const void *address)
{
	return slab_kfence_owns(address);
}

void *kfence_object_start(const void *address)
{
	return slab_kfence_object(address);
}

struct slab *virt_to_slab(const void *address)
{
	struct kmem_cache *cache;

	if (slab_kfence_owns(address))
		return (struct slab *)&guarded_slab;
	cache = cache_of(address);
	return cache ? (struct slab *)slab_of(cache, address) : NULL;
}

unsigned int obj_to_index(const struct kmem_cache *cache, const struct slab *slab,
			  const void *object)
{
	if ((const void *)slab == &guarded_slab)
		return 0;
	return (unsigned int)((size_t)((const char *)object -
				       slab_first(cache, (const struct page *)slab)) / cache->size);
}

int objs_per_slab(const struct kmem_cache *cache, const struct slab *slab)
{
	return (const void *)slab == &guarded_slab ? 1 :
		(int)slab_nr_objects(cache, (const struct page *)slab);
}
