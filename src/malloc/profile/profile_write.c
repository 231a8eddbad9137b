/* SPDX-License-Identifier: MIT */
/*
 * Writes the profile to a file: when the process ends, on a signal, or where the program asks for
 * it (usermm_heap_profile()). The format is gperftools' "heap_v2". It has the samples as they were
 * taken and the mean distance between them; the reader computes the estimate.
 *
 *	heap profile: IN-USE: BYTES [ALL: BYTES] @ heap_v2/DISTANCE
 *	IN-USE: BYTES [ALL: BYTES] @ ADDRESS...			for each site
 *	MAPPED_LIBRARIES:					and /proc/self/maps
 *
 * Nothing here allocates or takes a lock, so the signal handler writes the file itself. It hardly
 * needs a stack, since the large buffers are static and belong to the one writer
 * (os/report/report_file.h). While a profile is written, no second one is begun; the end of the
 * process waits for the first.
 */
#include <errno.h>
#include <signal.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/options.h"
#include "malloc/profile/profile.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "os/report/kept_stderr.h"
#include "os/report/process.h"
#include "os/report/report_file.h"
#include "usermm/profile.h"

static struct report_file file __large_bss;

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

/* Tells which samples the profile lacks, and which lack a stack. */
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

/* Copies /proc/self/maps through the writer's own buffer. */
static void print_mappings(struct fmt_writer *out)
{
	int saved_errno = errno, maps = process_open_file("/proc/self/maps");
	long n = maps < 0 ? -errno : 0;

	while (maps >= 0 && !fmt_writer_flush(out) &&
	       (n = os_read_some(maps, out->text, out->size)) > 0)
		out->used = (size_t)n;
	if (n < 0)
		fmt_print(out, "# the mappings cannot be read: error %d\n", (int)-n);
	if (maps >= 0)
		os_close_file(maps);
	errno = saved_errno;
}

static void write_samples(struct fmt_writer *out)
{
	print_head(out);
	print_missing(out);
	print_sites(out);
	fmt_print(out, "\nMAPPED_LIBRARIES:\n");
}

static void write_profile(struct fmt_writer *out)
{
	write_samples(out);
	print_mappings(out);
}

static int write_to(int fd, void (*write)(struct fmt_writer *out))
{
	if (classes_init() || !profile_has_samples())
		return -EOPNOTSUPP;
	return fmt_print_to(fd, write);
}

int profile_write_samples(int fd)
{
	return write_to(fd, write_samples);
}

EXPORT int usermm_heap_profile(int fd)
{
	return write_to(fd, write_profile);
}

/* --- The file -------------------------------------------------------------------------------- */

/* Only the owner may read the file, since it has addresses. */
static struct report profile_report(void)
{
	return (struct report){ .option = "profile_file", .what = "the profile",
				.pattern = option_text(options.profile_file),
				.permissions = 0600, .write = write_profile };
}

static void on_signal(int number)
{
	const struct report report = profile_report();
	os_signals before;

	(void)number;
	if (!report_file_begin(&file, &before))
		return;
	report_file_write(&file, &report);
	report_file_end(&file, &before);
}

__attribute__((__destructor__)) static void write_at_exit(void)
{
	const struct report report = profile_report();

	if (profile_has_samples() && options.profile_file)
		report_file_write_at_exit(&file, &report);
}

/* --- Options ---------------------------------------------------------------------------------- */

/* Would the signal be raised again and again if its handler returned? */
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

often_called void profile_write_init(void)
{
	const char *missing = NULL;

	if (!options.profile && (options.profile_file || options.profile_signal))
		missing = "profile_file= and profile_signal= need profile=";
	else if (options.profile_signal && !options.profile_file)
		missing = "profile_signal= needs profile_file=";
	if (options.profile && options.profile_file)
		kept_stderr_init();
	if (missing)
		report_warning("%s; nothing is written", missing);
	else if (options.profile_signal)
		watch_signal((int)options.profile_signal);
}
