/* SPDX-License-Identifier: MIT */
/*
 * Controls (usermm/control.h): one table (controls.def) of what a running process can read and
 * change. mallctl.c offers the same controls to programs as usermm.NAME, and control_requests.c
 * offers them to `usermm control`. Counters come from the tables of stats/metrics.h.
 *
 * Sync. Each control's owner says which threads may change it at the same time. Nothing here
 * has state.
 */
#include "usermm/control.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "api/control_requests.h"
#include "base/options.h"
#include "malloc/malloc.h"
#include "malloc/profile/profile.h"
#include "malloc/size_classes.h"
#include "os/lock.h"
#include "page/budget.h"
#include "page/reclaim/release.h"
#include "percpu/percpu.h"
#include "stats/control_request.h"
#include "stats/metrics.h"
#include "usermm/profile.h"
#include "usermm/reclaim.h"

#define DECAY_MS_MIN 10
#define DECAY_MS_MAX 3600000
#define PROFILE_BYTES_MAX (1UL << 40)	/* as the option profile= */

/* --- The controls ------------------------------------------------------------------------- */

static int write_decay(uint64_t ms)
{
	if (ms < DECAY_MS_MIN || ms > DECAY_MS_MAX)
		return -EINVAL;
	atomic_store_relaxed(&release_interval_ms, (unsigned int)ms);
	return 0;
}

static int write_purge(uint64_t keep_bytes)
{
	malloc_trim(keep_bytes);
	return 0;
}

static int write_profile(uint64_t bytes)
{
	static bool is_changing;	/* Sync: atomic */
	bool nobody = false;
	int error;

	if (bytes > PROFILE_BYTES_MAX)
		return -EINVAL;
	/* pairs with the release below: the tables of the profile */
	if (!atomic_cas_acquire(&is_changing, &nobody, true))
		return -EBUSY;
	error = profile_switch(bytes);
	/* pairs with the acquire above, of the next thread */
	atomic_store_release(&is_changing, false);
	return error;
}

/* The thread that answers requests cannot open /proc/self/maps: the requester copies that file. */
static int write_profile_to(uint64_t fd)
{
	if (fd > INT_MAX)
		return -EBADF;
	return control_requests_is_answering() ? profile_write_samples((int)fd) :
					usermm_heap_profile((int)fd);
}

/*
 * The table holds the texts themselves, and two switches stand in for pointers to functions. The
 * dynamic linker would have to set each pointer at every program's start.
 */
enum control_id {
#define CONTROL(id, name, unit, help, access, read, write) id,
#include "api/controls.def"
#undef CONTROL
	NR_CONTROLS
};

static const struct control {
	char name[16];
	char help[80];
	unsigned char access;	/* CAN_READ | CAN_WRITE */
} controls[NR_CONTROLS] = {
#define CONTROL(id, name, unit, help, access, read, write) { name, help, access },
#include "api/controls.def"
#undef CONTROL
};

static enum control_id find_control(const char *name)
{
	enum control_id id = 0;

	while (id < NR_CONTROLS && strcmp(controls[id].name, name))
		id++;
	return id;
}

static uint64_t read_control(enum control_id id)
{
	switch (id) {
#define CONTROL(id, name, unit, help, access, read, write) case id: return read;
#include "api/controls.def"
#undef CONTROL
	default:
		return 0;
	}
}

static int write_control(enum control_id id, uint64_t value)
{
	switch (id) {
#define CONTROL(id, name, unit, help, access, read, write) case id: return write;
#include "api/controls.def"
#undef CONTROL
	default:
		return -ENOENT;
	}
}

/* --- Counters ------------------------------------------------------------------------------ */

/* A counter is TABLE.METRIC, of a table with one row. */
static bool table_is_offered(const struct metric_table *table)
{
	return !table->has_rows;
}

static const struct metric *find_metric(const char *name, const struct metric_table **table)
{
	size_t length = strcspn(name, ".");

	if (!name[length])
		return NULL;
	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++) {
		*table = &metric_tables[i];
		if (!table_is_offered(*table) || strncmp((*table)->name, name, length) ||
		    (*table)->name[length])
			continue;
		for (unsigned int j = 0; j < (*table)->nr_metrics; j++)
			if (!strcmp((*table)->metrics[j].name, name + length + 1))
				return &(*table)->metrics[j];
	}
	return NULL;
}

struct reading {
	const struct metric *metric;
	uint64_t value;
};

static void read_row(const struct metric_row *row, void *arg)
{
	struct reading *reading = arg;

	reading->value = metric_value(reading->metric, row, 0);
}

static int read_metric(const char *name, uint64_t *old_value, bool writes)
{
	const struct metric_table *table;
	struct reading reading = { find_metric(name, &table), 0 };

	if (!reading.metric)
		return -ENOENT;
	if (writes)
		return -EPERM;
	table->walk(read_row, &reading);
	if (old_value)
		*old_value = reading.value;
	return 0;
}

/* --- Entry points ------------------------------------------------------------------------- */

int usermm_control(const char *name, uint64_t *old_value, const uint64_t *new_value)
{
	enum control_id id = find_control(name);
	uint64_t old = 0;
	int error = 0;

	if (!lock_none_held())		/* a signal handler above a holder of a lock */
		return -EBUSY;
	if (classes_init())
		return -ENOMEM;
	if (id == NR_CONTROLS)
		return read_metric(name, old_value, new_value);
	if ((old_value && !(controls[id].access & CAN_READ)) ||
	    (new_value && !(controls[id].access & CAN_WRITE)))
		return -EPERM;
	if (old_value)
		old = read_control(id);
	if (new_value)
		error = write_control(id, *new_value);
	if (!error && old_value)
		*old_value = old;
	return error;
}

/* Row i of the counters. */
static const struct metric *metric_row(unsigned int i, const struct metric_table **table)
{
	for (unsigned int t = 0; t < NR_METRIC_TABLES; t++) {
		*table = &metric_tables[t];
		if (!table_is_offered(*table))
			continue;
		if (i < (*table)->nr_metrics)
			return &(*table)->metrics[i];
		i -= (*table)->nr_metrics;
	}
	return NULL;
}

bool usermm_control_info(unsigned int i, struct usermm_control_info *info)
{
	const struct metric_table *table;
	const struct metric *metric;

	if (i < NR_CONTROLS) {
		info->help = controls[i].help;
		info->readable = controls[i].access & CAN_READ;
		info->writable = controls[i].access & CAN_WRITE;
		fmt_format(info->name, sizeof(info->name), "%s", controls[i].name);
		return true;
	}
	metric = metric_row(i - NR_CONTROLS, &table);
	if (!metric)
		return false;
	info->help = metric->help;
	info->readable = true;
	info->writable = false;
	fmt_format(info->name, sizeof(info->name), "%s.%s", table->name, metric->name);
	return true;
}
