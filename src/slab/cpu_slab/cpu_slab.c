/* SPDX-License-Identifier: MIT */
/*
 * A CPU's own slab: the two words of seed 2. cpu_slab_ops (cpu_cache.h).
 *
 * 1. Objects. A CPU has the free objects of its slab on a tagged list (percpu/tagged_list.h). The
 *    list's first word is the first object, or the slab's token when the last object is gone. So
 *    that word always tells which slab it is, and no other field is needed for that. The second
 *    word is for the mode without restartable sequences. Pop and push are one restartable
 *    sequence, or one compare-and-swap; nothing excludes preemption. A freed object of the CPU's
 *    slab goes on the CPU's list. Any other object goes to its own slab's freelist (slab_free.c).
 *
 * 2. States of a slab, beside those of slab.h:
 *
 *	frozen, attached	the slab's objects are on a CPU's list; objects that other CPUs free
 *				gather on the slab's own freelist
 *	frozen, detached	one thread has the slab, which it took off a CPU or made
 *
 *	attached -> detached	the CPU's word from the slab's token, or list, to 0
 *	detached -> attached	the CPU's word from 0 to a list, or the token
 *	partial -> detached	freeze_partial(), under the node's lock
 *	detached -> full	take_list(): nothing is left; on no list, not frozen
 *	detached -> partial	slab_thaw(), under the node's lock
 *
 *    Only the thread that has a detached slab takes the slab's freelist, carves, or thaws. When a
 *    CPU's list is used up, the thread first takes the objects of that slab that others have freed
 *    meanwhile, then those never used. Only if there are none of either, the slab is left alone: it
 *    is not frozen any more, so the next free puts it on the partial list.
 *
 * 3. Preemption. Between any two steps the thread may move to another CPU, or another thread on its
 *    CPU may do the same work. Then the swap of the CPU's word fails, and the thread goes on with
 *    what it has. If it has nothing it looks again. If it has a slab and another slab is attached
 *    by then, it thaws its slab with the rest of the list.
 *
 *    ABA: if the thread finds the same token again, that slab is attached and its list is used up
 *    now. Detaching needs to know no more than that.
 */
#include "slab/cpu_slab/cpu_slab.h"

#include "page/zone.h"
#include "percpu/remote.h"
#include "slab/bulk.h"
#include "slab/cpu_cache.h"
#include "slab/debug/report.h"
#include "slab/freeptr.h"
#include "slab/partial.h"
#include "slab/shrink.h"
#include "slab/slab_free.h"

/* If the CPU's word has changed in this many tries, an object comes from the slabs. */
#define CPU_SLAB_TRIES 8

/* --- Detached slabs -------------------------------------------------------- */

/*
 * Links the objects of the slab's next page that were never used. The slab changes only when the
 * caller stores *word.
 */
static void *carve_list(struct kmem_cache *cache, struct page *slab, struct slab_word *word)
{
	char *first = slab_first(cache, slab);
	void *list = slab_token(page_address(slab));

	if (word->carved == word->opened)
		word->opened = slab_open_page(cache, slab, word->opened);
	for (unsigned int i = word->opened; i-- > word->carved;) {
		char *object = first + (size_t)i * cache->size;

		slab_link_write(cache, object, list);
		list = object;
	}
	word->carved = word->opened;
	return list;
}

/*
 * Checks a list of nr objects, since the CPU will follow the links without a check. If a link was
 * overwritten, the list leads to an object that is not free, or does not end after nr objects.
 */
static void check_list(struct kmem_cache *cache, struct page *slab, void *list, unsigned int nr)
{
	void *object = list;

	for (; nr && slab_listed_is_free(cache, slab, object); nr--)
		object = slab_link_read(cache, object);
	if (nr || object != slab_token(page_address(slab)))
		slab_report_bad_freelist(cache, slab, object);
}

/*
 * Takes the freelist of a detached slab; if that is empty, a page of objects that were never used.
 * NULL if there are none: then the slab is not frozen any more, and nobody has it.
 */
static void *take_list(struct kmem_cache *cache, struct page *slab)
{
	void *token = slab_token(page_address(slab)), *list;
	struct kmem_cache_node *node = slab_node_of(cache, slab);
	struct slab_word old, new;

	slab_word_begin(node);
	do {
		old = new = slab_word_read(slab);
		list = old.freelist;
		new.freelist = token;
		if (list == token && old.carved < old.objects)
			list = carve_list(cache, slab, &new);
		else if (list == token)
			new.frozen = 0;
		new.inuse = new.carved;
	} while (!slab_word_cas(slab, &old, &new));
	slab_word_end(node);
	if (old.freelist != token)
		check_list(cache, slab, list, old.carved - old.inuse);
	return new.frozen ? list : NULL;
}

static struct page *slab_of_list(const struct kmem_cache *cache, const void *list)
{
	return slab_of(cache, list);	/* the token, too, is an address in the slab */
}

/* Takes a slab off the node's partial list, and freezes it. */
static struct page *freeze_partial(struct kmem_cache_node *node)
{
	struct slab_word old, new;
	struct page *slab = NULL;

	if (!atomic_load_relaxed(&node->nr_partial) || !lock_acquire_unless_handler(&node->lock))
		return NULL;
	if (!list_empty(&node->partial)) {
		slab = list_first_entry(&node->partial, struct page, lru);
		do {
			old = new = slab_word_read(slab);
			new.frozen = 1;
		} while (!slab_word_cas(slab, &old, &new));
		slab_remove_partial_locked(node, slab);
	}
	lock_release(&node->lock);
	return slab;
}

/* Makes a new slab, and freezes it before anybody else knows it. */
static struct page *new_frozen(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *slab = slab_new(cache, gfp, NUMA_NO_NODE);
	struct slab_word word;

	if (!slab)
		return NULL;
	word = slab_word_read(slab);
	word.frozen = 1;
	slab_word_set(slab, &word);
	slab_count_new(cache, slab_node_of(cache, slab), slab);
	return slab;
}

static struct page *freeze_elsewhere(struct kmem_cache *cache, bool leaves_some)
{
	struct slab_remote remote = slab_look_elsewhere(cache, leaves_some);
	struct kmem_cache_node *node;
	struct page *slab = NULL;

	while (!slab && (node = slab_next_remote(&remote)))
		slab = freeze_partial(node);
	return slab;
}

/* Takes a slab from the caller's node, then from others. */
static struct page *freeze_any(struct kmem_cache *cache, bool leaves_some)
{
	struct page *slab = freeze_partial(slab_node_here(cache));

	if (!slab)
		slab = freeze_elsewhere(cache, leaves_some);
	if (slab)
		slab_count(cache, SLAB_ALLOC_FROM_PARTIAL);
	return slab;
}

/*
 * If there is no memory, looks for a partial slab again: the search for memory made CPUs give back
 * what they kept.
 */
static struct page *new_or_any(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *slab = new_frozen(cache, gfp);

	return slab ? slab : freeze_any(cache, false);
}

static struct page *next_slab(struct kmem_cache *cache, gfp_t gfp)
{
	gfp_t first = slab_gfp_before_victims(cache, gfp);
	struct page *slab = freeze_any(cache, true);

	if (!slab)
		slab = new_or_any(cache, first);
	if (!slab && first != gfp)
		slab = new_or_any(cache, gfp);
	return slab;
}

/* Gives the list back to its detached slab, and unfreezes the slab: after that no thread has it. */
static void slab_thaw(struct kmem_cache *cache, void *list)
{
	struct page *slab = slab_of_list(cache, list);
	struct kmem_cache_node *node = slab_node_of(cache, slab);
	struct slab_word old, new;
	unsigned int nr = 0;
	void *tail = NULL;
	bool goes;

	for (void *object = list; !is_slab_token(object); object = slab_link_read(cache, object)) {
		slab_mark_listed(cache, object);
		tail = object;
		if (++nr > cache->objects)
			slab_report_bad_freelist(cache, slab, object);
	}
	lock_acquire(&node->lock);
	do {
		old = new = slab_word_read(slab);
		if (tail) {
			slab_link_write(cache, tail, old.freelist);
			new.freelist = list;
		}
		new.inuse = (uint16_t)(new.inuse - nr);
		new.frozen = 0;
	} while (!slab_word_cas(slab, &old, &new));
	goes = !new.inuse && node->nr_partial >= atomic_load_relaxed(&cache->min_partial);
	if (goes)
		slab_count_gone_locked(cache, node, slab);
	else if (new.inuse < new.objects)
		slab_add_partial_locked(node, slab, false);
	lock_release(&node->lock);
	if (goes)
		slab_discard(cache, slab);
	slab_count(cache, goes ? SLAB_DEACTIVATE_EMPTY :
		   new.inuse < new.objects ? SLAB_DEACTIVATE_TO_HEAD : SLAB_DEACTIVATE_FULL);
}

/* --- Taking ------------------------------------------------------------------ */

/*
 * Gets a list for the CPU whose word is `head`: from the CPU's slab if that has more, else from
 * another slab. False if the word has changed. *list is NULL if there is no memory.
 */
static bool get_list(struct kmem_cache *cache, gfp_t gfp, unsigned long head, void **list)
{
	struct page *slab;

	*list = NULL;
	if (head) {
		if (!percpu_tagged_cas(cache->own_cpu_slab, head, 0))
			return false;
		*list = take_list(cache, slab_of_list(cache, (void *)head));
		slab_count(cache, *list ? SLAB_ALLOC_REFILL : SLAB_DEACTIVATE_BYPASS);
	}
	if (!*list) {
		slab = next_slab(cache, gfp);
		*list = slab ? take_list(cache, slab) : NULL;
	}
	return true;
}

/* Attaches all but the first object to this CPU; returns the first. */
static void *attach_rest(struct kmem_cache *cache, void *list)
{
	void *rest = slab_link_read(cache, list);

	if (!percpu_tagged_cas(cache->own_cpu_slab, 0, (unsigned long)rest)) {
		slab_count(cache, SLAB_CMPXCHG_DOUBLE_CPU_FAIL);
		slab_thaw(cache, rest);
	}
	return list;
}

static void *cpu_slab_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	unsigned long head;
	void *object, *list;

	for (unsigned int tries = 0; tries < CPU_SLAB_TRIES; tries++) {
		object = percpu_tagged_pop(cache->own_cpu_slab, cache->link_offset);
		/*
		 * A handler that interrupted a lock's holder gets objects from the CPU's list only.
		 */
		if (object || !lock_may_wait(RANK_CACHE)) {
			if (object)
				slab_count(cache, SLAB_ALLOC_FASTPATH);
			return object;
		}
		slab_return_deferred(cache);
		if (!percpu_tagged_read(cache->own_cpu_slab, &head) ||
		    head == PERCPU_TAGGED_STOPPED)
			break;
		if ((head && !is_slab_token((void *)head)) ||
		    !get_list(cache, gfp, head, &list))
			continue;
		slab_count(cache, SLAB_ALLOC_SLOWPATH);
		slab_count_lossy(&cache->refills, 1);
		return list ? attach_rest(cache, list) : NULL;
	}
	if (!slab_take_objects(cache, gfp, &object, 1))
		return NULL;
	slab_count(cache, SLAB_ALLOC_SLOWPATH);
	return object;
}

static bool cpu_slab_push(struct kmem_cache *cache, void *object)
{
	return percpu_tagged_push(cache->own_cpu_slab, object, cache->link_offset,
				  slab_list_mask(cache));
}

static void *cpu_slab_pop(struct kmem_cache *cache)
{
	return percpu_tagged_pop(cache->own_cpu_slab, cache->link_offset);
}

static void cpu_slab_free(struct kmem_cache *cache, void *object)
{
	if (cpu_slab_push(cache, object)) {
		slab_count(cache, SLAB_FREE_FASTPATH);
		return;
	}
	slab_count(cache, SLAB_FREE_SLOWPATH);
	slab_return_objects(cache, &object, 1);
}

/* --- Many objects -------------------------------------------------------------- */

/*
 * No sequence takes several objects off a tagged list. Up to this many objects, one by one costs
 * less than a visit to the slabs. Without sequences each pop is a compare-and-swap, so the number
 * is smaller.
 */
#define FEW_OBJECTS 16
#define FEW_OBJECTS_LOCKED 4

static bool are_few(size_t n)
{
	return n <= (percpu_has_sequences() ? FEW_OBJECTS : FEW_OBJECTS_LOCKED);
}

/*
 * Takes n objects from the CPU's slab, and from slabs that become the CPU's; fewer without memory.
 */
static size_t take_few(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	size_t got = 0;

	while (got < n && (objects[got] = cpu_slab_alloc(cache, gfp)))
		got++;
	return got;
}

/*
 * Puts the objects of the CPU's slab on its list, and moves the others to the front of objects[].
 * Returns how many others there are.
 */
static size_t put_few(struct kmem_cache *cache, void **objects, size_t n)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++)
		if (!cpu_slab_push(cache, objects[i]))
			objects[others++] = objects[i];
	slab_count_n(cache, SLAB_FREE_FASTPATH, n - others);
	return others;
}

static size_t cpu_slab_take(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	size_t got = 0, most;
	unsigned int taken;

	if (are_few(n))
		return take_few(cache, gfp, objects, n);
	do {
		most = min(n - got, SLAB_AT_ONCE_MAX);
		taken = slab_take_objects(cache, gfp, objects + got, (unsigned int)most);
		got += taken;
	} while (taken && got < n);
	slab_count_n(cache, SLAB_ALLOC_SLOWPATH, got);
	return got;
}

static void cpu_slab_put(struct kmem_cache *cache, void **objects, size_t n)
{
	unsigned int some;

	if (are_few(n))
		n = put_few(cache, objects, n);
	for (; n; n -= some, objects += some) {
		some = (unsigned int)min(n, SLAB_AT_ONCE_MAX);
		slab_return_objects(cache, objects, some);
		slab_count_n(cache, SLAB_FREE_SLOWPATH, some);
	}
}

/* --- Other CPUs ----------------------------------------------------------------- */

void *cpu_slab_detach(struct kmem_cache *cache, unsigned int slot)
{
	struct percpu_stopped_tagged stopped;
	unsigned long head;

	if (percpu_stop_tagged(cache->own_cpu_slab, slot, &stopped))
		return NULL;
	head = stopped.head;
	stopped.head = 0;
	percpu_start_tagged(&stopped);
	return (void *)head;
}

void cpu_slab_return(struct kmem_cache *cache, void *list)
{
	slab_count(cache, SLAB_CPUSLAB_FLUSH);
	slab_thaw(cache, list);
}

void cpu_slab_drain_slot(struct kmem_cache *cache, unsigned int slot)
{
	struct percpu_tagged_list *list = percpu_ptr(cache->own_cpu_slab, slot);
	unsigned long head = list->head;

	list->head = 0;
	if (head)
		slab_thaw(cache, (void *)head);
}

/* Is this the address of an object of that slab? */
static bool is_object_of(const struct kmem_cache *cache, const struct page *slab,
			 const void *object)
{
	return slab_of(cache, object) == slab && object_starts_at(cache, object);
}

static unsigned long slot_nr_objects(const struct kmem_cache *cache, unsigned int slot)
{
	const struct percpu_tagged_list *list = percpu_ptr(cache->own_cpu_slab, slot);
	void *object = (void *)atomic_load_relaxed(&list->head);
	const struct page *slab;
	struct slab_word word;
	unsigned long nr = 0;

	if (!mm_is_online(object))
		return 0;
	slab = slab_of_list(cache, object);
	word = slab_word_read(slab);
	/* The CPU changes its list meanwhile, so a link may be anything. */
	for (; is_object_of(cache, slab, object) && nr < cache->objects; nr++)
		object = (void *)atomic_load_relaxed(slab_link_word(cache, object));
	return nr + (unsigned long)max(word.objects - word.inuse, 0);
}

static unsigned long cpu_slab_nr_objects(const struct kmem_cache *cache)
{
	unsigned long nr = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		nr += slot_nr_objects(cache, slot);
	return nr;
}

static bool has_slab(const struct kmem_cache *cache, unsigned int slot)
{
	const struct percpu_tagged_list *list = percpu_ptr(cache->own_cpu_slab, slot);

	return atomic_load_relaxed(&list->head);
}

static unsigned int cpu_slab_nr_slabs(const struct kmem_cache *cache)
{
	unsigned int nr = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		nr += has_slab(cache, slot);
	return nr;
}

static void empty_slot(struct kmem_cache *cache, unsigned int slot)
{
	void *list;

	if (!lock_acquire_unless_handler(&slab_sheaves_lock))
		return;
	list = cpu_slab_detach(cache, slot);
	lock_release(&slab_sheaves_lock);
	if (list)
		cpu_slab_return(cache, list);
}

static void cpu_slab_empty(struct kmem_cache *cache, void **objects)
{
	(void)objects;
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		if (has_slab(cache, slot))
			empty_slot(cache, slot);
}

static void cpu_slab_drain(struct kmem_cache *cache)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		cpu_slab_drain_slot(cache, slot);
}

/* --- The table of operations ----------------------------------------------------- */

static void cpu_slab_set_up(struct kmem_cache *cache)
{
	/*
	 * The mode without sequences, and statistics, may read links in a slab that is freed
	 * meanwhile. So its pages must stay mapped.
	 */
	page_keep_mapped();
	cache->own_cpu_slab = cpu_cache_alloc(cache, sizeof(*cache->own_cpu_slab),
					      sizeof(*cache->own_cpu_slab));
	if (!cache->own_cpu_slab)
		cache->cpu_ops = &sheaf_ops;
}

/* The release pairs with cpu_slab_pop_fast(): the rest of the cache. */
static void cpu_slab_show(struct kmem_cache *cache, bool shown)
{
	atomic_store_release(&cache->cpu_slab, shown ? cache->own_cpu_slab : NULL);
}

static void cpu_slab_destroy(struct kmem_cache *cache)
{
	percpu_free(cache->own_cpu_slab, sizeof(*cache->own_cpu_slab));
	cpu_slab_show(cache, false);
	cache->own_cpu_slab = NULL;
	cache->cpu_ops = &sheaf_ops;
}

const struct cpu_cache_ops cpu_slab_ops = {
	.set_up = cpu_slab_set_up,
	.destroy = cpu_slab_destroy,
	.show = cpu_slab_show,
	.alloc = cpu_slab_alloc,
	.free = cpu_slab_free,
	.pop = cpu_slab_pop,
	.push = cpu_slab_push,
	.take = cpu_slab_take,
	.put = cpu_slab_put,
	.empty = cpu_slab_empty,
	.drain = cpu_slab_drain,
	.nr_objects = cpu_slab_nr_objects,
	.nr_slabs = cpu_slab_nr_slabs,
};
