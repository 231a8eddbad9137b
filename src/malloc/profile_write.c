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
 * Nothing here allocates or takes a lock, so the signal's handler writes the file itself. Two
 * profiles at once would be one file of both: the second is not written; at the process's end
 * the first is waited for.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/classes.h"
#include "malloc/profile.h"
#include "os/os.h"
#include "usermm/profile.h"

#define PATH_BYTES 1024
#define MAPS_BYTES 1024
#define WAIT_MS_MAX 1000

/* The process that writes a file, or 0. A child of fork() is another one. Sync: atomic */
static uint32_t writer;
static unsigned int nr_written;		/* Sync: atomic relaxed */

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
	struct profile_sums in_use, allocated, dropped;
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
	profile_read_dropped(&dropped);
	if (dropped.nr)
		fmt_print(out, "# %lu more samples, of %lu bytes, found no room: a larger "
			  "profile= takes fewer\n", dropped.nr, dropped.bytes);
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

static noinline void print_samples(int fd)
{
	struct fmt_writer out;

	fmt_writer_open(&out, fd);
	print_head(&out);
	print_sites(&out);
	fmt_print(&out, "\nMAPPED_LIBRARIES:\n");
	fmt_writer_close(&out);
}

static noinline void print_mappings(int fd)
{
	int saved_errno = errno, maps = os_open_file("/proc/self/maps");
	char text[MAPS_BYTES];
	long n;

	while (maps >= 0 && (n = os_read_some(maps, text, sizeof(text))) > 0)
		fmt_write(fd, text, (size_t)n);
	if (maps >= 0)
		os_close_file(maps);
	errno = saved_errno;
}

EXPORT int usermm_heap_profile(int fd)
{
	if (classes_init() || !profile_is_on())
		return -EOPNOTSUPP;
	print_samples(fd);
	print_mappings(fd);
	return 0;
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

static void write_file(void)
{
	int saved_errno = errno, fd = -1;
	char path[PATH_BYTES];

	errno = ENAMETOOLONG;
	if (name_file(path))
		fd = os_create_file(path);
	if (fd < 0) {
		report_warning("profile_file=%s: the profile cannot be written: error %d", path,
			       errno);
	} else {
		usermm_heap_profile(fd);
		os_close_file(fd);
	}
	errno = saved_errno;
}

/* May this thread write a file now? */
static bool begin(void)
{
	uint32_t self = (uint32_t)os_current_process(), owner = atomic_load_relaxed(&writer);

	return owner != self && atomic_cas_acquire(&writer, &owner, self);
}

static void end(void)
{
	atomic_store_release(&writer, 0);
}

static void on_signal(int number)
{
	(void)number;
	if (!begin())
		return;
	write_file();
	end();
}

__attribute__((__destructor__)) static void write_at_exit(void)
{
	if (!profile_is_on() || !options.profile_file)
		return;
	for (unsigned int i = 0; i < WAIT_MS_MAX; i++) {
		if (begin()) {
			write_file();
			end();
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
	if (is_of_fault(number) || sigaction(number, &action, NULL))
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
