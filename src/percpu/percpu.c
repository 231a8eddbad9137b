/* SPDX-License-Identifier: MIT */
/* Start-up, pieces of slots, and the operations' further tries. See percpu.h. */
#include "percpu/percpu.h"

#include <string.h>

#include "base/atomic.h"
#include "base/options.h"
#include "os/lock.h"
#include "os/load_options.h"
#include "os/once.h"
#include "os/os.h"
#include "percpu/cas_list.h"
#include "percpu/fork.h"
#include "percpu/generations.h"
#include "percpu/locked.h"
#include "percpu/rseq/mode.h"
#include "percpu/rseq/abi.h"
#include "percpu/slots.h"
#include "percpu/tagged_list.h"

/* Pieces consist of units. Each unit has one bit in area.used. */
#define UNIT_BYTES 64
#define NR_UNITS (PERCPU_SLOT_BYTES / UNIT_BYTES)
#define BITS 64
/*
 * The number of units in a page. A processor may delay a load behind an earlier store to another
 * page if both have the same offset in their pages. percpu_keep_apart() avoids that.
 */
#define PAGE_UNITS (4096 / UNIT_BYTES)
_Static_assert(PAGE_UNITS == BITS, "one bit of a word for each unit of a page");
/* A piece of 2^i units or more, but fewer than 2^(i + 1), is of order i. */
#define NR_ORDERS 15
_Static_assert(NR_UNITS >> (NR_ORDERS - 1) == 1, "the largest piece has an order");

struct percpu_state percpu __read_mostly = { .sole_count = PERCPU_SOLE_NEVER };

static struct once percpu_once __read_mostly;
static struct percpu_choice choice = { .mode = PERCPU_LOCKED };	/* Sync: as percpu */
static struct {
	struct lock lock;		/* RANK_PERCPU */
	uint64_t used[NR_UNITS / BITS];	/* Sync: lock */
	uint64_t apart;			/* Sync: lock; see percpu_keep_apart(); a bit a unit */
	size_t from[NR_ORDERS];		/* Sync: lock; the search for each order begins here */
} area __eager_bss;

/* The units that these bytes cover, as offsets in a page: one bit each. */
static uint64_t page_units(const void *bytes, size_t size)
{
	size_t first = (unsigned long)bytes / UNIT_BYTES;
	size_t last = ((unsigned long)bytes + size - 1) / UNIT_BYTES;
	uint64_t units = 0;

	for (size_t unit = first; unit <= last; unit++)
		units |= 1UL << (unit % PAGE_UNITS);
	return units;
}

enum percpu_mode percpu_mode(void)
{
	return choice.mode;
}

const char *percpu_mode_reason(void)
{
	return choice.reason;
}

const char *percpu_registration(void)
{
	static const char *const names[] = {
		[RSEQ_OWNER_NONE] = "none", [RSEQ_OWNER_LIBC] = "libc's",
		[RSEQ_OWNER_USERMM] = "usermm's own",
	};

	return names[choice.registration.owner];
}

bool percpu_renew_registration(void)
{
	return choice.registration.owner == RSEQ_OWNER_NONE ||
	       registration_renew(&choice.registration);
}

bool percpu_end_registration(void)
{
	return choice.registration.owner != RSEQ_OWNER_NONE &&
	       registration_end(&choice.registration);
}

/* From now on threads may start sequences. */
static void start_sequences(void)
{
	const struct registration *registration = &choice.registration;
	bool by_mm_cid = choice.mode == PERCPU_RSEQ_MM_CID;
	unsigned long field = by_mm_cid ? offsetof(struct rseq_area, mm_cid) :
					  offsetof(struct rseq_area, cpu_id);

	/*
	 * Each sequence stores to its thread's struct rseq, so no piece may share the offset of
	 * this in a page. Other threads' areas tend to have the same offset as the caller's.
	 */
	area.apart |= page_units((char *)thread_pointer() + registration->area,
				 sizeof(struct rseq_area));
	/* The last store. pairs with rseq_index_field() and RSEQ_FRAME: all other fields are set */
	atomic_store_release(&percpu.index_field, registration->area + field);
}

static int bring_up(void)
{
	unsigned int cpus, slots;
	int error;

	load_options();
	cpus = options.simulated_cpus ? (unsigned int)options.simulated_cpus : os_possible_cpus();
	error = percpu_slots_init(cpus, &slots);
	if (error)
		return error;
	percpu.nr_cpus = cpus;
	lock_init(&area.lock, RANK_PERCPU);
	/* Unit 0 stays zero, unit 1 is the slot's lock (locked.c). */
	area.used[0] = 3;
	area.apart = page_units(&percpu, sizeof(percpu));
	mode_choose(&choice, cpus);
	atomic_store_relaxed(&percpu.bound.limit, slots);
	/* pairs with percpu_nr_slots(): the slots are mapped */
	atomic_store_release(&percpu.nr_slots, slots);
	if (choice.mode != PERCPU_LOCKED)
		start_sequences();
	return 0;
}

int percpu_init(void)
{
	return once_run(&percpu_once, bring_up) ? 0 : -1;
}

/* Not in bring_up(), because pthread_atfork() may allocate. */
__attribute__((__constructor__)) static void on_load(void)
{
	percpu_register_fork_handlers();
}

static void set_units(size_t first, size_t n, bool used)
{
	for (size_t unit = first; unit < first + n; unit++) {
		uint64_t bit = 1UL << (unit % BITS);

		if (used)
			area.used[unit / BITS] |= bit;
		else
			area.used[unit / BITS] &= ~bit;
	}
}

/*
 * The first unit from `unit` on that is taken (used: true) or free (used: false); `end` if there is
 * none before it. Units kept apart count as taken.
 */
static size_t next_unit(size_t unit, size_t end, bool used, uint64_t apart)
{
	uint64_t from_here = ~0UL << (unit % BITS);

	for (size_t i = unit / BITS; i * BITS < end; i++) {
		uint64_t taken = area.used[i] | apart;
		uint64_t found = (used ? taken : ~taken) & from_here;

		if (found)
			return min(i * BITS + (size_t)__builtin_ctzl(found), end);
		from_here = ~0UL;
	}
	return end;
}

/* First fit from `first` on, outside the units `apart` of every page. NR_UNITS: nothing fits. */
static size_t find_units(size_t first, size_t n, size_t align_units, uint64_t apart)
{
	for (;;) {
		size_t aligned, end;

		first = next_unit(first, NR_UNITS, false, apart);
		aligned = DIV_ROUND_UP(first, align_units) * align_units;
		if (aligned + n > NR_UNITS)
			return NR_UNITS;
		end = next_unit(aligned, aligned + n, true, apart);
		if (end == aligned + n)
			return aligned;
		first = end;
	}
}

/*
 * Is there room for n units in a row if the units `apart` of each page are left out? The row may go
 * on in the next page.
 */
static bool page_has_room(size_t n, uint64_t apart)
{
	uint64_t starts = ~apart;

	for (size_t i = 1; i < n && starts; i++)
		starts &= ~(apart >> i % BITS | apart << -i % BITS);
	return starts;
}

static unsigned int order_of(size_t n)
{
	return BITS - 1 - (unsigned int)__builtin_clzl(n);
}

/*
 * A process allocates more than a hundred pieces before its first malloc() returns. So a search
 * begins where the last search for the same order ended, until something below is freed. If no page
 * has room for a piece that lies apart, the search ignores the wish.
 */
static size_t take_units(size_t n, size_t align_units, uint64_t apart)
{
	size_t *from, first;

	if (n > NR_UNITS)
		return NR_UNITS;
	apart |= area.apart;
	if (!page_has_room(n, apart))
		apart = 0;
	from = &area.from[order_of(n)];
	first = find_units(*from, n, align_units, apart);
	if (first == NR_UNITS)
		first = find_units(0, n, align_units, apart);
	if (first == NR_UNITS)
		first = find_units(0, n, align_units, 0);
	if (first == NR_UNITS)
		return first;
	/*
	 * A search with a wish or an alignment of its own skips units that others can use, so the
	 * next search must not begin behind them.
	 */
	if (align_units == 1 && (!apart || apart == area.apart))
		*from = first;
	set_units(first, n, true);
	return first;
}

static void give_units(size_t first, size_t n)
{
	set_units(first, n, false);
	for (unsigned int order = 0; order < NR_ORDERS; order++)
		area.from[order] = min(area.from[order], first);
}

/* The units of a piece. A piece of 0 bytes has one. */
static size_t units_of(size_t bytes)
{
	return max(bytes / UNIT_BYTES + !!(bytes % UNIT_BYTES), (size_t)1);
}

static void *alloc_units(size_t bytes, size_t align, uint64_t apart)
{
	size_t first;

	if (percpu_init())
		return NULL;
	lock_acquire(&area.lock);
	first = take_units(units_of(bytes), max(align / UNIT_BYTES, (size_t)1), apart);
	lock_release(&area.lock);
	return first < NR_UNITS ? (void *)(first * UNIT_BYTES) : NULL;
}

void *percpu_alloc(size_t bytes, size_t align)
{
	return alloc_units(bytes, align, 0);
}

void *percpu_alloc_apart(size_t bytes, size_t align, const void *read, size_t read_bytes)
{
	return alloc_units(bytes, align, page_units(read, read_bytes));
}

void percpu_keep_apart(const void *bytes, size_t size)
{
	if (percpu_init())
		return;
	lock_acquire(&area.lock);
	area.apart |= page_units(bytes, size);
	lock_release(&area.lock);
}

void percpu_free(void *piece, size_t bytes)
{
	size_t first = (size_t)piece / UNIT_BYTES;

	if (!piece)
		return;
	for (unsigned int slot = 0; slot < percpu.nr_slots; slot++)
		memset(percpu_ptr(piece, slot), 0, bytes);
	lock_acquire(&area.lock);
	give_units(first, units_of(bytes));
	lock_release(&area.lock);
}

int percpu_current_slot(void)
{
	unsigned int slot;

	if (percpu_has_sequences()) {
		registration_enter_thread();
		slot = rseq_index();
	} else {
		slot = locked_current_slot();
	}
	if (unlikely(slot >= percpu_nr_slots()) && !percpu_slot_make(slot))
		return -1;
	return slot < atomic_load_relaxed(&percpu.bound.limit) ? (int)slot : -1;
}

void percpu_array_touch(struct percpu_array *array)
{
	int slot = percpu_current_slot();
	uint32_t none = 0;

	if (!array || slot < 0)
		return;
	if (!percpu_has_sequences()) {
		locked_slot_touch((unsigned int)slot);
		return;
	}
	array = percpu_ptr(array, (unsigned int)slot);
	/* If the array is in use the limit is not 0, and nothing is stored. */
	atomic_cas_relaxed(&array->limit, &none, 0);
}

bool percpu_array_prepare(struct percpu_array *array, uint32_t limit)
{
	int slot = percpu_current_slot();
	void *nothing = NULL;
	struct percpu_array *here;

	if (!array || slot < 0)
		return false;
	if (!percpu_has_sequences())
		return locked_prepare(array, limit);
	here = percpu_ptr(array, (unsigned int)slot);
	if (likely(atomic_load_relaxed(&here->limit) == limit))
		return false;
	/* Touches the page. A swap of NULL for NULL changes no item, whatever the owner does. */
	atomic_cas_relaxed(&here->items[limit - 1], &nothing, NULL);
	/* Any writer may be the last: each stores a limit that the array has room for. */
	atomic_store_relaxed(&here->limit, limit);
	return true;
}

void percpu_generations_prepare(struct percpu_array *array, unsigned int half)
{
	int slot = percpu_current_slot();
	unsigned long unprepared = 0;
	void *nothing = NULL;

	if (!array || slot < 0)
		return;
	if (!percpu_has_sequences()) {
		locked_prepare_first(array, 2 * half);
		return;
	}
	array = percpu_ptr(array, (unsigned int)slot);
	/* A load of the whole head would wait for the last push, which stored only half of it. */
	if (atomic_load_relaxed(&array->limit))
		return;
	/* Touches the page. A swap of NULL for NULL changes no item, whatever the owner does. */
	atomic_cas_relaxed(&array->items[2 * half - 1], &nothing, NULL);
	/* No sequence stores to a head that is 0. A stopped head is not 0, so the swap fails. */
	atomic_cas_relaxed(percpu_head(array), &unprepared, percpu_make_head(0, 2 * half));
}

/*
 * Further tries. An aborted sequence had no effect, so it simply runs again. PERCPU_MAX_ABORTS
 * aborts in a row mean that a debugger steps through the thread, or that the CPU is hopelessly
 * contended. Then the answer is "empty" or "full".
 */
#define AGAIN(sequence)							\
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) \
		if (sequence)						\
			return result;

void *percpu_pop_slow(struct percpu_array *array)
{
	void *result;

	if (!percpu_has_sequences())
		return locked_pop(array);
	AGAIN(rseq_pop(array, &result));
	return NULL;
}

bool percpu_push_slow(struct percpu_array *array, void *item)
{
	bool result;

	if (!percpu_has_sequences())
		return locked_push(array, item);
	AGAIN(rseq_push(array, item, &result));
	return false;
}

unsigned int percpu_pop_n_slow(struct percpu_array *array, void **out, unsigned int n)
{
	unsigned int result;

	if (!percpu_has_sequences())
		return locked_pop_n(array, out, n);
	AGAIN(rseq_pop_n(array, out, n, &result));
	return 0;
}

unsigned int percpu_push_n_slow(struct percpu_array *array, void *const *in, unsigned int n)
{
	unsigned int result;

	if (!percpu_has_sequences())
		return locked_push_n(array, in, n);
	AGAIN(rseq_push_n(array, in, n, &result));
	return 0;
}

unsigned int percpu_take_older(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order)
{
	unsigned int result;

	if (!percpu_has_sequences())
		return locked_take_older(array, out, half, least, order);
	AGAIN(rseq_take_older(array, out, half, least, order, &result));
	return 0;
}

void *percpu_list_pop_slow(struct percpu_list *list)
{
	void *result;

	if (!percpu_has_sequences())
		return cas_list_pop(list);
	AGAIN(rseq_list_pop(list, &result));
	return NULL;
}

bool percpu_list_push_slow(struct percpu_list *list, void *item)
{
	bool result;

	if (!percpu_has_sequences())
		return cas_list_push(list, item);
	AGAIN(rseq_list_push(list, item, &result));
	return false;
}

void *percpu_tagged_pop_slow(struct percpu_tagged_list *list, uint32_t link_offset)
{
	void *result;

	if (!percpu_has_sequences())
		return cas_tagged_pop(list, link_offset);
	AGAIN(rseq_tagged_pop(list, link_offset, &result));
	return NULL;
}

bool percpu_tagged_push_slow(struct percpu_tagged_list *list, void *item, uint32_t link_offset,
			     unsigned long mask)
{
	bool result;

	if (!percpu_has_sequences())
		return cas_tagged_push(list, item, link_offset, mask);
	AGAIN(rseq_tagged_push(list, item, link_offset, mask, &result));
	return false;
}

bool percpu_tagged_cas(struct percpu_tagged_list *list, unsigned long old, unsigned long new)
{
	bool result;

	if (!percpu_has_sequences())
		return cas_tagged_cas(list, old, new);
	AGAIN(rseq_tagged_cas(list, old, new, &result));
	return false;
}

bool percpu_tagged_read(struct percpu_tagged_list *list, unsigned long *head)
{
	int slot = percpu_current_slot();

	if (slot < 0)
		return false;
	list = percpu_ptr(list, (unsigned int)slot);
	/*
	 * Pairs with start_head() (remote.c) and swap_head() (cas_list.c): the items. A sequence
	 * commits by a plain store, which this does not pair with. So the caller may not read what
	 * the item at the head holds: see percpu_tagged_read() in tagged_list.h.
	 */
	*head = atomic_load_acquire(&list->head);
	return true;
}
