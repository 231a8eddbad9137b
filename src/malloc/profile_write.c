/* SPDX-License-Identifier: MIT */
/*
 * The profile as a file: when the process ends, on a signal, or where the program wants it.
 * The format is gperftools' "heap_v2": samples as they were taken, and how far they are apart,
 * so that the reader works out what they stand for.
 *
 *	heap profile: IN-USE: BYTES [ALL: BYTES] @ heap_v2/DISTANCE
 *	IN-USE: BYTES [ALL: BYTES] @ ADDRESS...			for each site
 *	MAPPED_LIBRARIES:					and /proc/self/maps
 *
 * Nothing here allocates or takes a lock, so the signal's handler writes the file itself, and
 * hardly needs a stack for it: what is large is the writer's, of whom there is one. A second
 * profile is not written meanwhile; at the process's end the first is waited for.
 *
 * A file gets its name when it is complete, since other processes may write one of that name:
 * the last one that ends stays. What has the name and is no ordinary file is written to as it
 * is: a device, a pipe, where a symbolic link leads.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/classes.h"
#include "malloc/profile.h"
#include "os/os.h"
#include "usermm/profile.h"

#define PATH_BYTES 1024
/* Behind a file's name until it is complete: a point and a random number. */
#define SUFFIX_BYTES 12
#define WAIT_MS_MAX 1000

/*
 * os_fork_generation + 1 of the process that writes a file, or 0: in a child of fork() it is
 * another one's. A child of vfork() would use its parent's memory and its own files: it writes
 * nothing. Sync: atomic
 */
static uint64_t writer;
static unsigned int nr_written;		/* Sync: atomic relaxed */

/* Sync: of the writer */
static struct {
	struct fmt_writer out;
	char path[PATH_BYTES], unfinished[PATH_BYTES + SUFFIX_BYTES];
} file __large_bss;

/* --- The profile --------------------------------------------------------------------------- */

static void print_sums(struct fmt_writer *out, const struct profile_sums *in_use,
		       const struct profile_sums *allocated)
{
	fmt_print(out, "%6lu: %8lu [%6lu: %8lu] @", in_use->nr, in_use->bytes, allocated->nr,
		  allocated->bytes);
}

static void add_sums(struct profile_sums *sum, const struct profile_sums *more)
{
	sum->nr += more->nr;
	sum->bytes += more->bytes;
}

static void print_head(struct fmt_writer *out)
{
	struct profile_sums in_use, allocated;
	struct profile_sums all_in_use = { 0 }, all_allocated = { 0 };

	for (unsigned int i = 0; i < PROFILE_SITES; i++) {
		if (!profile_read_site(i, &in_use, &allocated))
			continue;
		add_sums(&all_in_use, &in_use);
		add_sums(&all_allocated, &allocated);
	}
	fmt_print(out, "heap profile: ");
	print_sums(out, &all_in_use, &all_allocated);
	fmt_print(out, " heap_v2/%lu\n", options.profile);
}

/* What is not in it. */
static void print_missing(struct fmt_writer *out)
{
	struct profile_sums dropped, stackless;

	profile_read_dropped(&dropped);
	if (dropped.nr)
		fmt_print(out, "# %lu more samples, of %lu bytes, found no room: a larger "
			  "profile= takes fewer\n", dropped.nr, dropped.bytes);
	profile_read_stackless(&stackless);
	if (stackless.nr)
		fmt_print(out, "# %lu samples, of %lu bytes, have no stack, but at most who called "
			  "malloc\n", stackless.nr, stackless.bytes);
}

static void print_sites(struct fmt_writer *out)
{
	struct profile_sums in_use, allocated;
	const void *const *frames;

	for (unsigned int i = 0; i < PROFILE_SITES; i++) {
		unsigned int nr;

		if (!profile_read_site(i, &in_use, &allocated))
			continue;
		print_sums(out, &in_use, &allocated);
		nr = profile_site_stack(i, &frames);
		for (unsigned int k = 0; k < nr; k++)
			fmt_print(out, " %p", frames[k]);
		fmt_print(out, "\n");
	}
}

/* By the writer's own buffer. */
static void print_mappings(struct fmt_writer *out)
{
	int saved_errno = errno, maps = os_open_file("/proc/self/maps");
	long n = maps < 0 ? -1 : 0;

	while (maps >= 0 && !fmt_writer_flush(out) &&
	       (n = os_read_some(maps, out->buffer, sizeof(out->buffer))) > 0)
		out->used = (size_t)n;
	if (n < 0)
		fmt_print(out, "# the mappings cannot be read: error %d\n", errno);
	if (maps >= 0)
		os_close_file(maps);
	errno = saved_errno;
}

/* 0 or a negative errno. */
static int write_profile(struct fmt_writer *out, int fd)
{
	fmt_writer_open(out, fd);
	print_head(out);
	print_missing(out);
	print_sites(out);
	fmt_print(out, "\nMAPPED_LIBRARIES:\n");
	print_mappings(out);
	return fmt_writer_close(out);
}

EXPORT int usermm_heap_profile(int fd)
{
	struct fmt_writer out;

	if (classes_init() || !profile_is_on())
		return -EOPNOTSUPP;
	return write_profile(&out, fd);
}

/* --- The file -------------------------------------------------------------------------------- */

/* The name that the option stands for now. False if it is too long. */
static bool name_file(char path[PATH_BYTES])
{
	const char *pattern = option_text(options.profile_file);
	size_t used = 0;

	for (; *pattern && used < PATH_BYTES - 1; pattern++) {
		size_t room = PATH_BYTES - used;

		if (*pattern != '%')
			path[used++] = *pattern;
		else if (*++pattern == 'p')
			used += fmt_format(path + used, room, "%d", os_current_process());
		else if (*pattern == 'n')
			used += fmt_format(path + used, room, "%u",
					   atomic_add_relaxed(&nr_written, 1) + 1);
		else
			path[used++] = *pattern;
	}
	path[min(used, PATH_BYTES - 1UL)] = '\0';
	return used < PATH_BYTES - 1;
}

/* In the same directory; of a name that is as long as names may be the end is left out. */
static void name_unfinished(void)
{
	const char *slash = strrchr(file.path, '/'), *name = slash ? slash + 1 : file.path;
	size_t length = min(strlen(name), (size_t)NAME_MAX + 1 - SUFFIX_BYTES);
	size_t used = (size_t)(name - file.path) + length;

	memcpy(file.unfinished, file.path, used);
	fmt_format(file.unfinished + used, SUFFIX_BYTES, ".%x", (unsigned int)os_random());
}

/*
 * Opens the file that it is to be, or one that is to take its name and permissions when it is
 * complete. Where that cannot be made, the first may still be there. A negative errno if neither
 * can.
 */
static int open_file(bool *unfinished)
{
	unsigned int mode = os_file_mode(file.path);
	int fd = -1;

	if (!mode || S_ISREG(mode)) {
		name_unfinished();
		fd = os_create_new_file(file.unfinished, mode ? mode & 0777 : 0600);
	}
	*unfinished = fd >= 0;
	if (fd < 0)
		fd = os_create_file(file.path);
	return fd < 0 ? -errno : fd;
}

static int write_open_file(int fd, bool unfinished)
{
	int error = write_profile(&file.out, fd);

	os_close_file(fd);
	if (!error && unfinished)
		error = os_rename_file(file.unfinished, file.path);
	if (error && unfinished)
		os_remove_file(file.unfinished);
	return error;
}

static void write_file(void)
{
	int saved_errno = errno, error = -ENAMETOOLONG;
	bool unfinished;

	if (name_file(file.path)) {
		error = open_file(&unfinished);
		if (error >= 0)
			error = write_open_file(error, unfinished);
	}
	if (error)
		report_warning("profile_file=%s: the profile cannot be written: error %d",
			       file.path, -error);
	errno = saved_errno;
}

/*
 * May this thread write a file now? Then no handler interrupts it, since one that does not come
 * back would leave the file as it is, and nobody could write another.
 */
static bool begin(os_signals *before)
{
	uint64_t self = os_fork_generation + 1UL, owner = atomic_load_relaxed(&writer);

	if (!os_process_is_own())
		return false;
	os_block_signals(OS_SIGNALS_ALL & ~OS_SIGNALS_FAULTS, before);
	/* pairs with end(): the last one's file is over */
	if (owner != self && atomic_cas_acquire(&writer, &owner, self))
		return true;
	os_restore_signals(before);
	return false;
}

static void end(const os_signals *before)
{
	/* pairs with begin() */
	atomic_store_release(&writer, 0UL);
	os_restore_signals(before);
}

static void on_signal(int number)
{
	os_signals before;

	(void)number;
	if (!begin(&before))
		return;
	write_file();
	end(&before);
}

__attribute__((__destructor__)) static void write_at_exit(void)
{
	os_signals before;

	if (!profile_is_on() || !options.profile_file)
		return;
	for (unsigned int i = 0; i < WAIT_MS_MAX && os_process_is_own(); i++) {
		if (begin(&before)) {
			write_file();
			end(&before);
			return;
		}
		os_sleep_us(1000);
	}
}

/* --- Options ---------------------------------------------------------------------------------- */

/* One whose handler returns to what raised it would be raised for ever. */
static bool is_of_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGTRAP || number == SIGABRT;
}

static void watch_signal(int number)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK | SA_RESTART };
	int saved_errno = errno;

	sigemptyset(&action.sa_mask);
	if (is_of_fault(number) || os_sigaction(number, &action, NULL))
		report_warning("profile_signal=%d: no handler can be set for it", number);
	errno = saved_errno;
}

void profile_write_init(void)
{
	const char *missing = NULL;

	if (!options.profile && (options.profile_file || options.profile_signal))
		missing = "profile_file= and profile_signal= need profile=";
	else if (options.profile_signal && !options.profile_file)
		missing = "profile_signal= needs profile_file=";
	if (missing)
		report_warning("%s; nothing is written", missing);
	else if (options.profile_signal)
		watch_signal((int)options.profile_signal);
}
