/* SPDX-License-Identifier: MIT */
#include "os/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/system_call.h"
#include "base/text.h"
#include "os/file.h"
#include "os/machine/limits.h"
#include "os/text.h"

#define PATH_BYTES 512
#define FILE_NAME_BYTES 32	/* of any file here, with a '/' in front */
#define TEXT_BYTES 16384	/* a process may be in a cgroup of each of a dozen hierarchies */
#define LEVELS_MAX 16
/* Version 1 says "no limit" by a number near 2^63. A limit has at most this many digits. */
#define NO_LIMIT (1UL << 62)
#define DIGITS_MAX 19
/* Cached files are looked at if less than this share of a limit is left. */
#define CACHED_SHARE 8
/* The lowest number for a descriptor that stays open, and how many files there must be room for. */
#define FIRST_FD 400
#define FILES_MIN 64

/*
 * A level is a folder: the process's own cgroup, or a parent. Its path is the beginning of the own
 * cgroup's path.
 */
struct level {
	uint16_t length;
	uint64_t max, high;	/* UINT64_MAX: none */
};

/* What a version calls its files, and where the process is in it. */
struct hierarchy {
	const char *mount, *max, *high, *usage, *cached, *source;
	/* Sync: see cgroup.h */
	char group[PATH_BYTES];
	struct level levels[LEVELS_MAX];
	unsigned int nr_levels;
};

static struct hierarchy hierarchies[] = {
	{ .mount = "/sys/fs/cgroup", .max = "memory.max", .high = "memory.high",
	  .usage = "memory.current", .cached = "\ninactive_file ", .source = "memory cgroup v2" },
	{ .mount = "/sys/fs/cgroup/memory", .max = "memory.limit_in_bytes", .high = NULL,
	  .usage = "memory.usage_in_bytes", .cached = "\ntotal_inactive_file ",
	  .source = "memory cgroup v1" },
};
enum { VERSION_2, VERSION_1 };

/* Not on the stack, which may be small. Sync: see cgroup.h */
static char path[PATH_BYTES];
static char text[TEXT_BYTES] __large_bss;
static bool is_settled;		/* Sync: atomic relaxed */

/* --- Complaints ----------------------------------------------------------------------- */

static char complaint[PATH_BYTES + 64] __large_bss;
static bool has_complaint;	/* Sync: atomic */

/* Only the first is kept: doctor prints it while other threads may read limits. */
static void complain(const char *about, const char *what)
{
	if (atomic_load_relaxed(&has_complaint))
		return;
	fmt_format(complaint, sizeof(complaint), "%s %s; it is ignored", about, what);
	/* pairs with os_cgroup_complaint(): the text */
	atomic_store_release(&has_complaint, true);
}

const char *os_cgroup_complaint(void)
{
	/* pairs with complain() */
	return atomic_load_acquire(&has_complaint) ? complaint : NULL;
}

/* --- Files ---------------------------------------------------------------------------- */

static void set_path(struct hierarchy *h, const struct level *level, const char *file)
{
	char cut = h->group[level->length];

	h->group[level->length] = '\0';
	fmt_format(path, sizeof(path), "%s/%s", h->group, file);
	h->group[level->length] = cut;
}

/*
 * Does the error say nothing about the file? There is no room for another file now, or another
 * thread has just closed all files.
 */
static bool error_is_temporary(long error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EBADF;
}

/*
 * Have limits been read before? When they are first read, the root directory is the one in which
 * the program was started. Later the program may have changed its root. Sync: see cgroup.h
 */
static bool has_begun;

/* Opens the file in `path`. Returns the descriptor or a negative errno. */
static int open_path(void)
{
	int fd = os_open_fact(path);

	if (fd < 0 || !has_begun || os_is_kernels_file(fd))
		return fd;
	os_close_file(fd);
	return -ENOENT;
}

/* Reads the file into `text`. Returns the length, or a negative errno. */
static long read_path(void)
{
	return os_read_and_close(open_path(), text, sizeof(text));
}

/* Reads the file into `text`. False without a content. A missing file is no mistake. */
static bool read_text(void)
{
	long n = read_path();

	if (n > 0)
		return true;
	if (!n)
		complain(path, "is empty");
	else if (n != -ENOENT && n != -ENODEV && !error_is_temporary(n))
		complain(path, "cannot be read");
	return false;
}

/* Is this the end of a text of one line? */
static bool ends_line(const char *end)
{
	return !*end || (*end == '\n' && !end[1]);
}

/* Is the text a number and nothing else? */
static bool take_number(uint64_t *value)
{
	const char *end = text;

	*value = text_number(&end);
	return end > text && end - text <= DIGITS_MAX && ends_line(end);
}

/* Reads a limit. *value stays if the file tells none. */
static void read_limit(struct hierarchy *h, const struct level *level, const char *file,
		       uint64_t *value)
{
	uint64_t number;

	set_path(h, level, file);
	if (!read_text())
		return;
	if (!strncmp(text, "max", 3) && ends_line(text + 3))
		*value = UINT64_MAX;
	else if (!take_number(&number))
		complain(path, "has no limit in it");
	else if (!number)
		complain(path, "has a limit of 0");
	else
		*value = number < NO_LIMIT ? number : UINT64_MAX;
}

unsigned int os_cgroup_moves;

/* --- Which cgroup ----------------------------------------------------------------------- */

/* Sets the levels, from the own cgroup up to the mount. `length` is that of the own path. */
static void set_levels(struct hierarchy *h, size_t length)
{
	size_t mount_length = strlen(h->mount);

	h->nr_levels = 0;
	while (h->nr_levels < LEVELS_MAX) {
		h->levels[h->nr_levels++] = (struct level){ (uint16_t)length, UINT64_MAX,
							    UINT64_MAX };
		while (length > mount_length && h->group[length - 1] != '/')
			length--;
		if (length <= mount_length)
			return;
		length--;
	}
}

/*
 * Returns the name's length. If it is too long, returns that of the nearest parent whose name is
 * not.
 */
static size_t shorten(const char *name, size_t length, size_t most)
{
	if (length <= most)
		return length;
	complain("/proc/self/cgroup", "has a name that is too long");
	for (length = most; length && name[length] != '/'; length--)
		;
	return length;
}

/* Notes that the process is in the cgroup of this name, which begins with '/'. */
static void enter(struct hierarchy *h, const char *name, size_t name_length)
{
	size_t mount_length = strlen(h->mount), length;

	if (name_length == 1)		/* "/" is the mount itself */
		name_length = 0;
	name_length = shorten(name, name_length, sizeof(h->group) - FILE_NAME_BYTES - mount_length);
	length = mount_length + name_length;
	if (h->nr_levels && strlen(h->group) == length &&
	    !memcmp(h->group + mount_length, name, name_length))
		return;
	if (h->nr_levels)
		atomic_add_relaxed(&os_cgroup_moves, 1U);
	memcpy(h->group, h->mount, mount_length);
	memcpy(h->group + mount_length, name, name_length);
	h->group[length] = '\0';
	set_levels(h, length);
}

/* Is one of the controllers, which have commas between them, the memory controller? */
static bool has_memory(const char *controllers)
{
	size_t length;

	for (;; controllers += length + 1) {
		length = strcspn(controllers, ",");
		if (length == 6 && !memcmp(controllers, "memory", 6))
			return true;
		if (!controllers[length])
			return false;
	}
}

/* Lines of /proc/self/cgroup: "number:controllers:path". One without an end was cut off. */
static void find_groups(void)
{
	char *line = text;

	fmt_format(path, sizeof(path), "/proc/self/cgroup");
	if (atomic_load_relaxed(&is_settled) || read_path() <= 0)
		return;
	while (*line) {
		size_t length = strcspn(line, "\n");
		char *controllers = memchr(line, ':', length);
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		char *end = line + length;

		if (!*end)
			return;
		if (group && group < end) {
			*group++ = '\0';
			if (!controllers[1])
				enter(&hierarchies[VERSION_2], group, (size_t)(end - group));
			else if (has_memory(controllers + 1))
				enter(&hierarchies[VERSION_1], group, (size_t)(end - group));
		}
		line = end + 1;
	}
}

void os_cgroup_settle(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(hierarchies); i++)
		if (hierarchies[i].nr_levels)
			atomic_store_relaxed(&is_settled, true);
}

/* --- Limits and usage ------------------------------------------------------------------- */

void os_cgroup_take_limit(struct os_limit *limit, bool high)
{
	find_groups();
	for (unsigned int i = 0; i < ARRAY_SIZE(hierarchies); i++) {
		struct hierarchy *h = &hierarchies[i];

		for (unsigned int at = 0; at < h->nr_levels; at++) {
			struct level *level = &h->levels[at];

			read_limit(h, level, h->max, &level->max);
			if (high && h->high)
				read_limit(h, level, h->high, &level->high);
			if (level->max < limit->bytes) {
				limit->bytes = level->max;
				limit->source = h->source;
			}
		}
	}
	has_begun = true;
}

/* Files in the page cache that nobody has used for a while. */
static uint64_t read_cached(struct hierarchy *h, const struct level *level)
{
	const char *at;

	set_path(h, level, "memory.stat");
	at = read_text() ? strstr(text, h->cached) : NULL;
	if (!at)
		return 0;
	at += strlen(h->cached);
	return text_number(&at);
}

static void read_room_of(struct hierarchy *h, const struct level *level, uint64_t bytes,
			 struct os_cgroup_room *room)
{
	uint64_t limit = min(level->max, level->high), used, left;

	if (limit == UINT64_MAX)
		return;
	set_path(h, level, h->usage);
	if (!read_text())
		return;
	if (!take_number(&used)) {
		complain(path, "has no usage in it");
		return;
	}
	left = limit - min(used, limit);
	if (left < limit / CACHED_SHARE + bytes) {
		used -= min(read_cached(h, level), used);
		left = limit - min(used, limit);
	}
	if (left < room->bytes)
		*room = (struct os_cgroup_room){ left, limit };
}

void os_cgroup_read_room(uint64_t bytes, struct os_cgroup_room *room)
{
	*room = (struct os_cgroup_room){ UINT64_MAX, UINT64_MAX };
	for (unsigned int i = 0; i < ARRAY_SIZE(hierarchies); i++)
		for (unsigned int at = 0; at < hierarchies[i].nr_levels; at++)
			read_room_of(&hierarchies[i], &hierarchies[i].levels[at], bytes, room);
}

/* --- Stalls ------------------------------------------------------------------------------- */

static const struct {
	unsigned int version;
	const char *file;
} stall_files[] = {
	[OS_STALL_TIME] = { VERSION_2, "memory.pressure" },
	[OS_STALL_EVENTS] = { VERSION_2, "memory.events" },
	[OS_STALL_FAILURES] = { VERSION_1, "memory.failcnt" },
};

/* How many files the process may have open. */
static uint64_t most_files(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	system_call(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	return limit.rlim_cur;
}

/*
 * Moves the descriptor out of the program's way. A program may rely on the number that its next
 * file gets, so a negative errno if that is not possible.
 */
static int move_up(int fd, const struct os_file_id *id)
{
	int high = (int)system_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
				    min(most_files() / 4 * 3, FIRST_FD + 0UL));

	if (os_close_if_same(fd, id) || high < 0)
		return high;
	os_close_file(high);	/* perhaps another thread's file */
	return -EBADF;
}

/*
 * Opens the file in `path`, and moves the descriptor out of the program's way. Returns it, or a
 * negative errno; -ENOENT if the file has no value of this kind.
 */
static int open_stall(enum os_cgroup_stall kind)
{
	struct os_file_id id;
	int fd = open_path();
	uint64_t value;

	if (fd < 0)
		return fd;
	if (os_file_identify(fd, &id))
		return -EBADF;
	if (os_cgroup_read_stall(fd, kind, &value))
		return move_up(fd, &id);
	os_close_if_same(fd, &id);
	return -ENOENT;
}

/*
 * In some containers the own cgroup's folder cannot be seen. The nearest parent that can is the
 * container's.
 */
int os_cgroup_open_stall(enum os_cgroup_stall *kind)
{
	if (most_files() < FILES_MIN)
		return -EMFILE;
	for (unsigned int i = 0; i < ARRAY_SIZE(stall_files); i++) {
		struct hierarchy *h = &hierarchies[stall_files[i].version];

		*kind = (enum os_cgroup_stall)i;
		for (unsigned int at = 0; at < h->nr_levels; at++) {
			int fd;

			set_path(h, &h->levels[at], stall_files[i].file);
			fd = open_stall(*kind);
			if (fd >= 0 || error_is_temporary(fd))
				return fd;
		}
	}
	return -ENOENT;
}

/* The number behind the key; 0 if the key is missing. */
static uint64_t number_behind(const char *in, const char *key, bool *found)
{
	const char *at = strstr(in, key);

	if (!at)
		return 0;
	*found = true;
	at += strlen(key);
	return text_number(&at);
}

/* fd may be the number of another file by now; pread(2) changes nothing there. */
bool os_cgroup_read_stall(int fd, enum os_cgroup_stall kind, uint64_t *value)
{
	char read[256];
	long n = system_call(SYS_pread64, fd, read, sizeof(read) - 1, 0L);
	const char *end = read;
	bool found = false;

	if (n <= 0)
		return false;
	read[n] = '\0';
	switch (kind) {
	case OS_STALL_TIME:
		*value = number_behind(read, "total=", &found);
		return found;
	case OS_STALL_EVENTS:
		*value = number_behind(read, "\nhigh ", &found);
		*value += number_behind(read, "\nmax ", &found);
		return found;
	default:
		*value = text_number(&end);
		return end > read;
	}
}
