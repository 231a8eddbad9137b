/* SPDX-License-Identifier: MIT */
/*
 * stats=: writes the statistics of a process when it ends, to stderr or to stats_file=.
 *
 * Many processes may end at a time, with the same stderr or file. So each prints its document to
 * memory first. Then it locks the file (os_lock_file()) and writes the document by one write(2).
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

/* A longer document is written in pieces of this size. A shorter one leaves pages untouched. */
#define DOCUMENT_BYTES (1UL << 20)

static struct report_file report_file __large_bss;
/* stats= as it was when the library was loaded. Sync: written before there are threads */
static bool is_wanted;

__attribute__((__constructor__)) static void begin(void)
{
	load_options();
	if (core_is_spare())	/* another copy serves the process, and writes */
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

/* memory: room for a document of DOCUMENT_BYTES, or NULL. */
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
 * If several processes share the file, their documents are appended. In Prometheus' format the last
 * document replaces the file, since each metric must be there once.
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
