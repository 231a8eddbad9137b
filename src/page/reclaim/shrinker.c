/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers: registration, and calling them. cf. Linux mm/shrinker.c.
 *
 * The list's lock is not held while a shrinker is called. A thread that walks the list counts
 * itself in the shrinker at which it is (running). A shrinker stays on the list until its count is
 * 0; one that is being unregistered is not called any more. In a fork child, the generation tells
 * that a count is that of the parent's threads, which are not there.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>

#include "base/check.h"
#include "base/fmt.h"
#include "os/lock.h"
#include "os/once.h"
#include "os/os.h"
#include "page/reclaim/reclaim.h"
#include "page/scopes.h"
#include "page/zone.h"
#include "usermm/shrinker.h"

/* Objects that one call is asked for, unless the shrinker says its own number. */
#define SHRINK_BATCH 128L
/*
 * How long to sleep before looking again whether a thread is still in a shrinker that is being
 * unregistered.
 */
#define LEAVING_POLL_US 50

static struct lock shrinkers_lock;
static LIST_HEAD(shrinkers);		/* Sync: shrinkers_lock */
/*
 * The number of the program's shrinkers, and of the library's own. Sync: shrinkers_lock; read with
 * relaxed loads
 */
static unsigned int nr_shrinkers, nr_internal;
static struct once shrinkers_once __read_mostly;

/* The shrinker that a thread is in. It may ask others, which is an inner one. */
struct asking {
	const struct shrinker *shrinker;
	const struct asking *outer;
};

/*
 * The innermost, or NULL. Sync: the thread's own, atomic relaxed, since its signal handlers may ask
 * shrinkers; they leave it as they found it
 */
static __thread const struct asking *own_asking __attribute__((__tls_model__("initial-exec")));

static often_called int bring_up(void)
{
	if (page_init())
		return -1;
	lock_init(&shrinkers_lock, RANK_SHRINKERS);
	return 0;
}

often_called bool shrinkers_exist(void)
{
	return atomic_load_relaxed(&nr_shrinkers);
}

bool shrinkers_any(void)
{
	return shrinkers_exist() || atomic_load_relaxed(&nr_internal);
}

static void count_locked(const struct shrinker *shrinker, unsigned int more)
{
	unsigned int *nr = shrinker->flags & SHRINKER_INTERNAL ? &nr_internal : &nr_shrinkers;

	atomic_store_relaxed(nr, *nr + more);
}

/* --- Registration ----------------------------------------------------------- */

/* Each takes a page: there are few, and this layer has nothing smaller. */
struct shrinker *shrinker_alloc(unsigned int flags, const char *name, ...)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	struct shrinker *shrinker;
	va_list args;

	if (!page)
		return NULL;
	shrinker = page_address(page);
	/* There are no memory cgroups here. */
	shrinker->flags = (flags & ~SHRINKER_MEMCG_AWARE) | SHRINKER_ALLOCATED;
	shrinker->seeks = DEFAULT_SEEKS;
	va_start(args, name);
	fmt_vformat(shrinker->name, sizeof(shrinker->name), name, args);
	va_end(args);
	return shrinker;
}

/*
 * Makes the counters of objects that are left for the next pass: one for each node, or one in all.
 */
static long *make_deferred(struct shrinker *shrinker)
{
	size_t bytes = nr_online_nodes * sizeof(long);
	struct page *page;

	shrinker->one_deferred = 0;
	if (!(shrinker->flags & SHRINKER_NUMA_AWARE) || bytes == sizeof(long))
		return &shrinker->one_deferred;
	page = alloc_pages(GFP_KERNEL | __GFP_ZERO, (unsigned int)get_order(bytes));
	return page ? page_address(page) : NULL;
}

static void free_deferred(struct shrinker *shrinker)
{
	size_t bytes = nr_online_nodes * sizeof(long);

	if (shrinker->nr_deferred != &shrinker->one_deferred)
		free_pages((unsigned long)shrinker->nr_deferred, (unsigned int)get_order(bytes));
	shrinker->nr_deferred = NULL;
}

often_called int usermm_register_shrinker(struct shrinker *shrinker)
{
	long *deferred;

	if (!once_run(&shrinkers_once, bring_up))
		return -ENOMEM;
	deferred = make_deferred(shrinker);
	if (!deferred)
		return -ENOMEM;
	lock_acquire(&shrinkers_lock);
	shrinker->running = 0;
	shrinker->generation = os_fork_generation;
	shrinker->nr_deferred = deferred;
	shrinker->flags |= SHRINKER_REGISTERED;
	list_add_tail(&shrinker->list, &shrinkers);
	count_locked(shrinker, 1);
	lock_release(&shrinkers_lock);
	return 0;
}

void shrinker_register(struct shrinker *shrinker)
{
	if (!(shrinker->flags & SHRINKER_ALLOCATED))
		report_warning("shrinker_register(): shrinker_alloc() has not made this shrinker");
	else if (usermm_register_shrinker(shrinker))
		report_warning("shrinker %s is not registered: no memory", shrinker->name);
}

static unsigned int nr_running_locked(struct shrinker *shrinker)
{
	if (shrinker->generation != os_fork_generation) {
		shrinker->generation = os_fork_generation;
		shrinker->running = 0;
	}
	return shrinker->running;
}

bool shrinkers_are_running(void)
{
	struct shrinker *shrinker;
	bool running = false;

	if (!shrinkers_exist())
		return false;
	lock_acquire(&shrinkers_lock);
	list_for_each_entry(shrinker, &shrinkers, list)
		running |= !(shrinker->flags & SHRINKER_INTERNAL) && nr_running_locked(shrinker);
	lock_release(&shrinkers_lock);
	return running;
}

static bool thread_is_in(const struct shrinker *shrinker)
{
	const struct asking *asking = atomic_load_relaxed(&own_asking);

	while (asking && asking->shrinker != shrinker)
		asking = asking->outer;
	return asking;
}

/* True if the shrinker has left the list: no thread is in it from now on. */
static bool try_leave(struct shrinker *shrinker)
{
	bool leaves;

	lock_acquire(&shrinkers_lock);
	shrinker->flags &= ~SHRINKER_REGISTERED;
	leaves = !nr_running_locked(shrinker);
	if (leaves) {
		list_del(&shrinker->list);
		count_locked(shrinker, -1u);
	}
	lock_release(&shrinkers_lock);
	return leaves;
}

void unregister_shrinker(struct shrinker *shrinker)
{
	if (!(shrinker->flags & SHRINKER_REGISTERED))
		return;
	CHECK(!thread_is_in(shrinker), "shrinker %s is unregistered or freed by its own call-back, "
	      "which would wait for itself: do that when the call-back has returned",
	      shrinker->name[0] ? shrinker->name : "without a name");
	while (!try_leave(shrinker))
		os_sleep_us(LEAVING_POLL_US);
	free_deferred(shrinker);
}

void shrinker_free(struct shrinker *shrinker)
{
	if (!shrinker)
		return;
	unregister_shrinker(shrinker);
	free_page((unsigned long)shrinker);
}

/* --- Asking ------------------------------------------------------------------- */

/*
 * Returns the next shrinker after `at` (NULL: the first) that may be called; NULL at the end. A
 * shrinker cannot be unregistered while a thread is counted in `running`; this moves the calling
 * thread's count from `at` to the result.
 */
static struct shrinker *next_shrinker(struct shrinker *at)
{
	struct list_head *entry;
	struct shrinker *next = NULL;

	lock_acquire(&shrinkers_lock);
	entry = at ? at->list.next : shrinkers.next;
	for (; entry != &shrinkers && !next; entry = entry->next) {
		next = list_entry(entry, struct shrinker, list);
		if (!(next->flags & SHRINKER_REGISTERED))
			next = NULL;
	}
	if (next) {
		nr_running_locked(next);
		next->running++;
	}
	if (at && at->generation == os_fork_generation && at->running)
		at->running--;
	lock_release(&shrinkers_lock);
	return next;
}

/* How many objects this pass should scan, in addition to those left by earlier passes. */
static long share_of(const struct shrinker *shrinker, long freeable, int priority)
{
	unsigned long long share = (unsigned long long)freeable / 2;

	if (shrinker->seeks > 0)
		share = ((unsigned long long)freeable >> priority) * 4 /
			(unsigned int)shrinker->seeks;
	return (long)min(share, (unsigned long long)LONG_MAX / 4);
}

static long *deferred_of(struct shrinker *shrinker, int nid)
{
	return &shrinker->nr_deferred[shrinker->nr_deferred == &shrinker->one_deferred ? 0 : nid];
}

/*
 * Calls the shrinker in batches. Objects that make less than a batch are left for the next pass,
 * unless they are all that the shrinker has. So are those that it did not scan. cf. Linux
 * do_shrink_slab()
 */
static unsigned long shrink_one(struct shrinker *shrinker, struct shrink_control *control,
				int priority, unsigned long *left)
{
	unsigned long count = shrinker->count_objects(shrinker, control), freed = 0;
	long batch = shrinker->batch > 0 ? shrinker->batch : SHRINK_BATCH;
	long freeable = (long)count, undone, share, scan, scanned = 0;

	if (!count || count > LONG_MAX / 8)	/* SHRINK_EMPTY, or an error */
		return 0;
	/* Relaxed: the count says nothing about other memory. No thread's part may be lost. */
	undone = atomic_exchange_relaxed(deferred_of(shrinker, control->nid), 0L);
	share = share_of(shrinker, freeable, priority);
	scan = min((undone >> priority) + share, 2 * freeable);
	while (scan >= batch || scan >= freeable) {
		unsigned long result;

		control->nr_to_scan = control->nr_scanned = (unsigned long)min(batch, scan);
		result = shrinker->scan_objects(shrinker, control);
		if (result == SHRINK_STOP)
			break;
		freed += result;
		scan -= (long)control->nr_scanned;
		scanned += (long)control->nr_scanned;
		if (!control->nr_scanned)	/* else the loop would never end */
			break;
	}
	atomic_add_relaxed(&reclaim_events.slabs_scanned, (unsigned long)scanned);
	undone = clamp(undone + share - scanned, 0L, 2 * freeable);
	atomic_add_relaxed(deferred_of(shrinker, control->nid), undone);
	*left += count > freed ? count - freed : 0;
	return freed;
}

unsigned long shrink_node(gfp_t gfp, int nid, int priority, unsigned long *left)
{
	struct asking asking = { .outer = atomic_load_relaxed(&own_asking) };
	struct shrinker *shrinker = NULL;
	unsigned long freed = 0;

	if (!shrinkers_any())
		return 0;
	while ((shrinker = next_shrinker(shrinker))) {
		struct shrink_control control = { .gfp_mask = gfp, .nid = nid };

		asking.shrinker = shrinker;
		atomic_signal_barrier();	/* signal handlers see it whole */
		atomic_store_relaxed(&own_asking, &asking);
		freed += shrink_one(shrinker, &control, priority, left);
		atomic_store_relaxed(&own_asking, asking.outer);
	}
	return freed;
}

unsigned long shrink_slab(gfp_t gfp_mask, int nid, struct mem_cgroup *memcg, int priority)
{
	unsigned long left = 0, freed;
	unsigned int scope;

	(void)memcg;
	if (nid < 0 || nid >= (int)nr_online_nodes)
		nid = 0;
	/* Requests by a shrinker must not wait for it (slowpath.c). */
	scope = scopes_enter(SCOPE_SHRINKER);
	freed = shrink_node(gfp_mask, nid, clamp(priority, 0, RECLAIM_PRIORITY_LIGHTEST), &left);
	scopes_leave(SCOPE_SHRINKER, scope);
	return freed;
}
