// SPDX-License-Identifier: MIT
/*
 * main() of every test executable.
 *
 *	test_x [--filter GLOB] [--list]
 *
 * After the report it prints one line "N passed, N failed, N skipped". The exit status is 0 if
 * nothing failed and something ran.
 */
#include <errno.h>
#include <sys/prctl.h>

#include "kunit/kunit_run.h"
#include "page/reclaim/release.h"
#include "percpu/slots.h"

static int list_cases(void)
{
	const struct kunit_case *test_case;

	struct kunit_suite *const *suites;
	size_t nr = kunit_registered_suites(&suites);

	for (size_t i = 0; i < nr; i++)
		kunit_suite_for_each_test_case(suites[i], test_case)
			printf("%s.%s\n", suites[i]->name, test_case->name);
	return 0;
}

int main(int argc, char **argv)
{
	struct kunit_runner runner = { .out = stdout, .lock = PTHREAD_MUTEX_INITIALIZER };
	const struct kunit_totals *totals = &runner.totals;
	struct kunit_suite *const *suites;
	size_t nr = kunit_registered_suites(&suites);

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			return list_cases();
		if (!strcmp(argv[i], "--filter") && i + 1 < argc) {
			runner.filter = argv[++i];
		} else {
			fprintf(stderr, "usage: %s [--filter GLOB] [--list]\n", argv[0]);
			return 2;
		}
	}
	/* Reports show the process's name. In an emulator that would be the emulator's name. */
	prctl(PR_SET_NAME, program_invocation_short_name);
	/*
	 * Tests look at free blocks, so nothing goes back to the system meanwhile. slab/test_decay
	 * sets the number itself.
	 */
	release_wake_pages = ~0UL;
	/*
	 * Tests look at all slots, so all are made at the start. percpu/test_slots sets this
	 * itself.
	 */
	percpu_first_slots = ~0U;
	kunit_run_suites(&runner, suites, nr);
	printf("%u passed, %u failed, %u skipped\n", totals->passed, totals->failed,
	       totals->skipped);
	fflush(stdout);
	return totals->failed || !(totals->passed + totals->skipped);
}
