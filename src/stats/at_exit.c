/* SPDX-License-Identifier: MIT */
/*
 * stats=: the statistics of a process when it ends, to stderr or to stats_file=.
 *
 * Many processes end at a time, with the same stderr or file. So each prints its document to
 * memory and writes it by one write(2), while no other process does (os_lock_file()).
 */
#include "base/check.h"
#include "base/options.h"
#include "os/core.h"
#include "os/load_options.h"
#include "os/os.h"
#include "os/report/kept_stderr.h"
#include "os/report/process.h"
#include "os/report/report_file.h"
#include "stats/report.h"

/* A longer document is written in pieces of this size. What is not used costs nothing. */
#define DOCUMENT_BYTES (1UL << 20)

static struct report_file report_file __large_bss;
/* Options that come later than the library count no more. Sync: written before there are threads */
static bool is_wanted;

__attribute__((__constructor__)) static void begin(void)
{
	load_options();
	if (core_is_spare())	/* the process's copy tells */
		return;
	if (!options.stats && (options.stats_format || options.stats_file))
		report_warning("%s needs stats=; nothing is written",
			       options.stats_file ? "stats_file=" : "stats_format=");
	is_wanted = options.stats;
	if (is_wanted)
		kept_stderr_init();
}

static void print_document(struct fmt_writer *out)
{
	switch (options.stats_format) {
	case OPTION_STATS_FORMAT_JSON:
		stats_print_json(out);
		break;
	case OPTION_STATS_FORMAT_PROMETHEUS:
		stats_print_prometheus(out);
		break;
	default:
		stats_print_text(out);
	}
}

/* memory: NULL if there is none for a whole document. */
static void write_to_stderr(char *memory)
{
	struct fmt_writer out;
	int fd = kept_stderr();
	bool locked;

	if (fd < 0)
		return;
	fmt_writer_open_in(&out, fd, memory, DOCUMENT_BYTES);
	locked = !process_files_are_forbidden() && os_lock_file(fd, REPORT_WAIT_MS);
	print_document(&out);
	fmt_writer_close(&out);
	if (locked)
		os_unlock_file(fd);
}

/*
 * A file of several processes has the documents of all, but in Prometheus' format, which has each
 * metric once: there the last one stays.
 */
static void write_to_file(char *memory)
{
	const char *pattern = option_text(options.stats_file);
	const struct report report = {
		.option = "stats_file", .what = "the statistics", .pattern = pattern,
		.permissions = 0666, .write = print_document,
		.append = options.stats_format != OPTION_STATS_FORMAT_PROMETHEUS &&
			  !report_file_is_of_process(pattern),
		.memory = memory, .memory_bytes = DOCUMENT_BYTES,
	};

	report_file_write_at_exit(&report_file, &report);
}

__attribute__((__destructor__)) static void end(void)
{
	void *memory;

	if (!is_wanted)
		return;
	if (os_map_lazily(DOCUMENT_BYTES, os_page_bytes(), &memory))
		memory = NULL;
	if (options.stats_file)
		write_to_file(memory);
	else
		write_to_stderr(memory);
	if (memory)
		os_unmap(memory, DOCUMENT_BYTES);
}
