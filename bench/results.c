// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "results.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/compiler.h"
#include "measure/counters.h"
#include "measure/machine.h"
#include "progress.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define SHOW_BUFFERS 16
#define SHOW_BYTES 32

struct json *results_add(struct bench *bench, const char *name, long step, double cycles)
{
	struct json *row;

	if (isnan(cycles))
		return NULL;
	row = json_object();
	json_add_text(row, "name", name);
	json_add_integer(row, "step", step);
	json_add_real(row, "cycles", cycles);
	json_add_real(row, "ns", timing_ns(cycles));
	json_add(bench->rows, NULL, row);
	return row;
}

struct json *results_add_counted(struct bench *bench, const char *name, long step,
				 double cycles, double instructions)
{
	struct json *row = results_add(bench, name, step, cycles);

	json_add_real(row, "instructions", instructions);
	return row;
}

struct json *results_machine(void)
{
	struct json *machine = json_object();
	struct usermm_doctor doctor;
	char text[256];

	usermm_doctor_read(&doctor);
	json_add_text(machine, "cpu", machine_cpu(text, sizeof(text)));
	json_add_integer(machine, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	json_add_real(machine, "tsc_hz", timing_hz());
	json_add_integer(machine, "ram_bytes", doctor.ram_bytes);
	json_add_integer(machine, "page_bytes", doctor.os_page_bytes);
	json_add_text(machine, "kernel", machine_kernel(text, sizeof(text)));
	json_add_text(machine, "libc", machine_libc());
	json_add_text(machine, "thp", machine_thp(text, sizeof(text)));
	json_add_text(machine, "compiler", __VERSION__);
	json_add_text(machine, "usermm", usermm_version());
	json_add_text(machine, "percpu_mode", doctor.percpu_mode);
	json_add_text(machine, "percpu_reason", doctor.percpu_reason);
	json_add_text(machine, "slot_index", doctor.slot_index);
	json_add_bool(machine, "counts_instructions", counters_available());
	json_add_real(machine, "timer_overhead_cycles", timing_overhead());
	json_add_integer(machine, "placements", BENCH_PLACEMENTS);
	return machine;
}

struct json *results_calibration(const struct calibration *calibration)
{
	const struct yardsticks *median = &calibration->median;
	struct json *object = json_object();

	if (isnan(median->rseq_pair_cycles))
		json_add_null(object, "rseq_pair_cycles");
	json_add_real(object, "rseq_pair_cycles", median->rseq_pair_cycles);
	json_add_real(object, "locked_add_cycles", median->locked_add_cycles);
	json_add_real(object, "memset_page_cycles", median->memset_page_cycles);
	return object;
}

void results_print_head(struct bench *bench, const struct json *machine)
{
	bench_print(bench, "usermm %s on %s, %.0f CPUs, TSC %.3f GHz, %s, %s\n",
		    json_text(machine, "usermm"), json_text(machine, "cpu"),
		    json_number(machine, "cpus"), timing_hz() / 1e9,
		    json_text(machine, "kernel"), json_text(machine, "libc"));
	bench_print(bench, "per-CPU lists: %s by %s (%s)\n", json_text(machine, "percpu_mode"),
		    json_text(machine, "slot_index"), json_text(machine, "percpu_reason"));
	bench_print(bench, "Cycles are TSC cycles for one object or page; medians over %d code "
			   "placements.\n", BENCH_PLACEMENTS);
}

void results_print_calibration(struct bench *bench)
{
	const struct calibration *c = &bench->calibration;

	bench_print(bench, "R (bare rseq pop + push) %s", show_cycles(c->median.rseq_pair_cycles));
	if (c->rseq_absent)
		bench_print(bench, " (%s)", c->rseq_absent);
	bench_print(bench, "; L (locked add) %s; Z (memset of a page) %s cycles\n",
		    show_cycles(c->median.locked_add_cycles),
		    show_cycles(c->median.memset_page_cycles));
}

void bench_print(struct bench *bench, const char *format, ...)
{
	va_list args;

	progress_clear();
	va_start(args, format);
	vfprintf(bench->out, format, args);
	va_end(args);
	fflush(bench->out);
}

static char *show_buffer(void)
{
	static char buffers[SHOW_BUFFERS][SHOW_BYTES];
	static unsigned int next;

	return buffers[next++ % SHOW_BUFFERS];
}

static const char *show(const char *format, double value)
{
	char *text = show_buffer();

	if (isnan(value))
		return "-";
	snprintf(text, SHOW_BYTES, format, value);
	return text;
}

const char *show_cycles(double cycles)
{
	return show(cycles < 100 ? "%.1f" : "%.0f", cycles);
}

const char *show_whole(double cycles)
{
	return show("%.0f", cycles);
}

const char *show_ns(double cycles)
{
	return show("%.3f", timing_ns(cycles));
}

const char *show_ratio(const struct bench *bench, double cycles)
{
	return show("%.1fR", cycles / bench->calibration.median.rseq_pair_cycles);
}
