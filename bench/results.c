// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "results.h"

#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/compiler.h"
#include "counters.h"
#include "machine.h"
#include "timing.h"
#include "usermm/usermm.h"

#define SHOW_BUFFERS 16
#define SHOW_BYTES 32

json_t *results_add(struct bench *bench, const char *name, long step, double cycles)
{
	json_t *row;

	if (isnan(cycles))
		return NULL;
	row = json_object();
	json_object_set_new(row, "name", json_string(name));
	json_object_set_new(row, "step", json_integer(step));
	json_object_set_new(row, "cycles", json_real(cycles));
	json_object_set_new(row, "ns", json_real(timing_ns(cycles)));
	json_array_append_new(bench->rows, row);
	return row;
}

json_t *results_add_counted(struct bench *bench, const char *name, long step,
			    double cycles, double instructions)
{
	json_t *row = results_add(bench, name, step, cycles);

	if (!isnan(instructions))
		json_object_set_new(row, "instructions", json_real(instructions));
	return row;
}

json_t *results_machine(void)
{
	json_t *machine = json_object();
	struct usermm_doctor doctor;
	char text[256];

	usermm_doctor_read(&doctor);
	json_object_set_new(machine, "cpu", json_string(machine_cpu(text, sizeof(text))));
	json_object_set_new(machine, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(machine, "tsc_hz", json_real(timing_hz()));
	json_object_set_new(machine, "ram_bytes", json_integer((json_int_t)doctor.ram_bytes));
	json_object_set_new(machine, "page_bytes",
			    json_integer((json_int_t)doctor.os_page_bytes));
	json_object_set_new(machine, "kernel",
			    json_string(machine_kernel(text, sizeof(text))));
	json_object_set_new(machine, "libc", json_string(machine_libc()));
	json_object_set_new(machine, "thp", json_string(machine_thp(text, sizeof(text))));
	json_object_set_new(machine, "compiler", json_string(__VERSION__));
	json_object_set_new(machine, "usermm", json_string(usermm_version()));
	json_object_set_new(machine, "percpu_mode", json_string(doctor.percpu_mode));
	json_object_set_new(machine, "percpu_reason", json_string(doctor.percpu_reason));
	json_object_set_new(machine, "slot_index", json_string(doctor.slot_index));
	json_object_set_new(machine, "counts_instructions",
			    json_boolean(counters_available()));
	json_object_set_new(machine, "timer_overhead_cycles", json_real(timing_overhead()));
	json_object_set_new(machine, "placements", json_integer(BENCH_PLACEMENTS));
	return machine;
}

json_t *results_calibration(const struct calibration *calibration)
{
	const struct yardsticks *median = &calibration->median;
	json_t *object = json_object();

	json_object_set_new(object, "rseq_pair_cycles",
			    isnan(median->rseq_pair_cycles) ?
			    json_null() : json_real(median->rseq_pair_cycles));
	json_object_set_new(object, "locked_add_cycles", json_real(median->locked_add_cycles));
	json_object_set_new(object, "memset_page_cycles",
			    json_real(median->memset_page_cycles));
	return object;
}

static const char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

void results_print_head(struct bench *bench, json_t *machine)
{
	bench_print(bench, "usermm %s on %s, %lld CPUs, TSC %.3f GHz, %s, %s\n",
		    text_of(machine, "usermm"), text_of(machine, "cpu"),
		    json_integer_value(json_object_get(machine, "cpus")), timing_hz() / 1e9,
		    text_of(machine, "kernel"), text_of(machine, "libc"));
	bench_print(bench, "per-CPU lists: %s by %s (%s)\n", text_of(machine, "percpu_mode"),
		    text_of(machine, "slot_index"), text_of(machine, "percpu_reason"));
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
