// SPDX-License-Identifier: MIT
/* usermm doctor: what the library found on this machine, and why it does so. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>

#include "../../bench/machine.h"
#include "base/compiler.h"
#include "command.h"
#include "usermm/usermm.h"

enum { OPTION_TABLE = 256 };

static const struct option long_options[] = {
	{ "options", no_argument, NULL, OPTION_TABLE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* 0, 4096 bytes, 23.5 GiB: three digits are enough for people. */
static const char *show_bytes(size_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	static char buffers[4][32];
	static unsigned int next;
	char *text = buffers[next++ % 4];
	double value = (double)bytes;
	unsigned int unit = 0;

	while (value >= 10240 || (unit && value >= 1024)) {
		value /= 1024;
		unit++;
	}
	snprintf(text, sizeof(buffers[0]), "%.*f %s", unit ? 1 : 0, value, units[unit]);
	return text;
}

static void line(const char *name, const char *value)
{
	printf("%-18s%s\n", name, value);
}

static void print_machine(void)
{
	char text[256];

	line("usermm", usermm_version());
	line("kernel", machine_kernel(text, sizeof(text)));
	line("libc", machine_libc());
	line("cpu", machine_cpu(text, sizeof(text)));
	line("preload library", preload_path() ? preload_path() : "not found");
}

static void print_percpu(const struct usermm_doctor *doctor)
{
	printf("%-18s%s: %s\n", "per-CPU mode", doctor->percpu_mode, doctor->percpu_reason);
	line("slot index", doctor->slot_index);
	line("rseq area", doctor->rseq_area);
	line("remote drain", doctor->can_stop ? "yes" : "no: membarrier(2) lacks or refuses "
							"PRIVATE_EXPEDITED_RSEQ");
	printf("%-18s%u\n", "slots", doctor->nr_slots);
}

static void print_memory(const struct usermm_doctor *doctor, const struct usermm_stats *stats)
{
	char thp[64];

	line("page size", show_bytes(doctor->os_page_bytes));
	line("huge pages (THP)", machine_thp(thp, sizeof(thp)));
	line("RAM and swap", show_bytes(doctor->ram_bytes));
	printf("%-18s%s (%s)\n", "limit", show_bytes(doctor->limit_bytes), doctor->limit_source);
	printf("%-18swished %s, got %s\n", "window", show_bytes(stats->window_wished_bytes),
	       show_bytes(stats->window_bytes));
	line("budget", show_bytes(stats->budget_bytes));
}

static int print_options(void)
{
	struct usermm_option_info info;

	printf("%-10s %-6s %-28s %-10s %-10s %s\n", "OPTION", "TYPE", "VALUES", "DEFAULT", "NOW",
	       "STABILITY");
	for (unsigned int i = 0; usermm_option_info(i, &info); i++)
		printf("%-10s %-6s %-28s %-10s %-10s %s\n    %s\n", info.name, info.type,
		       info.range, info.default_value, info.current_value, info.stability,
		       info.help);
	return 0;
}

static int print_all(void)
{
	struct usermm_doctor doctor;
	struct usermm_stats stats;
	void *object = kmalloc(8, GFP_KERNEL);	/* brings the library up */

	usermm_doctor_read(&doctor);
	usermm_stats_read(&stats);
	print_machine();
	print_percpu(&doctor);
	print_memory(&doctor, &stats);
	line("first allocation", object ? "works" : "FAILED: no memory for the library");
	kfree(object);
	return object ? 0 : 1;
}

int command_doctor(int argc, char **argv)
{
	bool table = false;
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'o':
			if (!take_options("doctor", optarg))
				return EXIT_USAGE;
			break;
		case OPTION_TABLE:
			table = true;
			break;
		case 'h':
			return command_help("doctor");
		default:
			fprintf(stderr, "usermm doctor: unknown option '%s', or one without its "
					"value; there are -o OPTIONS, --options and --help\n",
				unknown_option(argv));
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "usermm doctor: unexpected argument '%s'\n", argv[optind]);
		return EXIT_USAGE;
	}
	return table ? print_options() : print_all();
}
