/* SPDX-License-Identifier: MIT */
/*
 * mallctl(3): those of jemalloc's names that programs ask for (usermm/mallctl.h).
 *
 * 1. Purpose. Programs ask jemalloc how much memory they have. Under libusermm_malloc the same
 *    calls answer with usermm's numbers.
 * 2. Names. One table has them; '%' stands for an arena's number, '#' for a bin's. A MIB has a
 *    number for each part of a name: the arena's, the bin's, or the number of the first row in the
 *    table whose name is the same up to this part.
 * 3. Arenas and thread caches that a program creates are only numbers. All memory is in arena 0.
 * 4. Sync. A write to the epoch copies the numbers, one by one and without a lock. A thread that
 *    reads meanwhile may get some old and some new ones.
 */
#include "usermm/mallctl.h"

#include <errno.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/options.h"
#include "base/text.h"
#include "malloc/malloc.h"
#include "malloc/size_classes.h"
#include "mm/memmap.h"
#include "os/lock.h"
#include "os/os.h"
#include "slab/partial.h"
#include "stats/report.h"
#include "usermm/control.h"
#include "usermm/stats.h"
#include "usermm/usermm.h"

#define ALL_ARENAS 4096
/* MALLOCX_ARENA() and MALLOCX_TCACHE() have no room for larger numbers. */
#define NR_ARENAS_MAX 4095
#define NR_TCACHES 4095
#define WORD_BITS (8 * sizeof(unsigned long))
#define QUANTUM 16

/* --- The numbers ------------------------------------------------------------------------------ */

enum number {
	ALLOCATED, ACTIVE, METADATA, RESIDENT, MAPPED, RETAINED, ACTIVE_PAGES, DIRTY_PAGES,
	SMALL_ALLOCATED, LARGE_ALLOCATED, NR_NUMBERS
};

/* The numbers of a size class, which jemalloc calls a bin. */
enum bin_number { OBJECTS, SLABS, NR_BIN_NUMBERS };

/* Sync: atomic relaxed */
static uint64_t epoch;
static size_t numbers[NR_NUMBERS];
static size_t bin_numbers[CLASS_COUNT][NR_BIN_NUMBERS] __large_bss;

/* Copies a class's numbers; returns the bytes of its objects. An unused class has no cache. */
static size_t refresh_bin(unsigned int bin)
{
	struct kmem_cache *cache = class_of(class_bytes(bin));
	struct slab_usage slabs = { 0 };
	unsigned long objects = 0;

	if (cache)
		objects = slab_objects_in_use(cache, &slabs);
	atomic_store_relaxed(&bin_numbers[bin][OBJECTS], objects);
	atomic_store_relaxed(&bin_numbers[bin][SLABS], slabs.slabs);
	return objects * class_bytes(bin);
}

/*
 * Does nothing in a signal handler that interrupted a holder of any lock, since this takes locks.
 */
static void refresh(void)
{
	struct usermm_stats stats;
	size_t small = 0;

	if (!lock_none_held())
		return;
	usermm_stats_read(&stats);
	for (unsigned int bin = 0; bin < CLASS_COUNT; bin++)
		small += refresh_bin(bin);
	small = min(small, (size_t)stats.allocated_bytes);
	atomic_store_relaxed(&numbers[SMALL_ALLOCATED], small);
	atomic_store_relaxed(&numbers[LARGE_ALLOCATED], stats.allocated_bytes - small);
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

static size_t bin_number(size_t bin, enum bin_number which)
{
	if (!atomic_load_relaxed(&epoch))
		refresh();
	return atomic_load_relaxed(&bin_numbers[bin][which]);
}

/* Objects in a slab of the class; 1 if the class has no cache yet. */
static unsigned int bin_slab_objects(size_t bin)
{
	const struct kmem_cache *cache = class_of(class_bytes((unsigned int)bin));

	return cache ? cache->objects : 1;
}

/* --- Arenas and thread caches ----------------------------------------------------------------- */

/* Sync: atomic relaxed */
static unsigned int nr_arenas = 1;
/* A bit for each thread cache, set while it is in use. Sync: atomic relaxed */
static unsigned long tcaches[DIV_ROUND_UP(NR_TCACHES, WORD_BITS)];

static bool arena_is_there(size_t arena)
{
	return arena <= atomic_load_relaxed(&nr_arenas) || arena == ALL_ARENAS;
}

/*
 * What a row of the statistics reports for an arena. Arena 0, the index nr_arenas and ALL_ARENAS
 * stand for all memory: they report of_all. Arenas that the program created have no memory: 0.
 */
static size_t arena_number(size_t arena, size_t of_all)
{
	return arena && arena < atomic_load_relaxed(&nr_arenas) ? 0 : of_all;
}

static int create_arena(unsigned int *arena)
{
	unsigned int nr = atomic_load_relaxed(&nr_arenas);

	do {
		if (nr == NR_ARENAS_MAX)
			return EAGAIN;
	} while (!atomic_cas_relaxed(&nr_arenas, &nr, nr + 1));
	*arena = nr;
	return 0;
}

static int create_tcache(unsigned int *tcache)
{
	for (*tcache = 0; *tcache < NR_TCACHES; ++*tcache) {
		unsigned long bit = 1UL << *tcache % WORD_BITS;

		if (!(atomic_or_relaxed(&tcaches[*tcache / WORD_BITS], bit) & bit))
			return 0;
	}
	return EFAULT;
}

static int use_tcache(unsigned int tcache, bool destroy)
{
	unsigned long bit = 1UL << tcache % WORD_BITS, *bits;

	if (tcache >= NR_TCACHES)
		return EFAULT;
	bits = &tcaches[tcache / WORD_BITS];
	if (destroy)
		return atomic_and_relaxed(bits, ~bit) & bit ? 0 : EFAULT;
	return atomic_load_relaxed(bits) & bit ? 0 : EFAULT;
}

/* --- The names -------------------------------------------------------------------------------- */

enum access {
	READ_ONLY, WRITE_EPOCH, WRITE_BACKGROUND_THREAD, WRITE_MAX_BACKGROUND_THREADS,
	WRITE_THREAD_ARENA, TRIM, FLUSH, DISCARD, CREATE_ARENA, CREATE_TCACHE, FLUSH_TCACHE,
	DESTROY_TCACHE
};

/* The numbers that a name has in place of '%' (arena) and '#' (bin). */
struct index {
	size_t arena, bin;
};

struct row {
	char name[32];
	unsigned char size;	/* the value's, in bytes; 0: the address of a text */
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
	ROW("opt.narenas", sizeof(unsigned int), READ_ONLY, 1)				\
	ROW("opt.prof", sizeof(bool), READ_ONLY, false)					\
	ROW("opt.stats_print", sizeof(bool), READ_ONLY, options.stats != 0)		\
	ROW("thread.arena", sizeof(unsigned int), WRITE_THREAD_ARENA, 0)		\
	ROW("thread.tcache.flush", 0, FLUSH, 0)						\
	ROW("tcache.create", sizeof(unsigned int), CREATE_TCACHE, 0)			\
	ROW("tcache.flush", sizeof(unsigned int), FLUSH_TCACHE, 0)			\
	ROW("tcache.destroy", sizeof(unsigned int), DESTROY_TCACHE, 0)			\
	ROW("arenas.narenas", sizeof(unsigned int), READ_ONLY,				\
	    atomic_load_relaxed(&nr_arenas))						\
	ROW("arenas.page", sizeof(size_t), READ_ONLY, PAGE_SIZE)			\
	ROW("arenas.quantum", sizeof(size_t), READ_ONLY, QUANTUM)			\
	ROW("arenas.nbins", sizeof(unsigned int), READ_ONLY, CLASS_COUNT)		\
	ROW("arenas.bin.#.size", sizeof(size_t), READ_ONLY, class_bytes((unsigned int)index->bin)) \
	ROW("arenas.bin.#.nregs", sizeof(uint32_t), READ_ONLY, bin_slab_objects(index->bin)) \
	ROW("arenas.create", sizeof(unsigned int), CREATE_ARENA, 0)			\
	ROW("arena.%.initialized", sizeof(bool), READ_ONLY,				\
	    index->arena < atomic_load_relaxed(&nr_arenas))				\
	ROW("arena.%.reset", 0, DISCARD, 0)						\
	ROW("arena.%.destroy", 0, DISCARD, 0)						\
	ROW("arena.%.purge", 0, TRIM, 0)						\
	ROW("arena.%.decay", 0, TRIM, 0)						\
	ROW("stats.allocated", sizeof(size_t), READ_ONLY, number(ALLOCATED))		\
	ROW("stats.active", sizeof(size_t), READ_ONLY, number(ACTIVE))			\
	ROW("stats.metadata", sizeof(size_t), READ_ONLY, number(METADATA))		\
	ROW("stats.resident", sizeof(size_t), READ_ONLY, number(RESIDENT))		\
	ROW("stats.mapped", sizeof(size_t), READ_ONLY, number(MAPPED))			\
	ROW("stats.retained", sizeof(size_t), READ_ONLY, number(RETAINED))		\
	ROW("stats.arenas.%.pactive", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(ACTIVE_PAGES)))		\
	ROW("stats.arenas.%.pdirty", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(DIRTY_PAGES)))		\
	ROW("stats.arenas.%.pmuzzy", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, 0))		\
	ROW("stats.arenas.%.resident", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(RESIDENT)))		\
	ROW("stats.arenas.%.mapped", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(MAPPED)))		\
	ROW("stats.arenas.%.retained", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(RETAINED)))		\
	ROW("stats.arenas.%.small.allocated", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(SMALL_ALLOCATED)))		\
	ROW("stats.arenas.%.large.allocated", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, number(LARGE_ALLOCATED)))		\
	ROW("stats.arenas.%.bins.#.curregs", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, bin_number(index->bin, OBJECTS)))		\
	ROW("stats.arenas.%.bins.#.curslabs", sizeof(size_t), READ_ONLY,		\
	    arena_number(index->arena, bin_number(index->bin, SLABS)))

static const struct row rows[] = {
#define ROW(name, size, access, value) { name, size, access },
	ROWS(ROW)
#undef ROW
};

static bool has_background_thread(void)
{
	return options.background != OPTION_BACKGROUND_OFF;
}

/* Case i evaluates the value of row i. */
static uint64_t value_of(const struct row *row, const struct index *index)
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

/* Does the part stand for a number? Only "%" and "#" begin with these characters. */
static bool part_is_number(const char *part)
{
	return *part == '%' || *part == '#';
}

/* False if there is no such arena or bin. */
static bool set_index(const char *part, size_t number, struct index *index)
{
	if (*part == '%' ? !arena_is_there(number) : number >= CLASS_COUNT)
		return false;
	*(*part == '%' ? &index->arena : &index->bin) = number;
	return true;
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

static bool read_index(const char **text, const char *part, struct index *index)
{
	const char *digit = *text;
	size_t number = 0;

	for (; *digit >= '0' && *digit <= '9' && number <= ALL_ARENAS; digit++)
		number = number * 10 + (size_t)(*digit - '0');
	if (digit == *text || !set_index(part, number, index))
		return false;
	*text = digit;
	return true;
}

/* Is the name this row's name, or made of some first parts of it? */
static bool is_name_of(const struct row *row, const char *name, struct index *index)
{
	const char *own = row->name;

	for (; *own; own++) {
		if (part_is_number(own)) {
			if (!read_index(&name, own, index))
				return false;
		} else if (*own == *name) {
			name++;
		} else {
			return !*name && *own == '.';
		}
	}
	return !*name;
}

static const struct row *find_name(const char *name, struct index *index)
{
	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++)
		if (is_name_of(row, name, index))
			return row;
	return NULL;
}

/* The number in a MIB for this part of the row's name; see 2. above. */
static size_t number_of_part(const struct row *row, const char *part)
{
	size_t length = (size_t)(part - row->name) + strcspn(part, ".");

	for (size_t i = 0;; i++)
		if (!strncmp(rows[i].name, row->name, length) &&
		    (rows[i].name[length] == '.' || !rows[i].name[length]))
			return i;
}

static size_t number_in_mib(const struct row *row, const char *part, const struct index *index)
{
	if (!part_is_number(part))
		return number_of_part(row, part);
	return *part == '%' ? index->arena : index->bin;
}

static bool is_mib_of(const struct row *row, const size_t *mib, size_t length,
		      struct index *index)
{
	const char *part = row->name;

	if (count_parts(row->name) != length)
		return false;
	for (; part; part = next_part(part), mib++)
		if (part_is_number(part) ? !set_index(part, *mib, index) :
					   *mib != number_of_part(row, part))
			return false;
	return true;
}

/* --- Reading and writing ---------------------------------------------------------------------- */

/* Copies the value in the row's type: on some machines a bool is not a uint64_t's first byte. */
static int read_number(const struct row *row, uint64_t number, void *old, size_t *old_bytes)
{
	static const char version[] = "usermm " USERMM_VERSION;
	union {
		uint64_t u64;
		size_t size;
		unsigned int number;
		bool truth;
		const char *text;
	} value;
	size_t bytes = row->size ? row->size : sizeof(value.text), fits;

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

static int read_value(const struct row *row, const struct index *index, void *old,
		      size_t *old_bytes)
{
	return old && old_bytes ? read_number(row, value_of(row, index), old, old_bytes) : 0;
}

/* Options decide whether there is a thread. So only the present value may be written. */
static int write_value(const struct row *row, const void *new)
{
	size_t threads;
	unsigned int arena;
	unsigned char wanted;	/* a bool; other bytes than 0 and 1 count as true */

	switch (row->access) {
	case WRITE_EPOCH:
		refresh();
		return 0;
	case WRITE_BACKGROUND_THREAD:
		memcpy(&wanted, new, sizeof(wanted));
		return !wanted == !has_background_thread() ? 0 : EPERM;
	case WRITE_THREAD_ARENA:
		memcpy(&arena, new, sizeof(arena));
		return arena < atomic_load_relaxed(&nr_arenas) ? 0 : EFAULT;
	default:
		memcpy(&threads, new, sizeof(threads));
		return threads == 1 ? 0 : EINVAL;
	}
}

/* A row that has no value but does something. DISCARD fails: no arena knows its blocks. */
static int act(const struct row *row)
{
	if (row->access == DISCARD)
		return EFAULT;
	if (row->access == TRIM)
		malloc_trim(0);
	return 0;	/* FLUSH: threads have nothing to flush */
}

/* *hooks is the address of extent hooks. This must be NULL, because nothing would call them. */
static int create(const struct row *row, void *old, size_t *old_bytes, const void *hooks,
		  size_t hooks_bytes)
{
	unsigned int number;
	void *wanted = NULL;
	int error;

	if (row->access == CREATE_TCACHE && (hooks || hooks_bytes))
		return EPERM;
	if (!old || !old_bytes || *old_bytes != row->size ||
	    (hooks && hooks_bytes != sizeof(wanted)))
		return EINVAL;
	if (hooks)
		memcpy(&wanted, hooks, sizeof(wanted));
	if (wanted)
		return EAGAIN;
	error = row->access == CREATE_ARENA ? create_arena(&number) : create_tcache(&number);
	return error ? error : read_number(row, number, old, old_bytes);
}

static int write_tcache(const struct row *row, const void *old, const size_t *old_bytes,
			const void *new, size_t new_bytes)
{
	unsigned int tcache;

	if (old || old_bytes)
		return EPERM;
	if (!new || new_bytes != row->size)
		return EINVAL;
	memcpy(&tcache, new, sizeof(tcache));
	return use_tcache(tcache, row->access == DESTROY_TCACHE);
}

static int access_number(const struct row *row, const struct index *index, void *old,
			 size_t *old_bytes, const void *new, size_t new_bytes)
{
	int error = 0;

	if (row->access == READ_ONLY && (new || new_bytes))
		return EPERM;
	if (new && new_bytes != row->size)
		return EINVAL;
	/* The epoch is read after it is written: the caller gets the new one. */
	if (new && row->access == WRITE_EPOCH)
		return write_value(row, new) ?: read_value(row, index, old, old_bytes);
	error = read_value(row, index, old, old_bytes);
	return error || !new ? error : write_value(row, new);
}

static int access_value(const struct row *row, const struct index *index, void *old,
			size_t *old_bytes, const void *new, size_t new_bytes)
{
	switch (row->access) {
	case TRIM:
	case FLUSH:
	case DISCARD:
		return old || old_bytes || new || new_bytes ? EPERM : act(row);
	case CREATE_ARENA:
	case CREATE_TCACHE:
		return create(row, old, old_bytes, new, new_bytes);
	case FLUSH_TCACHE:
	case DESTROY_TCACHE:
		return write_tcache(row, old, old_bytes, new, new_bytes);
	default:
		return access_number(row, index, old, old_bytes, new, new_bytes);
	}
}

/* A control of control.c, whose value is a uint64_t. */
static int access_control(const char *name, void *old, size_t *old_bytes, const void *new,
			  size_t new_bytes)
{
	uint64_t old_value, new_value = 0;
	bool reads = old && old_bytes;
	int error;

	if ((reads && *old_bytes != sizeof(old_value)) || (new && new_bytes != sizeof(new_value)))
		return EINVAL;
	if (new)
		memcpy(&new_value, new, sizeof(new_value));
	error = -usermm_control(name, reads ? &old_value : NULL, new ? &new_value : NULL);
	if (!error && reads)
		memcpy(old, &old_value, sizeof(old_value));
	return error;
}

EXPORT_WEAK int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
	static const char prefix[] = "usermm.";
	struct index index;
	const struct row *row;

	if (!strncmp(name, prefix, sizeof(prefix) - 1))
		return access_control(name + sizeof(prefix) - 1, oldp, oldlenp, newp, newlen);
	row = find_name(name, &index);
	if (!row || count_parts(name) != count_parts(row->name))
		return ENOENT;
	return access_value(row, &index, oldp, oldlenp, newp, newlen);
}

EXPORT_WEAK int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
{
	size_t length = 0, wanted = min((size_t)count_parts(name), *miblenp);
	struct index index;
	const struct row *row = find_name(name, &index);
	const char *part;

	if (!row)
		return ENOENT;
	for (part = row->name; length < wanted; part = next_part(part))
		mibp[length++] = number_in_mib(row, part, &index);
	*miblenp = length;
	return 0;
}

EXPORT_WEAK int mallctlbymib(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp,
			     void *newp, size_t newlen)
{
	struct index index;

	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++)
		if (is_mib_of(row, mib, miblen, &index))
			return access_value(row, &index, oldp, oldlenp, newp, newlen);
	return ENOENT;
}

/* --- malloc_stats_print(3) ------------------------------------------------------------------ */

/*
 * Replaces jemalloc's function, which would ask mallctl() for hundreds of names and end the process
 * at the first unknown one.
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
