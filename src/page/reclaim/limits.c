/* SPDX-License-Identifier: MIT */
#include "page/reclaim/limits.h"

#include <errno.h>

#include "mm/memmap.h"
#include "os/machine/cgroup.h"
#include "os/os.h"
#include "os/report/process.h"
#include "page/budget.h"
#include "page/reclaim/pressure.h"
#include "page/reclaim/release.h"
#include "page/scopes.h"
#include "page/zone.h"
#include "percpu/vfork.h"
#include "usermm/reclaim.h"

/* How many pages are handed out between two looks at the clock: at most, and at least. */
#define STEP_PAGES_MAX ((long)(4 * MIB / PAGE_SIZE))
#define STEP_PAGES_MIN ((long)(1 * MIB / PAGE_SIZE))
/* This share of a limit, within bounds, is kept free for what others do meanwhile. */
#define MARGIN_SHARE 16
#define MARGIN_BYTES_MIN (4 * MIB)
#define MARGIN_BYTES_MAX (64 * MIB)
/*
 * It takes milliseconds to make all layers give back what they keep (a trim). The pause after a
 * trim depends on whether it freed at least TRIM_WORTHWHILE_BYTES. If so, the pause is TRIM_PAUSES
 * times as long as the trim took, otherwise TRIM_MS.
 *
 * If less than a quarter of the margin is left, the pause is shorter, since a program can free and
 * take several MiB in a few milliseconds: there is none after a worthwhile trim, and otherwise it
 * is as long as the trim took.
 */
#define TRIM_MS 200
#define TRIM_PAUSES 8
#define TRIM_WORTHWHILE_BYTES (1 * MIB)

long limits_left = STEP_PAGES_MAX;
unsigned int limits_known_ms = 100;
bool limits_are_near;
struct limits_counts limits_counts;

/* 0, or 1 + the generation (fork) of the process whose thread is looking. Sync: atomic */
static uint64_t gate;

/* Sync: gate */
static struct {
	uint64_t looked_ms, trimmed_ms;	/* when this was last done; 0: never */
	uint64_t trim_ms;	/* how long it took, rounded up */
	size_t trimmed_bytes;
	long armed;		/* limits_left was set to this */
	uint64_t spare;		/* bytes that may be taken before usage is read again */
} last = { .armed = STEP_PAGES_MAX };

static bool may_look(void)
{
	return page_is_up() && lock_none_held() && !process_files_are_forbidden() &&
	       !(scopes_current() & SCOPE_NORECLAIM);
}

static bool gate_try(void)
{
	uint64_t own = (uint64_t)os_fork_generation + 1, now = atomic_load_relaxed(&gate);

	/* pairs with gate_leave(): the last looker's times */
	return now != own && atomic_cas_acquire(&gate, &now, own);
}

static void gate_leave(void)
{
	/* pairs with gate_try() */
	atomic_store_release(&gate, 0UL);
}

static void count(unsigned long *counter)
{
	atomic_add_relaxed(counter, 1UL);
}

/* --- Limits that change ---------------------------------------------------------------- */

static void follow_limits(void)
{
	struct os_limit limit = { UINT64_MAX, "none" };

	count(&limits_counts.followed);
	os_take_changing_limits(&limit, true);
	if (!mm_knows_limits())
		page_read_limits();
	if (!mm_budget_may_change())
		return;
	mm_lower_to_budget(&limit);
	budget_resize(&limit);
}

static bool are_old(uint64_t now)
{
	return !last.looked_ms || now - last.looked_ms >= limits_known_ms;
}

static void follow_if_old(uint64_t now)
{
	if (!are_old(now))
		return;
	last.looked_ms = now;
	follow_limits();
}

/* --- Near a limit ------------------------------------------------------------------------ */

static uint64_t margin(uint64_t limit)
{
	return clamp(limit / MARGIN_SHARE, MARGIN_BYTES_MIN, MARGIN_BYTES_MAX);
}

static uint64_t trim_pause_ms(bool urgent)
{
	bool worthwhile = last.trimmed_bytes >= TRIM_WORTHWHILE_BYTES;

	if (urgent)
		return worthwhile ? 0 : last.trim_ms;
	return worthwhile ? TRIM_PAUSES * last.trim_ms : TRIM_MS;
}

static void trim(uint64_t now, bool urgent)
{
	if (last.trimmed_ms && now - last.trimmed_ms < trim_pause_ms(urgent))
		return;
	count(&limits_counts.trimmed);
	last.trimmed_bytes = usermm_trim(0);
	last.trimmed_ms = os_time_ms();
	last.trim_ms = last.trimmed_ms - now + 1;
}

static void make_room(const struct os_cgroup_room *room, uint64_t bytes, uint64_t now)
{
	uint64_t wanted = bytes + margin(room->limit), lacking = wanted - room->bytes;

	count(&limits_counts.near);
	if (release_dirty(DIV_ROUND_UP(lacking, PAGE_SIZE)) * PAGE_SIZE < lacking)
		trim(now, room->bytes < bytes + margin(room->limit) / 4);
}

/*
 * The bytes that a new mapping will probably use. One larger than the limit is hardly meant to be
 * written to everywhere, and counts as 0.
 */
static uint64_t likely_bytes(uint64_t bytes, uint64_t limit)
{
	return bytes < limit ? bytes : 0;
}

/* Reads the usage, and makes room if that is too much. */
static void ask_cgroup(uint64_t bytes, uint64_t now)
{
	struct os_cgroup_room room;
	uint64_t wanted;

	count(&limits_counts.asked);
	os_cgroup_read_room(bytes, &room);
	last.spare = UINT64_MAX;
	atomic_store_relaxed(&limits_are_near, false);
	if (room.bytes == UINT64_MAX)
		return;
	bytes = likely_bytes(bytes, room.limit);
	wanted = bytes + margin(room.limit);
	atomic_store_relaxed(&limits_are_near, room.bytes < wanted);
	if (room.bytes < wanted)
		make_room(&room, bytes, now);
	last.spare = (room.bytes - min(room.bytes, wanted)) / 2;
}

static void arm(void)
{
	last.armed = (long)clamp(last.spare / PAGE_SIZE, (uint64_t)STEP_PAGES_MIN,
				 (uint64_t)STEP_PAGES_MAX);
	atomic_store_relaxed(&limits_left, last.armed);
}

static void look(uint64_t bytes)
{
	uint64_t now = os_time_ms();
	uint64_t taken = (uint64_t)(last.armed - atomic_load_relaxed(&limits_left)) * PAGE_SIZE;

	last.spare -= min(last.spare, taken);
	/* A vfork() child has its parent's memory; but not for long, so the parent may look. */
	if ((are_old(now) || !last.spare) && !percpu_in_vfork_child()) {
		follow_if_old(now);
		ask_cgroup(bytes, now);
	}
	arm();
}

void limits_look(size_t bytes)
{
	if (!may_look() || !gate_try())
		return;
	look(bytes);
	gate_leave();
	if (!percpu_in_vfork_child())
		pressure_watch_again();
}

void limits_refresh(void)
{
	if (!may_look() || percpu_in_vfork_child() || !gate_try())
		return;
	follow_if_old(os_time_ms());
	gate_leave();
}

int limits_open_stall(enum os_cgroup_stall *kind)
{
	int fd;

	if (!gate_try())
		return -EBUSY;
	fd = os_cgroup_open_stall(kind);
	gate_leave();
	return fd;
}
