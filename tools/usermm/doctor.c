// SPDX-License-Identifier: MIT
/* usermm doctor: shows what the library found on this machine, and which modes it chose and why. */
#include <stdio.h>
#include <string.h>

#include "../../bench/measure/machine.h"
#include "arguments.h"
#include "base/compiler.h"
#include "command.h"
#include "os/machine/cgroup.h"
#include "usermm/usermm.h"

/* "0 bytes", "4096 bytes", "23.5 GiB": few digits, for people. */
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
	if (refused_rseq())
		printf("%-18srseq=%s is refused\n", "option", refused_rseq());
	line("slot index", doctor->slot_index);
	line("rseq area", doctor->rseq_area);
	line("remote drain", doctor->can_stop ? "yes" : "no: membarrier(2) lacks or refuses "
							"PRIVATE_EXPEDITED_RSEQ");
	printf("%-18s%u\n", "slots", doctor->nr_slots);
}

/* Nothing if no memory cgroup has a limit. */
static void print_cgroup(void)
{
	struct os_cgroup_room room;

	os_cgroup_read_room(0, &room);
	if (room.bytes != UINT64_MAX)
		printf("%-18s%s of %s are left\n", "memory cgroup", show_bytes(room.bytes),
		       show_bytes(room.limit));
	if (os_cgroup_complaint())
		line("memory cgroup", os_cgroup_complaint());
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
	print_cgroup();
}

static void print_old_names(void)
{
	const char *name, *new_name;

	for (unsigned int i = 0; usermm_option_old_name(i, &name, &new_name); i++)
		printf("%-18s%s= is called %s= now; the old name works, too\n", "option", name,
		       new_name);
}

/* Widths of the columns whose texts vary. */
struct widths {
	int name, range;
};

static struct widths find_widths(void)
{
	struct usermm_option_info info;
	struct widths widths = { 0 };

	for (unsigned int i = 0; usermm_option_info(i, &info); i++) {
		widths.name = max(widths.name, (int)strlen(info.name));
		widths.range = max(widths.range, (int)strlen(info.range));
	}
	return widths;
}

static void print_option(const struct usermm_option_info *option, struct widths widths)
{
	printf("%-*s %-4s %-*s %-7s %-9s %s\n", widths.name, option->name, option->type,
	       widths.range, option->range, option->default_value, option->stability,
	       option->current_value);
}

static int print_options(void)
{
	const struct usermm_option_info head = {
		.name = "OPTION", .type = "TYPE", .range = "VALUES", .default_value = "DEFAULT",
		.stability = "STABILITY", .current_value = "NOW",
	};
	const struct widths widths = find_widths();
	struct usermm_option_info info;

	print_option(&head, widths);
	for (unsigned int i = 0; usermm_option_info(i, &info); i++) {
		print_option(&info, widths);
		printf("    %s\n", info.help);
	}
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
	print_old_names();
	line("first allocation", object ? "works" : "FAILED: no memory for the library");
	kfree(object);
	return object ? 0 : 1;
}

static int run_doctor(int argc, char **argv)
{
	bool wants_table = false;
	int code = take_arguments(&command_doctor, argc, argv, &wants_table);

	if (code >= 0)
		return code;
	if (optind < argc)
		return complain(&command_doctor, "unexpected argument", argv[optind]);
	return wants_table ? print_options() : print_all();
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	bool *wants_table = context;

	(void)command, (void)key, (void)value;	/* there is only one option, without a value */
	*wants_table = true;
	return true;
}

static const struct command_option option_table[] = {
	{ 'o', NULL, "OPTIONS", OPTIONS_HELP },
	{ 256, "options", NULL, "show all options of the library, with the values in force" },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "the library works" },
	{ .status = 1, .meaning = "its first allocation failed" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_OUTPUT },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm doctor", "shows which mode is in use and why, and the limits" },
	{ "usermm doctor -o rseq=off", "shows what the library would do without rseq" },
	{ "usermm doctor --options", "lists the options" },
	{ 0 },
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "show what the library found on this machine",
	.text = "Shows the mode of the per-CPU lists and why it was chosen, the limits that were "
		"found, and the sizes of the memory window and the budget.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.take = take_option,
	.run = run_doctor,
};
