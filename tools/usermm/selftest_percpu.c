// SPDX-License-Identifier: MIT
/* usermm selftest percpu: runs the proofs of tools/selftest and prints their tables. */
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/progress.h"
#include "arguments.h"
#include "command.h"
#include "selftest.h"
#include "selftest/boundaries.h"
#include "selftest/late.h"
#include "selftest/scene.h"
#include "selftest/stepping.h"
#include "selftest/storm.h"
#include "usermm/usermm.h"

/*
 * The storm's duration without --storm, and how much longer it may take if too few sequences were
 * aborted. With --storm but without --patience it may take as long again.
 */
#define DEFAULT_SECONDS 10
#define DEFAULT_PATIENCE 290
#define SECONDS_MAX (24 * 60 * 60)
/* How often each primitive must be aborted, without --aborts. */
#define DEFAULT_ABORTS 100000

/* Why the proof failed, or what was not exercised; the first reason is kept. */
static struct {
	bool failed, idle;
	char why[256];
} verdict;

/* A case that this kernel does not let happen. The other proofs are valid without it. */
static char impossible[256];

static void __attribute__((__format__(__printf__, 2, 3)))
note(bool *kind, const char *format, ...)
{
	va_list args;

	/* A failure replaces an earlier note that something was not exercised. */
	if (!verdict.failed && (kind == &verdict.failed || !verdict.idle)) {
		va_start(args, format);
		vsnprintf(verdict.why, sizeof(verdict.why), format, args);
		va_end(args);
	}
	*kind = true;
}

static int report(void)
{
	if (verdict.failed)
		printf("FAILED: %s\n", verdict.why);
	else if (verdict.idle)
		printf("not exercised: %s\n", verdict.why);
	else if (*impossible)
		printf("ok, but not shown: %s\n", impossible);
	else
		printf("ok\n");
	return verdict.failed || verdict.idle ? 1 : 0;
}

/* The addresses of the primitives' instructions; two proofs use them. */
static struct boundaries boundaries[NR_PRIMITIVES];

static void prove_boundaries(const struct primitive *primitive, struct boundaries *b)
{
	struct boundaries_proof proof;
	const char *problem = boundaries_find(b, primitive);

	if (problem) {
		note(&verdict.failed, "%s: %s", primitive->name, problem);
		return;
	}
	progress_show(primitive->name, (unsigned int)(primitive - primitives) + 1, NR_PRIMITIVES);
	boundaries_prove(b, &proof);
	progress_clear();
	printf("  %-10s %6u %13u %11u %7lu %7lu %7lu %6lu %11lu\n", primitive->name, b->bytes,
	       b->nr, proof.forced, proof.cases, proof.behind, proof.aborts, proof.lost,
	       proof.duplicated);
	fflush(stdout);
	if (*proof.failure)
		note(&verdict.failed, "%s", proof.failure);
}

static void prove_all_boundaries(void)
{
	printf("every instruction: interrupted in all states of the list, with and without another "
	       "operation meanwhile\n");
	printf("  %-10s %6s %13s %11s %7s %7s %7s %6s %11s\n", "primitive", "bytes",
	       "instructions", "interrupted", "cases", "behind", "aborts", "lost", "duplicated");
	for (unsigned int i = 0; i < NR_PRIMITIVES; i++)
		prove_boundaries(&primitives[i], &boundaries[i]);
}

static void prove_end(void)
{
	struct boundaries_proof proof = { 0 };
	unsigned long steps = 0;

	if (!STEPPING_SINGLE) {
		printf("stepped for good: skipped: a program cannot step itself here\n");
		return;
	}
	for (unsigned int i = 0; i < NR_PRIMITIVES; i++) {
		boundaries_prove_end(&primitives[i], &proof);
		steps = max(steps, proof.steps);
	}
	printf("stepped for good: says empty or full after %lu instructions at most\n", steps);
	if (*proof.failure)
		note(&verdict.failed, "%s", proof.failure);
}

static void print_late(const char *name, const struct late_proof *proof)
{
	if (*proof->skipped) {
		printf("%s: skipped: %s\n", name, proof->skipped);
		return;
	}
	printf("%s: %lu cases, %lu aborts, %lu lost, %lu duplicated", name, proof->cases,
	       proof->aborts, proof->lost, proof->duplicated);
	if (proof->elsewhere)
		printf("; the other thread had another slot in %lu", proof->elsewhere);
	printf("\n");
	if (*proof->failure)
		note(&verdict.failed, "%s", proof->failure);
	else if (!proof->cases)
		note(&verdict.idle, "%s: there was no case of it", name);
	else if (proof->elsewhere == proof->cases)
		snprintf(impossible, sizeof(impossible), "%s: the kernel gave every thread a slot "
			 "of its own, in rseq=mm_cid; try -o rseq=cpu_id", name);
}

static void prove_late(void)
{
	struct late_proof preempted = { 0 }, fault = { 0 };

	progress_show("preempted and page faults inside", 0, 0);
	for (unsigned int i = 0; i < NR_PRIMITIVES; i++, progress_tick())
		late_prove_preempted(&boundaries[i], &preempted);
	for (unsigned int i = 0; i < NR_PRIMITIVES && !*fault.skipped; i++)
		late_prove_fault(&primitives[i], &fault);
	progress_clear();
	print_late("preempted inside, 100 operations by another thread", &preempted);
	print_late("page fault inside, page 10 ms late", &fault);
}

static void print_sources(const struct storm_result *result)
{
	printf("  %-24s %7s %10s  %s\n", "source", "seconds", "aborts", "what it did");
	for (unsigned int i = 0; i < result->nr_sources; i++) {
		const struct storm_source_result *source = &result->sources[i];

		if (!strncmp(source->did, "skipped", 7))
			printf("  %-24s %7s %10s  %s\n", source->name, "-", "-", source->did);
		else
			printf("  %-24s %7.1f %10lu  %s\n", source->name, source->seconds,
			       source->aborts, source->did);
	}
}

static void print_primitives(const struct storm_result *result)
{
	printf("  %-10s %12s %10s %13s\n", "primitive", "done", "aborts", "of tries");
	for (unsigned int i = 0; i < NR_PRIMITIVES; i++) {
		unsigned long aborts = result->aborts[i], tries = aborts + result->operations[i];

		printf("  %-10s %12lu %10lu %12.1f%%\n", primitives[i].name,
		       result->operations[i], aborts,
		       tries ? 100.0 * (double)aborts / (double)tries : 0);
	}
	printf("  %lu objects: %lu lost, %lu duplicated\n", result->objects, result->lost,
	       result->duplicated);
}

static void judge_storm(const struct storm_result *result, unsigned long aborts)
{
	unsigned int least = 0;

	if (*result->failure)
		note(&verdict.failed, "%s", result->failure);
	for (unsigned int i = 1; i < NR_PRIMITIVES; i++)
		if (result->aborts[i] < result->aborts[least])
			least = i;
	if (result->aborts[least] >= aborts)
		return;
	note(&verdict.idle, "%s: %lu of %lu aborts in %.0f seconds; a longer storm (--storm, "
	     "--patience) may reach them", primitives[least].name, result->aborts[least],
	     aborts, result->seconds);
}

static void prove_storm(const struct storm_plan *plan)
{
	static struct storm_result result;
	sigset_t ends, before;

	/* Block these signals: a CPU that is offline when the process ends would stay offline. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, plan->hotplug ? &ends : NULL, &before);
	progress_show("storm", 0, 0);
	storm_tick = progress_tick;
	storm_run(plan, &result);
	progress_clear();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	printf("storm: %u workers on %d CPUs, %.0f seconds\n", result.nr_workers, result.nr_cpus,
	       result.seconds);
	print_sources(&result);
	print_primitives(&result);
	judge_storm(&result, plan->aborts);
}

/* Why nothing can be proven here, or NULL. */
static const char *find_obstacle(void)
{
	if (!scene_begin())
		return "there is no memory for it";
	if (percpu_mode() == PERCPU_LOCKED)
		return percpu_mode_reason();
	if (!stepping_works())
		return "the program's text cannot be written to, so there are no breakpoints";
	return NULL;
}

static int prove(const struct storm_plan *plan)
{
	struct usermm_doctor doctor;
	const char *obstacle = find_obstacle();

	if (obstacle) {
		note(&verdict.idle, "%s", obstacle);
		return report();
	}
	usermm_doctor_read(&doctor);
	progress_begin(stdout);
	printf("per-CPU lists: %s by %s\n", doctor.percpu_mode, doctor.slot_index);
	prove_all_boundaries();
	prove_end();
	if (!verdict.failed)
		prove_late();
	scene_end();
	fflush(stdout);
	if (!verdict.failed)
		prove_storm(plan);
	return report();
}

enum { KEY_STORM = 256, KEY_PATIENCE, KEY_ABORTS, KEY_HOTPLUG };

static bool take_seconds(const struct command *command, const char *option, const char *text,
			 unsigned int *seconds)
{
	unsigned long number;

	if (!take_number(command, option, text, SECONDS_MAX, &number))
		return false;
	*seconds = (unsigned int)number;
	return true;
}

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct storm_plan *plan = context;

	if (key == KEY_STORM)
		return take_seconds(command, "storm", value, &plan->seconds);
	if (key == KEY_PATIENCE)
		return take_seconds(command, "patience", value, &plan->patience);
	if (key == KEY_ABORTS)
		return take_number(command, "aborts", value, UINT_MAX, &plan->aborts);
	plan->hotplug = true;
	return true;
}

static int run_selftest_percpu(int argc, char **argv)
{
	struct storm_plan plan = { .aborts = DEFAULT_ABORTS };
	int code = take_arguments(&command_selftest_percpu, argc, argv, &plan);

	if (code >= 0)
		return code;
	if (optind < argc)
		return complain(&command_selftest_percpu, "unexpected argument", argv[optind]);
	if (!plan.patience)
		plan.patience = plan.seconds ? plan.seconds : DEFAULT_PATIENCE;
	if (!plan.seconds)
		plan.seconds = DEFAULT_SECONDS;
	return prove(&plan);
}

static const struct command_option option_table[] = {
	{ KEY_STORM, "storm", "SECONDS",
	  "length of the storm (10). With --storm it may take as long again if the aborts are too "
	  "few; without, five minutes more" },
	{ KEY_PATIENCE, "patience", "SECONDS", "how much longer it may take instead" },
	{ KEY_ABORTS, "aborts", "NUMBER",
	  "how often the storm must abort each primitive (100000). An emulator is too slow for as "
	  "many" },
	{ KEY_HOTPLUG, "hotplug", NULL,
	  "also take the last CPU offline and back, which every program on the machine will "
	  "notice" },
	{ 'o', "options", "OPTIONS",
	  OPTIONS_HELP ". `rseq=cpu_id` and `rseq=mm_cid` choose what is proven" },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "no object was lost or handed out twice, and everything that this kernel lets "
		     "happen was exercised" },
	{ .status = 1,
	  .meaning = "an object was lost or handed out twice, or something was not exercised" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_OUTPUT },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm selftest percpu", "about half a minute" },
	{ "usermm selftest percpu --storm 600 --patience 60", "a storm of ten minutes" },
	{ "usermm selftest percpu -o rseq=cpu_id", "proves the index that is not the default" },
	{ 0 },
};

const struct command command_selftest_percpu = {
	.name = "selftest percpu",
	.summary = "check the per-CPU lists thoroughly",
	.text = "Proves that the per-CPU lists work on this machine and kernel. First every "
		"primitive is interrupted at each of its instructions, in all states of the list, "
		"without and with another operation on the same list meanwhile. Then more threads "
		"than CPUs use the same lists, under all interruptions that the user may cause. "
		"Each primitive must be aborted often enough, or it counts as not exercised.\n\n"
		"The last line says why the proof failed, or what this kernel does not let happen.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.take = take_option,
	.run = run_selftest_percpu,
};
