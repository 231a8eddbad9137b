// SPDX-License-Identifier: MIT
/* Shrinkers: registration, and asking them. cf. Linux mm/shrinker.c. */
#include <pthread.h>

#include <linux/kernel.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

/* Objects that one call is asked for, where the shrinker does not say. */
#define SHRINK_BATCH 128

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(shrinkers);		/* Sync: lock, which is held while they run */

struct shrinker *shrinker_alloc(unsigned int flags, const char *format, ...)
{
	struct shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);

	(void)format;
	if (!shrinker)
		return NULL;
	shrinker->flags = flags;
	shrinker->seeks = DEFAULT_SEEKS;
	INIT_LIST_HEAD(&shrinker->list);
	return shrinker;
}

void shrinker_register(struct shrinker *shrinker)
{
	shrinker->nr_deferred = &shrinker->deferred;
	pthread_mutex_lock(&lock);
	list_add_tail(&shrinker->list, &shrinkers);
	pthread_mutex_unlock(&lock);
}

void unregister_shrinker(struct shrinker *shrinker)
{
	pthread_mutex_lock(&lock);
	if (shrinker->nr_deferred)
		list_del_init(&shrinker->list);
	shrinker->nr_deferred = NULL;
	pthread_mutex_unlock(&lock);
}

void shrinker_free(struct shrinker *shrinker)
{
	if (!shrinker)
		return;
	unregister_shrinker(shrinker);
	kfree(shrinker);
}

int usermm_register_shrinker(struct shrinker *shrinker)
{
	shrinker_register(shrinker);
	return 0;
}

/* How many objects this pass looks at, with what earlier passes left undone. */
static unsigned long long to_scan(const struct shrinker *shrinker, unsigned long freeable,
				  long deferred, int priority)
{
	unsigned long long share = freeable / 2;

	if (shrinker->seeks)
		share = ((unsigned long long)freeable >> priority) * 4 /
			(unsigned int)shrinker->seeks;
	share += (unsigned long long)deferred >> priority;
	return min(share, 2ULL * freeable);
}

static unsigned long shrink_one(struct shrinker *shrinker, struct shrink_control *control,
				int priority)
{
	unsigned long batch = shrinker->batch ? (unsigned long)shrinker->batch : SHRINK_BATCH;
	unsigned long freeable = shrinker->count_objects(shrinker, control), freed = 0;
	unsigned long long scan, scanned = 0, left;
	long deferred;

	if (!freeable || freeable == SHRINK_EMPTY)
		return freeable;
	deferred = atomic_long_xchg(shrinker->nr_deferred, 0);
	scan = to_scan(shrinker, freeable, deferred, priority);
	while (scan >= batch || scan >= freeable) {
		unsigned long result, nr = (unsigned long)min(scan, (unsigned long long)batch);

		control->nr_to_scan = control->nr_scanned = nr;
		result = shrinker->scan_objects(shrinker, control);
		if (result == SHRINK_STOP)
			break;
		freed += result;
		scan -= min(scan, (unsigned long long)control->nr_scanned);
		scanned += control->nr_scanned;
		if (!scan || !control->nr_scanned)
			break;
	}
	left = (unsigned long long)deferred + scan;
	left = left > scanned ? left - scanned : 0;
	atomic_long_add((long)min(left, 2ULL * freeable), shrinker->nr_deferred);
	return freed;
}

unsigned long shrink_slab(gfp_t gfp, int nid, struct mem_cgroup *memcg, int priority)
{
	struct shrink_control control = { .gfp_mask = gfp, .nid = nid, .memcg = memcg };
	unsigned long freed = 0;
	struct shrinker *shrinker;

	pthread_mutex_lock(&lock);
	list_for_each_entry(shrinker, &shrinkers, list) {
		unsigned long result = shrink_one(shrinker, &control, priority);

		freed += result == SHRINK_EMPTY ? 0 : result;
	}
	pthread_mutex_unlock(&lock);
	return freed;
}
