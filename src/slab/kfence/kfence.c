/* SPDX-License-Identifier: MIT */
/* Guarded objects: pool, slots, canaries, reports. See kfence.h. */
#include "slab/kfence/kfence.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/text.h"
#include "base/upward_hooks.h"
#include "os/os.h"
#include "os/signal/segv_handler.h"
#include "page/debug/stack_depot.h"
#include "slab/debug/debug_object.h"
#include "slab/kfence/kfence_slot.h"
#include "slab/random.h"

struct slab_kfence_pool slab_kfence_pool;

struct slot *slab_kfence_slots;
/* Sync: constant after slab_kfence_init() */
static size_t page_bytes;

/*
 * How many slots all allocations together have looked at: the clock of freed_at. Sync: atomic
 * relaxed
 */
static uint32_t turns;

/* See kfence.h. */
__thread uint32_t slab_kfence_countdown __attribute__((__tls_model__("initial-exec")));

static bool on_fault(const struct os_fault *fault);

/* The form of addresses in Linux's reports. */
#define ADDRESS "0x%016lx"

often_called void slab_kfence_init(void)
{
	size_t bytes;
	void *pool, *memory;

	if (!options.kfence_sample)
		return;
	page_bytes = os_page_bytes();
	bytes = 2 * page_bytes * (SLAB_GUARD_SLOTS + 1);
	stack_depot_init();
	if (os_map_lazily(ALIGN(SLAB_GUARD_SLOTS * sizeof(struct slot), page_bytes), page_bytes,
			  &memory) || os_reserve(bytes, page_bytes, &pool)) {
		report_warning("kfence_sample=: no memory for the pool; nothing is guarded");
		return;
	}
	slab_kfence_slots = memory;
	slab_kfence_pool = (struct slab_kfence_pool){ (unsigned long)pool, bytes };
	os_fault_watch(on_fault);
}

/* --- Slots ------------------------------------------------------------------------ */

static char *slot_page(const struct slot *slot)
{
	size_t number = (size_t)(slot - slab_kfence_slots);

	return (char *)slab_kfence_pool.start + 2 * page_bytes * (number + 1);
}

/* The slot whose object page the address is in, or NULL. cf. Linux addr_to_metadata() */
static struct slot *slot_of(const void *address)
{
	unsigned long page = ((unsigned long)address - slab_kfence_pool.start) / page_bytes;

	return page % 2 || page < 2 ? NULL : &slab_kfence_slots[page / 2 - 1];
}

static enum slot_state state_of(const struct slot *slot)
{
	/* pairs with settle(): the slot's other fields */
	return atomic_load_acquire(&slot->state);
}

/* Allocated, or freed while readers may still look at the object. */
static bool is_in_use(const struct slot *slot)
{
	enum slot_state state = state_of(slot);

	return state == SLOT_ALLOCATED || state == SLOT_RCU_FREEING;
}

static bool claim(struct slot *slot, enum slot_state state)
{
	uint32_t expected = state;

	/* pairs with settle(): the slot's other fields */
	return atomic_cas_acquire(&slot->state, &expected, SLOT_BUSY);
}

static void settle(struct slot *slot, enum slot_state state)
{
	/* pairs with state_of() and claim(): the slot's other fields */
	atomic_store_release(&slot->state, state);
}

/*
 * Claims the next free slot. The first round passes over slots that were freed lately, so that late
 * accesses are still found; the second does not.
 */
static struct slot *claim_free(void)
{
	for (unsigned int i = 0; i < 2 * SLAB_GUARD_SLOTS; i++) {
		uint32_t turn = atomic_add_relaxed(&turns, 1);
		struct slot *slot = &slab_kfence_slots[turn % SLAB_GUARD_SLOTS];
		enum slot_state state = state_of(slot);
		bool lately = turn - atomic_load_relaxed(&slot->freed_at) < SLAB_GUARD_SLOTS / 2;

		if (state == SLOT_UNUSED ||
		    (state == SLOT_FREED && (!lately || i >= SLAB_GUARD_SLOTS)))
			if (claim(slot, state))
				return slot;
	}
	return NULL;
}

/* --- Canaries ------------------------------------------------------------------------ */

/* cf. Linux KFENCE_CANARY_PATTERN_U8 */
static uint8_t canary(const uint8_t *at)
{
	return (uint8_t)(0xaa ^ ((unsigned long)at & 7));
}

static void put_canaries(uint8_t *at, const uint8_t *end)
{
	for (; at < end; at++)
		*at = canary(at);
}

static void set_canaries(const struct slot *slot)
{
	uint8_t *page = (uint8_t *)slot_page(slot), *object = (uint8_t *)slot->object;

	put_canaries(page, object);
	put_canaries(object + slot->size, page + page_bytes);
}

/*
 * The overwritten canary to report, or NULL: in front of the object the one nearest to it, else
 * the first one behind the object.
 */
static const uint8_t *find_overwritten(const struct slot *slot)
{
	const uint8_t *page = (uint8_t *)slot_page(slot), *object = (uint8_t *)slot->object;

	for (const uint8_t *at = object; at-- > page;)
		if (*at != canary(at))
			return at;
	for (const uint8_t *at = object + slot->size; at < page + page_bytes; at++)
		if (*at != canary(at))
			return at;
	return NULL;
}

/* --- Reports -------------------------------------------------------------------------- */

static void say_slot(const struct slot *slot)
{
	unsigned int number = (unsigned int)(slot - slab_kfence_slots);

	if (state_of(slot) == SLOT_UNUSED) {
		slab_say("kfence-#%u unused", number);
		return;
	}
	slab_say("kfence-#%u: " ADDRESS "-" ADDRESS ", size=%zu, cache=%s", number,
		 (unsigned long)slot->object, (unsigned long)slot->object + slot->size - 1,
		 slot->size, slot->cache ? slot->name : "<destroyed>");
	slab_say_track("Allocated", &slot->tracks[TRACK_ALLOC]);
	if (state_of(slot) == SLOT_RCU_FREEING)
		slab_say_track("RCU freeing", &slot->tracks[TRACK_FREE]);
	if (state_of(slot) == SLOT_FREED)
		slab_say_track("Freed", &slot->tracks[TRACK_FREE]);
}

static void say_head(const char *what, const void *code)
{
	char text[SLAB_CALLER_BYTES];
	struct os_files files = { 0 };

	os_describe_in_files(&files, code, text, SLAB_CALLER_BYTES);
	slab_say("BUG: KFENCE: %s in %s", what, text);
}

/* Prints the stack from this code address on. */
static void say_stack(const void *code)
{
	struct slab_track track = slab_track_now(code);

	slab_say_frames(&track);
}

/* Ends a program; kernel sources go on. */
static void end_report(const char *function, const void *object)
{
	if (!slab_debug_hooks.line)
		report_fatal("%s(%p): see above; %s at every object", function, object,
			     options.hardened ? "slab_debug= looks" :
						"slab_debug= and hardened=1 look");
}

/* Writes the bytes from `at` on, '.' for a good canary, up to the object or the page's end. */
#define DIFFERENCE_BYTES 16
static void describe_difference(const struct slot *slot, const uint8_t *at,
				char text[5 * DIFFERENCE_BYTES + 1])
{
	const uint8_t *object = (uint8_t *)slot->object, *end = at + DIFFERENCE_BYTES;

	end = min(end, at < object ? object : (uint8_t *)slot_page(slot) + page_bytes);
	text[0] = '\0';
	for (size_t used = 0; at < end; at++)
		used += *at == canary(at) ? fmt_format(text + used, 6, " .") :
					    fmt_format(text + used, 6, " 0x%02x", *at);
}

static void report_corruption(const struct slot *slot, const uint8_t *at, const char *function,
			      const void *caller)
{
	char difference[5 * DIFFERENCE_BYTES + 1];

	if (slab_error_is_counted())
		return;
	say_head("memory corruption", caller);
	describe_difference(slot, at, difference);
	slab_say("Corrupted memory at " ADDRESS " [%s ] (in kfence-#%u), %lu bytes %s the object:",
		 (unsigned long)at, difference, (unsigned int)(slot - slab_kfence_slots),
		 (const char *)at < slot->object ?
		 (unsigned long)(slot->object - (const char *)at) :
		 (unsigned long)((const char *)at - slot->object - slot->size + 1),
		 (const char *)at < slot->object ? "in front of" : "behind");
	say_stack(caller);
	say_slot(slot);
	end_report(function, slot->object);
}

static void report_invalid_free(const struct slot *slot, const void *object,
				const char *function, const void *caller)
{
	if (slab_error_is_counted())
		return;
	say_head("invalid free", caller);
	if (slot) {
		slab_say("Invalid free of " ADDRESS " (in kfence-#%u):", (unsigned long)object,
			 (unsigned int)(slot - slab_kfence_slots));
		say_stack(caller);
		say_slot(slot);
	}
	end_report(function, object);
}

/* For an address in a guard page: the slot in use whose object is nearest, or NULL. */
static struct slot *nearest(const char *address)
{
	unsigned long page = ((unsigned long)address - slab_kfence_pool.start) / page_bytes;
	struct slot *left = page > 2 ? &slab_kfence_slots[page / 2 - 1] : NULL;
	struct slot *right = page / 2 < SLAB_GUARD_SLOTS ? &slab_kfence_slots[page / 2] : NULL;

	if (left && !is_in_use(left))
		left = NULL;
	if (right && (!page || !is_in_use(right)))
		right = NULL;
	if (left && right)
		return address - (left->object + left->size) < right->object - address ? left :
											 right;
	return left ? left : right;
}

static void report_access(const struct os_fault *fault)
{
	static const char *const kinds[][2] = {
		{ "invalid read", "invalid write" },
		{ "use-after-free read", "use-after-free write" },
		{ "out-of-bounds read", "out-of-bounds write" },
	};
	const struct slot *slot = slot_of(fault->address);
	const char *access = fault->is_write ? "write" : "read", *address = fault->address;

	if (slot && state_of(slot) == SLOT_FREED) {
		say_head(kinds[1][fault->is_write], fault->code);
		slab_say("Use-after-free %s at " ADDRESS " (in kfence-#%u):", access,
			 (unsigned long)address, (unsigned int)(slot - slab_kfence_slots));
	} else if (!slot && (slot = nearest(address)) != NULL) {
		bool is_left = address < slot->object;

		say_head(kinds[2][fault->is_write], fault->code);
		slab_say("Out-of-bounds %s at " ADDRESS " (%luB %s of kfence-#%u):", access,
			 (unsigned long)address, (unsigned long)(is_left ? slot->object - address :
						   address - slot->object),
			 is_left ? "left" : "right", (unsigned int)(slot - slab_kfence_slots));
	} else {
		say_head(kinds[0][fault->is_write], fault->code);
		slab_say("Invalid %s at " ADDRESS ":", access, (unsigned long)address);
	}
	say_stack(fault->code);
	if (slot)
		say_slot(slot);
}

/* cf. Linux kfence_unprotect() */
static bool open_page(char *address)
{
	struct slot *beside = slot_of(address) ? NULL : nearest(address);

	if (beside)
		atomic_store_relaxed(&beside->is_open, 1);
	return !os_show((void *)ALIGN_DOWN((unsigned long)address, page_bytes), page_bytes);
}

static bool on_fault(const struct os_fault *fault)
{
	if (!slab_kfence_owns(fault->address))
		return false;
	if (!slab_error_is_counted())
		report_access(fault);
	/* Kernel sources go on: the page is opened. A program gets its signal. */
	return slab_debug_hooks.line && open_page((char *)fault->address);
}

/* --- Allocation and free ---------------------------------------------------------------- */

bool slab_kfence_is_due(void)
{
	uint32_t left = atomic_load_relaxed(&slab_kfence_countdown);

	if (!left)	/* draws a number whose mean is the rate */
		left = 1 + (uint32_t)(slab_random_number() % (2 * options.kfence_sample - 1));
	atomic_store_relaxed(&slab_kfence_countdown, left - 1);
	return left == 1;
}

static bool may_be_guarded(const struct kmem_cache *cache, gfp_t gfp, size_t size)
{
	return slab_kfence_slots && size <= PAGE_SIZE && !cache_keeps_slabs(cache) &&
	       !(cache->flags & (SLAB_SKIP_KFENCE | SLAB_CACHE_DMA | SLAB_CACHE_DMA32)) &&
	       !(gfp & (GFP_DMA | __GFP_DMA32)) && !slab_is_cache_of_caches(cache);
}

/* cf. Linux kfence_guarded_alloc() */
static char *choose_place(const struct slot *slot, const struct kmem_cache *cache, size_t size)
{
	unsigned long page = (unsigned long)slot_page(slot);

	if (slab_random_number() & 1)
		return (char *)page;
	/* Even an object of 0 bytes starts inside the page. */
	return (char *)ALIGN_DOWN(page + page_bytes - max(size, 1UL), cache->align);
}

void *slab_kfence_alloc(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	bool holds_data;	/* true if the page could not be discarded (locked memory) */
	struct slot *slot;
	size_t name_bytes;

	size = min(size, (size_t)cache->object_size);
	slot = may_be_guarded(cache, gfp, size) ? claim_free() : NULL;
	if (!slot)
		return NULL;
	/*
	 * Discards what the page still holds: an object kept for RCU readers, or writes after the
	 * free.
	 */
	holds_data = slot->object && os_discard(slot_page(slot), page_bytes);
	if (os_commit(slot_page(slot), page_bytes)) {	/* too many mappings */
		settle(slot, slot->object ? SLOT_FREED : SLOT_UNUSED);
		return NULL;
	}
	if (holds_data)
		memset(slot_page(slot), 0, page_bytes);
	os_fault_watch(on_fault);
	slot->object = choose_place(slot, cache, size);
	slot->size = size;
	atomic_store_relaxed(&slot->cache, cache);
	name_bytes = min(strlen(cache->name), sizeof(slot->name) - 1);
	memcpy(slot->name, cache->name, name_bytes);
	slot->name[name_bytes] = '\0';
	slot->tracks[TRACK_ALLOC] = slab_track_now(caller);
	set_canaries(slot);
	settle(slot, SLOT_ALLOCATED);
	if (cache->ctor)
		cache->ctor(slot->object);
	return slot->object;
}

size_t slab_kfence_alloc_some(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller)
{
	size_t got = 0;

	for (size_t i = 0; i < n; i++) {
		if (!slab_kfence_is_due())
			continue;
		objects[got] = slab_kfence_alloc(cache, gfp, SIZE_MAX, caller);
		got += !!objects[got];
	}
	return got;
}

/*
 * Frees a busy slot's object: checks the canaries and closes the page. keeps_content: does not
 * discard the bytes that readers of SLAB_TYPESAFE_BY_RCU saw.
 */
static void retire(struct slot *slot, bool keeps_content, const char *function,
		   const void *caller)
{
	const uint8_t *overwritten = find_overwritten(slot);
	char *page = slot_page(slot);

	if (overwritten)
		report_corruption(slot, overwritten, function, caller);
	if (!keeps_content)
		os_discard(page, page_bytes);
	/* Relaxed: this word does not order the system calls that open and hide pages. */
	if (atomic_exchange_relaxed(&slot->is_open, 0))
		os_hide(page - page_bytes, 3 * page_bytes);
	else
		os_hide(page, page_bytes);
	atomic_store_relaxed(&slot->freed_at, atomic_load_relaxed(&turns));
	settle(slot, SLOT_FREED);
}

/* After the grace period. The cache may have been destroyed. cf. Linux rcu_guarded_free() */
static void retire_after_readers(void *head)
{
	struct slot *slot = list_entry((struct list_head *)head, struct slot, rcu_head);

	if (claim(slot, SLOT_RCU_FREEING))
		retire(slot, true, "kmem_cache_free", slot->tracks[TRACK_FREE].caller);
}

void slab_kfence_free(struct kmem_cache *cache, void *object, const char *function,
		     const void *caller)
{
	struct slot *slot = slot_of(object);

	if (!slot || state_of(slot) != SLOT_ALLOCATED || object != slot->object ||
	    !claim(slot, SLOT_ALLOCATED)) {
		report_invalid_free(slot, object, function, caller);
		return;
	}
	if (cache && cache != slot->cache)
		slab_debug_wrong_cache(cache, slot->cache, object);
	slot->tracks[TRACK_FREE] = slab_track_now(caller);
	if (slot->cache && (slot->cache->flags & SLAB_TYPESAFE_BY_RCU)) {
		settle(slot, SLOT_RCU_FREEING);
		slab_rcu_hooks.call(&slot->rcu_head, retire_after_readers);
	} else {
		retire(slot, false, function, caller);
	}
}

void *slab_kfence_object(const void *address)
{
	const struct slot *slot = slab_kfence_owns(address) ? slot_of(address) : NULL;

	return slot ? slot->object : NULL;
}

static bool is_object_in_use(const struct slot *slot, const void *object)
{
	return slot && state_of(slot) == SLOT_ALLOCATED && slot->object == object;
}

const struct kmem_cache *slab_kfence_cache(const void *object)
{
	const struct slot *slot = slab_kfence_owns(object) ? slot_of(object) : NULL;

	return is_object_in_use(slot, object) ? atomic_load_relaxed(&slot->cache) : NULL;
}

size_t slab_kfence_size(const void *object, const char *function, const void *caller)
{
	const struct slot *slot = slot_of(object);

	if (is_object_in_use(slot, object))
		return slot->size;
	report_invalid_free(slot, object, function, caller);
	return 0;
}

void slab_kfence_shrink(void *object, size_t size)
{
	struct slot *slot = slot_of(object);
	uint8_t *start = object;

	put_canaries(start + size, start + slot->size);
	slot->size = size;
}

unsigned int slab_kfence_objects(const struct kmem_cache *cache)
{
	unsigned int objects = 0;

	for (unsigned int i = 0; slab_kfence_slots && i < SLAB_GUARD_SLOTS; i++)
		objects += state_of(&slab_kfence_slots[i]) == SLOT_ALLOCATED &&
			   atomic_load_relaxed(&slab_kfence_slots[i].cache) == cache;
	return objects;
}

void slab_kfence_free_all(struct kmem_cache *cache, const void *caller)
{
	for (unsigned int i = 0; slab_kfence_slots && i < SLAB_GUARD_SLOTS; i++)
		if (state_of(&slab_kfence_slots[i]) == SLOT_ALLOCATED &&
		    atomic_load_relaxed(&slab_kfence_slots[i].cache) == cache)
			slab_kfence_free(cache, slab_kfence_slots[i].object,
					 "usermm_kmem_cache_destroy_all", caller);
}

/*
 * Any thread may claim a freed slot meanwhile, for an object of another cache. So the slot is
 * claimed, and its cache is compared again.
 */
void slab_kfence_forget(const struct kmem_cache *cache)
{
	for (unsigned int i = 0; slab_kfence_slots && i < SLAB_GUARD_SLOTS; i++) {
		if (atomic_load_relaxed(&slab_kfence_slots[i].cache) != cache ||
		    !claim(&slab_kfence_slots[i], SLOT_FREED))
			continue;
		if (slab_kfence_slots[i].cache == cache)
			atomic_store_relaxed(&slab_kfence_slots[i].cache, NULL);
		settle(&slab_kfence_slots[i], SLOT_FREED);
	}
}

FOR_KERNEL(slab_kfence_object);
FOR_KERNEL(slab_kfence_pool);
