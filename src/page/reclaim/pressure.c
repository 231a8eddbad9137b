/* SPDX-License-Identifier: MIT */
#include "page/reclaim/pressure.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/options.h"
#include "os/background.h"
#include "os/machine/cgroup.h"
#include "os/os.h"
#include "os/report/process.h"
#include "page/reclaim/limits.h"
#include "usermm/reclaim.h"

/* Memory is given back at most once in this time. */
#define TRIM_MS 1000
/* The cgroup is under pressure if its tasks stall for more than one part in so many of the time. */
#define STALL_SHARE 10

unsigned int pressure_look_ms = 250;

/*
 * One word for the file: CLOSED; OPENING, while one thread opens or closes it; OPEN; or MISSING, if
 * there is none. Sync: atomic. Only the thread that set OPENING touches the fields of `watched`; in
 * OPEN only the background thread does.
 */
enum { CLOSED, OPENING, OPEN, MISSING };
static uint32_t state;

static struct {
	int fd;
	enum os_cgroup_stall kind;
	struct os_file_id id;
	unsigned int moves;		/* os_cgroup_moves when it was opened */
	uint64_t value, looked_ms, trimmed_ms;
} watched;

/* The thread has closed the file of a cgroup that the process has left. Sync: atomic */
static bool is_missed;

/* Returns the next state. */
static uint32_t open_file(void)
{
	watched.moves = atomic_load_relaxed(&os_cgroup_moves);
	watched.fd = limits_open_stall(&watched.kind);
	/* CLOSED: a later try may find a free file descriptor. */
	if (watched.fd < 0)
		return watched.fd == -ENOENT ? MISSING : CLOSED;
	/* Another thread has just closed all files. */
	if (os_file_identify(watched.fd, &watched.id))
		return CLOSED;
	if (!os_cgroup_read_stall(watched.fd, watched.kind, &watched.value)) {
		os_close_if_same(watched.fd, &watched.id);
		return MISSING;
	}
	watched.looked_ms = os_time_ms();
	return OPEN;
}

void pressure_watch(void)
{
	uint32_t closed = CLOSED;

	if (options.pressure == OPTION_PRESSURE_OFF || process_files_are_forbidden() ||
	    atomic_load_relaxed(&state) != CLOSED ||
	    /* pairs with close_file(): the fields */
	    !atomic_cas_acquire(&state, &closed, OPENING))
		return;
	/* pairs with pressure_work(): the fields */
	atomic_store_release(&state, open_file());
}

void pressure_watch_again(void)
{
	/* The exchange pairs with pressure_work(): the state CLOSED, for pressure_watch(). */
	if (unlikely(atomic_load_relaxed(&is_missed)) && background_is_running() &&
	    atomic_exchange_acquire(&is_missed, false))
		pressure_watch();
}

static void close_file(void)
{
	uint32_t open = OPEN;

	/* pairs with pressure_watch(): the fields */
	if (!atomic_cas_acquire(&state, &open, OPENING))
		return;
	os_close_if_same(watched.fd, &watched.id);
	/* pairs with pressure_watch(): the fields */
	atomic_store_release(&state, CLOSED);
}

/* Has the cgroup stalled enough since the last look? */
static bool has_stalled(uint64_t now)
{
	uint64_t value, more, elapsed_us = (now - watched.looked_ms) * 1000;

	if (!os_file_is(watched.fd, &watched.id) ||
	    !os_cgroup_read_stall(watched.fd, watched.kind, &value))
		return false;
	more = value - min(value, watched.value);
	watched.value = value;
	watched.looked_ms = now;
	return watched.kind == OS_STALL_TIME ? more > elapsed_us / STALL_SHARE : more;
}

static void look(void)
{
	uint64_t now = os_time_ms();

	if (now - watched.looked_ms < pressure_look_ms || !has_stalled(now) ||
	    (watched.trimmed_ms && now - watched.trimmed_ms < TRIM_MS))
		return;
	watched.trimmed_ms = now;
	atomic_add_relaxed(&limits_counts.stalled, 1UL);
	usermm_trim(0);
}

unsigned int pressure_work(unsigned int again_ms)
{
	if (!again_ms)
		atomic_store_relaxed(&is_missed, false);
	/* pairs with pressure_watch(): the fields */
	if (atomic_load_acquire(&state) != OPEN)
		return again_ms;
	if (again_ms && watched.moves != atomic_load_relaxed(&os_cgroup_moves)) {
		close_file();
		/* pairs with pressure_watch_again(): the state CLOSED */
		atomic_store_release(&is_missed, true);
		return again_ms;
	}
	look();
	if (again_ms)
		return min(again_ms, pressure_look_ms);
	close_file();
	return 0;
}

void pressure_forget(void)
{
	atomic_store_relaxed(&is_missed, false);
	/* The parent's thread that was opening the file is not here, so nobody knows its number. */
	if (atomic_load_relaxed(&state) == OPENING)
		atomic_store_relaxed(&state, CLOSED);
	close_file();
}
