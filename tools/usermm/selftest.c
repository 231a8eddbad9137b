// SPDX-License-Identifier: MIT
/* usermm selftest: runs the checks and prints a line for each. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/progress.h"
#include "arguments.h"
#include "command.h"
#include "os/os.h"
#include "selftest.h"
#include "selftest/stay.h"
#include "usermm/usermm.h"

#define NEEDED_BYTES (16ul << 20)

size_t selftest_free_bytes(void)
{
	struct usermm_stats stats;

	drain_local_pages(NULL);
	usermm_stats_read(&stats);
	return stats.free_bytes + stats.pcp_bytes;
}

void selftest_fill(void *memory, size_t bytes, unsigned long key)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)memory)[i] = (unsigned char)(key * 31 + i * 7 + (i >> 8));
}

int selftest_filled(const void *memory, size_t bytes, unsigned long key)
{
	for (size_t i = 0; i < bytes; i++)
		if (((const unsigned char *)memory)[i] !=
		    (unsigned char)(key * 31 + i * 7 + (i >> 8)))
			return 0;
	return 1;
}

int selftest_zero(const void *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (((const unsigned char *)memory)[i])
			return 0;
	return 1;
}

static int run_checks(const struct selftest *tests)
{
	int failed = 0;

	for (; tests->name; tests++) {
		const char *problem;

		progress_show(tests->name, 0, 0);
		problem = tests->check();
		progress_clear();
		if (problem)
			printf("FAIL  %s: %s\n", tests->name, problem);
		else
			printf("ok    %s\n", tests->name);
		fflush(stdout);
		failed += problem != NULL;
	}
	return failed;
}

/* Does a program with the library preloaded start and end? */
static int check_preload(void)
{
	char *const argv[] = { "usermm", "run", "--", "/bin/true", NULL };
	char program[OS_PROGRAM_PATH_BYTES];
	int status = 0;
	pid_t pid;

	os_program_file(program);
	if (!preload_path()) {
		printf("--    malloc: " PRELOAD_LIBRARY " was not found, not checked\n");
		return 0;
	}
	if (posix_spawn(&pid, program, NULL, NULL, argv, environ)) {
		printf("FAIL  malloc: a process could not be started\n");
		return 1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (status) {
		printf("FAIL  malloc: /bin/true with " PRELOAD_LIBRARY " ended with status 0x%x\n",
		       (unsigned int)status);
		return 1;
	}
	printf("ok    malloc: a program starts and ends with " PRELOAD_LIBRARY "\n");
	return 0;
}

/* Without enough memory the checks would fail for another reason than a bug. */
static bool enough_memory(void)
{
	struct usermm_stats stats;

	/* Brings the library up. A slab would go back at some time during the checks. */
	free_page(get_zeroed_page(GFP_KERNEL));
	usermm_stats_read(&stats);
	if (stats.budget_bytes >= NEEDED_BYTES)
		return true;
	fprintf(stderr, "usermm selftest: needs a budget of %lu MiB, but has %zu KiB; raise limit= "
			"or the process's memory limit\n",
		NEEDED_BYTES >> 20, stats.budget_bytes >> 10);
	return false;
}

static int run_selftest(int argc, char **argv)
{
	struct usermm_doctor doctor;
	int failed, code = take_arguments(&command_selftest, argc, argv, NULL);
	cpu_set_t cpus;

	if (code >= 0)
		return code;
	if (optind < argc)
		return complain(&command_selftest, "unexpected argument", argv[optind]);
	if (!enough_memory())
		return 1;
	/* The checks empty and count the lists of the current CPU only. */
	stay_on_one_cpu(&cpus);
	progress_begin(stdout);
	failed = run_checks(selftest_pages) + run_checks(selftest_objects);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	failed += check_preload();
	usermm_doctor_read(&doctor);
	printf("%s, per-CPU lists: %s by %s\n", failed ? "FAILED" : "all is well",
	       doctor.percpu_mode, doctor.slot_index);
	return failed ? 1 : 0;
}

static const struct command_option option_table[] = {
	{ 'o', "options", "OPTIONS", OPTIONS_HELP },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "all checks passed" },
	{ .status = 1, .meaning = "a check failed, or there is too little memory for the checks" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_OUTPUT },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm selftest", "checks every layer in some seconds" },
	{ "usermm selftest -o rseq=off", "does so without restartable sequences" },
	{ "usermm selftest percpu --storm 60", "proves the per-CPU lists for a minute" },
	{ 0 },
};

const struct command command_selftest = {
	.name = "selftest",
	.summary = "check quickly that every layer works here",
	.text = "Allocates and frees memory through the public functions of each layer, and checks "
		"the results. Prints one line for each check.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.run = run_selftest,
};
