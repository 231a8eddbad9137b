/* SPDX-License-Identifier: MIT */
/*
 * mallctl(3): the few of jemalloc's names that programs ask for (usermm/mallctl.h).
 *
 * 1. Purpose. A program that runs under libusermm_malloc, and would ask jemalloc how much memory
 *    it has, is told of the memory that it has.
 * 2. Names. One table has them; '%' stands for an arena's number. A MIB has a number for each part
 *    of a name: the arena's, or the first row of the table that is the same up to there.
 * 3. Sync. Numbers are copied when the epoch is written, each by itself: who reads them while
 *    another thread writes the epoch may have some of both. No lock is taken for that.
 */
#include "usermm/mallctl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/malloc.h"
#include "mm/memmap.h"
#include "os/lock.h"
#include "os/os.h"
#include "stats/report.h"
#include "usermm/stats.h"
#include "usermm/usermm.h"

#define NR_ARENAS 1
#define ALL_ARENAS 4096
#define QUANTUM 16
/* A program that is linked with the archive may have functions of these names. */
#define EXPORT_WEAK EXPORT __attribute__((__weak__))

/* --- The numbers ------------------------------------------------------------------------------ */

enum number {
	ALLOCATED, ACTIVE, METADATA, RESIDENT, MAPPED, RETAINED, ACTIVE_PAGES, DIRTY_PAGES,
	NR_NUMBERS
};

/* Sync: atomic relaxed */
static uint64_t epoch;
static size_t numbers[NR_NUMBERS];

/* Not above a holder of one of the locks that this takes. */
static void refresh(void)
{
	struct usermm_stats stats;

	if (!lock_none_held())
		return;
	usermm_stats_read(&stats);
	atomic_store_relaxed(&numbers[ALLOCATED], stats.allocated_bytes);
	atomic_store_relaxed(&numbers[ACTIVE], stats.active_bytes);
	atomic_store_relaxed(&numbers[METADATA], stats.metadata_bytes);
	atomic_store_relaxed(&numbers[RESIDENT], max(stats.resident_bytes, stats.active_bytes));
	atomic_store_relaxed(&numbers[MAPPED], stats.active_bytes + stats.metadata_bytes);
	atomic_store_relaxed(&numbers[RETAINED], stats.released_bytes);
	atomic_store_relaxed(&numbers[ACTIVE_PAGES], stats.active_bytes / PAGE_SIZE);
	atomic_store_relaxed(&numbers[DIRTY_PAGES],
			     (stats.dirty_bytes + stats.pcp_bytes + stats.large_kept_bytes) /
			     PAGE_SIZE);
	atomic_add_relaxed(&epoch, 1UL);
}

static size_t number(enum number which)
{
	if (!atomic_load_relaxed(&epoch))
		refresh();
	return atomic_load_relaxed(&numbers[which]);
}

/* --- The names -------------------------------------------------------------------------------- */

enum access {
	READ_ONLY, WRITE_EPOCH, WRITE_BACKGROUND_THREAD, WRITE_MAX_BACKGROUND_THREADS, TRIM
};

struct row {
	char name[28];
	unsigned char size;	/* the value's; 0: a text's address */
	unsigned char access;
};

#define ROWS(ROW)									\
	ROW("version", 0, READ_ONLY, 0)							\
	ROW("epoch", sizeof(uint64_t), WRITE_EPOCH, atomic_load_relaxed(&epoch))	\
	ROW("background_thread", sizeof(bool), WRITE_BACKGROUND_THREAD, has_background_thread()) \
	ROW("max_background_threads", sizeof(size_t), WRITE_MAX_BACKGROUND_THREADS, 1)	\
	ROW("config.prof", sizeof(bool), READ_ONLY, false)				\
	ROW("config.stats", sizeof(bool), READ_ONLY, true)				\
	ROW("opt.background_thread", sizeof(bool), READ_ONLY, has_background_thread())	\
	ROW("opt.narenas", sizeof(unsigned int), READ_ONLY, NR_ARENAS)			\
	ROW("opt.prof", sizeof(bool), READ_ONLY, false)					\
	ROW("opt.stats_print", sizeof(bool), READ_ONLY, options.stats != 0)		\
	ROW("arenas.narenas", sizeof(unsigned int), READ_ONLY, NR_ARENAS)		\
	ROW("arenas.page", sizeof(size_t), READ_ONLY, PAGE_SIZE)			\
	ROW("arenas.quantum", sizeof(size_t), READ_ONLY, QUANTUM)			\
	ROW("arena.%.purge", 0, TRIM, 0)						\
	ROW("arena.%.decay", 0, TRIM, 0)						\
	ROW("stats.allocated", sizeof(size_t), READ_ONLY, number(ALLOCATED))		\
	ROW("stats.active", sizeof(size_t), READ_ONLY, number(ACTIVE))			\
	ROW("stats.metadata", sizeof(size_t), READ_ONLY, number(METADATA))		\
	ROW("stats.resident", sizeof(size_t), READ_ONLY, number(RESIDENT))		\
	ROW("stats.mapped", sizeof(size_t), READ_ONLY, number(MAPPED))			\
	ROW("stats.retained", sizeof(size_t), READ_ONLY, number(RETAINED))		\
	ROW("stats.arenas.%.pactive", sizeof(size_t), READ_ONLY, number(ACTIVE_PAGES))	\
	ROW("stats.arenas.%.pdirty", sizeof(size_t), READ_ONLY, number(DIRTY_PAGES))	\
	ROW("stats.arenas.%.pmuzzy", sizeof(size_t), READ_ONLY, 0)			\
	ROW("stats.arenas.%.resident", sizeof(size_t), READ_ONLY, number(RESIDENT))	\
	ROW("stats.arenas.%.mapped", sizeof(size_t), READ_ONLY, number(MAPPED))		\
	ROW("stats.arenas.%.retained", sizeof(size_t), READ_ONLY, number(RETAINED))

static const struct row rows[] = {
#define ROW(name, size, access, value) { name, size, access },
	ROWS(ROW)
#undef ROW
};

static bool has_background_thread(void)
{
	return options.background != OPTION_BACKGROUND_OFF;
}

/* The cases are the rows' numbers. */
static uint64_t value_of(const struct row *row)
{
	enum { FIRST = __COUNTER__ + 1 };

	switch (row - rows) {
#define ROW(name, size, access, value) case __COUNTER__ - FIRST: return value;
	ROWS(ROW)
#undef ROW
	default:
		return 0;
	}
}

static bool arena_is_there(size_t arena)
{
	return arena <= NR_ARENAS || arena == ALL_ARENAS;
}

/* "%", and no other part has one. */
static bool part_is_arena(const char *part)
{
	return *part == '%';
}

static const char *next_part(const char *part)
{
	part += strcspn(part, ".");
	return *part ? part + 1 : NULL;
}

static unsigned int count_parts(const char *name)
{
	unsigned int nr = 0;

	for (; name; name = next_part(name))
		nr++;
	return nr;
}

static bool read_arena(const char **text, size_t *arena)
{
	const char *digit = *text;

	for (*arena = 0; *digit >= '0' && *digit <= '9' && *arena <= ALL_ARENAS; digit++)
		*arena = *arena * 10 + (size_t)(*digit - '0');
	if (digit == *text || !arena_is_there(*arena))
		return false;
	*text = digit;
	return true;
}

/* Is the name this row's, or what some of its first parts are? */
static bool is_name_of(const struct row *row, const char *name, size_t *arena)
{
	const char *own = row->name;

	for (; *own; own++) {
		if (part_is_arena(own)) {
			if (!read_arena(&name, arena))
				return false;
		} else if (*own == *name) {
			name++;
		} else {
			return !*name && *own == '.';
		}
	}
	return !*name;
}

static const struct row *find_name(const char *name, size_t *arena)
{
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++)
		if (is_name_of(row, name, arena))
			return row;
	return NULL;
}

/* The number that stands for a row's name up to the end of that part. */
static size_t number_of_part(const struct row *row, const char *part)
{
	size_t length = (size_t)(part - row->name) + strcspn(part, ".");

	for (size_t i = 0;; i++)
		if (!strncmp(rows[i].name, row->name, length) &&
		    (rows[i].name[length] == '.' || !rows[i].name[length]))
			return i;
}

static bool is_mib_of(const struct row *row, const size_t *mib, size_t length)
{
	const char *part = row->name;

	if (count_parts(row->name) != length)
		return false;
	for (; part; part = next_part(part), mib++)
		if (part_is_arena(part) ? !arena_is_there(*mib) :
					  *mib != number_of_part(row, part))
			return false;
	return true;
}

/* --- Reading and writing ---------------------------------------------------------------------- */

/* A value goes out as its own type: a uint64_t's first bytes are not a bool on all machines. */
static int read_value(const struct row *row, void *old, size_t *old_bytes)
{
	static const char version[] = "usermm " USERMM_VERSION;
	union {
		uint64_t u64;
		size_t size;
		unsigned int number;
		bool truth;
		const char *text;
	} value;
	uint64_t number = value_of(row);
	size_t bytes = row->size ? row->size : sizeof(value.text), fits;

	if (!old || !old_bytes)
		return 0;
	if (!row->size)
		value.text = version;
	else if (row->size == sizeof(bool))
		value.truth = number;
	else if (row->size == sizeof(unsigned int))
		value.number = (unsigned int)number;
	else
		value.u64 = number;
	fits = min(bytes, *old_bytes);
	memcpy(old, &value, fits);
	if (*old_bytes == bytes)
		return 0;
	*old_bytes = fits;
	return EINVAL;
}

/* Threads are for options to say: what they are already may be written. */
static int write_value(const struct row *row, const void *new)
{
	size_t threads;
	unsigned char wanted;	/* what is no bool counts as true */

	switch (row->access) {
	case WRITE_EPOCH:
		refresh();
		return 0;
	case WRITE_BACKGROUND_THREAD:
		memcpy(&wanted, new, sizeof(wanted));
		return !wanted == !has_background_thread() ? 0 : EPERM;
	default:
		memcpy(&threads, new, sizeof(threads));
		return threads == 1 ? 0 : EINVAL;
	}
}

static int access_value(const struct row *row, void *old, size_t *old_bytes, const void *new,
			size_t new_bytes)
{
	int error = 0;

	if (row->access == TRIM) {
		if (old || old_bytes || new || new_bytes)
			return EPERM;
		malloc_trim(0);
		return 0;
	}
	if (row->access == READ_ONLY && (new || new_bytes))
		return EPERM;
	if (new && new_bytes != row->size)
		return EINVAL;
	/* The new epoch is what is read. */
	if (new && row->access == WRITE_EPOCH)
		return write_value(row, new) ?: read_value(row, old, old_bytes);
	error = read_value(row, old, old_bytes);
	return error || !new ? error : write_value(row, new);
}

EXPORT_WEAK int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
	size_t arena;
	const struct row *row = find_name(name, &arena);

	if (!row || count_parts(name) != count_parts(row->name))
		return ENOENT;
	return access_value(row, oldp, oldlenp, newp, newlen);
}

EXPORT_WEAK int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
{
	size_t arena = 0, length = 0, wanted = min((size_t)count_parts(name), *miblenp);
	const struct row *row = find_name(name, &arena);
	const char *part;

	if (!row)
		return ENOENT;
	for (part = row->name; length < wanted; part = next_part(part))
		mibp[length++] = part_is_arena(part) ? arena : number_of_part(row, part);
	*miblenp = length;
	return 0;
}

EXPORT_WEAK int mallctlbymib(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp,
			     void *newp, size_t newlen)
{
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++)
		if (is_mib_of(row, mib, miblen))
			return access_value(row, oldp, oldlenp, newp, newlen);
	return ENOENT;
}

/* --- malloc_stats_print(3) ------------------------------------------------------------------ */

/*
 * jemalloc's own would ask mallctl() for hundreds of names, and end the process when one of them
 * is not known.
 */
EXPORT_WEAK void malloc_stats_print(void (*write_cb)(void *cbopaque, const char *text),
				    void *cbopaque, const char *opts)
{
	struct fmt_writer out;

	if (write_cb)
		fmt_writer_open_for(&out, write_cb, cbopaque);
	else
		fmt_writer_open(&out, STDERR_FILENO);
	if (opts && strchr(opts, 'J'))
		stats_print_json(&out);
	else
		stats_print_text(&out);
	fmt_writer_close(&out);
}
