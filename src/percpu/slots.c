/* SPDX-License-Identifier: MIT */
#include "percpu/slots.h"

#include <errno.h>

#include "os/lock.h"
#include "os/os.h"
#include "percpu/percpu.h"
#include "percpu/vfork.h"

#define FIRST_SLOTS 4
/* All slots together take at most this part (1/16) of the process's limits. */
#define LIMIT_SHARE 16
/* How long to wait before another try after the system has refused a slot. */
#define REFUSED_MS 1000
/* How many places are tried for slots without a reservation. */
#define PLACES_TRIED 8

unsigned int percpu_first_slots = FIRST_SLOTS;

static struct lock slots_lock;		/* RANK_PERCPU */
static unsigned int max_slots;		/* Sync: constant after percpu_init() */
static bool are_reserved;		/* Sync: slots_lock */
/* Sync: slots_lock; when the system last refused more slots; 0: never */
static uint64_t refused_ms;

static size_t slots_bytes(unsigned int nr)
{
	return (size_t)nr << PERCPU_SLOT_SHIFT;
}

static unsigned int within_limits(unsigned int wanted)
{
	uint64_t share = min(os_address_space_limit(), os_data_limit()) / LIMIT_SHARE;

	return (unsigned int)clamp(share / PERCPU_SLOT_BYTES, 1UL, (uint64_t)wanted);
}

/* Chooses addresses where neither the system places mappings nor usermm its window. */
static int choose(unsigned int first, unsigned int wanted, void **addr)
{
	uint64_t space = os_address_space_bytes();

	for (unsigned int tries = 0; tries < PLACES_TRIED; tries++) {
		unsigned long start = space / 16 * 7 +
				      ALIGN_DOWN(os_random() % (space / 32), PERCPU_SLOT_BYTES);

		*addr = (void *)start;
		if (slots_bytes(wanted) < space / 32 && !os_map_at(*addr, slots_bytes(first)))
			return 0;
	}
	return -ENOMEM;
}

static int reserve(unsigned int first, unsigned int wanted, void **addr)
{
	int error;

	are_reserved = os_address_space_limit() == UINT64_MAX;
	if (!are_reserved)
		return choose(first, wanted, addr);
	error = os_reserve(slots_bytes(wanted), os_page_bytes(), addr);
	if (error)
		return error;
	error = os_commit(*addr, slots_bytes(first));
	if (error)
		os_unmap(*addr, slots_bytes(wanted));
	return error;
}

/* Addresses that must be left: without them malloc() could not even map single blocks. */
#define SPARE_BYTES (256 * KIB)

static bool leaves_some(void)
{
	return os_address_space_limit() == UINT64_MAX || os_can_map(SPARE_BYTES);
}

/* Tries all slots, then half as many, and so on. A CPU without a slot takes the slow path. */
static int map_some(unsigned int *nr, void **addr)
{
	int error;

	for (;; *nr /= 2) {
		error = os_map_lazily(slots_bytes(*nr), os_page_bytes(), addr);
		if (!error && leaves_some())
			return 0;
		if (!error) {
			os_unmap(*addr, slots_bytes(*nr));
			error = -ENOMEM;
		}
		if (*nr == 1)
			return error;
	}
}

int percpu_slots_init(unsigned int wanted, unsigned int *nr)
{
	int error = -ENOMEM;
	void *addr;

	*nr = min(wanted, percpu_first_slots);
	if (*nr < wanted) {
		wanted = within_limits(wanted);
		*nr = min(wanted, *nr);
	}
	if (*nr < wanted)
		error = reserve(*nr, wanted, &addr);
	if (error) {
		error = map_some(nr, &addr);
		wanted = *nr;
	}
	if (error)
		return error;
	percpu.slots = addr;
	max_slots = wanted;
	lock_init(&slots_lock, RANK_PERCPU);
	return 0;
}

/* The caller holds slots_lock. */
static void make_up_to(unsigned int nr)
{
	unsigned int before = percpu.nr_slots;
	char *addr = percpu.slots + slots_bytes(before);
	size_t bytes = slots_bytes(nr - before);

	if (refused_ms && os_time_ms() - refused_ms < REFUSED_MS)
		return;
	if (are_reserved ? os_commit(addr, bytes) : os_map_at(addr, bytes)) {
		refused_ms = os_time_ms();
		return;
	}
	/* pairs with percpu_nr_slots(), also in change_children(): the slots are mapped */
	atomic_store_release(&percpu.nr_slots, nr);
	percpu_bound_renew();
}

/* While percpu_nr_slots() is 0, another thread may be in percpu_init(): slots_lock is not made. */
bool percpu_slot_make(unsigned int slot)
{
	if (!percpu_nr_slots() || slot >= max_slots || !lock_acquire_unless_handler(&slots_lock))
		return false;
	if (slot >= percpu.nr_slots)
		make_up_to(slot + 1);
	lock_release(&slots_lock);
	return slot < percpu_nr_slots();
}

bool percpu_slots_give_up_reservation(void)
{
	bool given_up;

	if (!percpu_nr_slots() || !lock_acquire_unless_handler(&slots_lock))
		return false;
	given_up = are_reserved && max_slots > percpu.nr_slots &&
		   !os_unmap(percpu.slots + slots_bytes(percpu.nr_slots),
			     slots_bytes(max_slots - percpu.nr_slots));
	are_reserved &= !given_up;
	lock_release(&slots_lock);
	return given_up;
}
