/* SPDX-License-Identifier: MIT */
/*
 * Reports of misuse allocate nothing, because the memory may be damaged. Each trial is a child with
 * fault injection for its next allocation of any kind. At its end the child checks that no
 * allocation has used up this failure.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "malloc/mapped/mapped.h"
#include "malloc_core/tested.h"
#include "support/child.h"
#include "usermm/fault.h"
#include "usermm/usermm.h"

#define EXIT_NOTHING_ALLOCATED 17

struct trial {
	const char *options;
	size_t size;
	void (*misuse)(char *block);
};

static size_t nr_mappings;

static void look(int number)
{
	(void)number;
	_exit(usermm_fail_nth(0) == 1 && mapped_counts.allocations == nr_mappings ?
	      EXIT_NOTHING_ALLOCATED : 1);
}

static void free_twice(char *block)
{
	tested_free(block);
	usermm_fail_nth(1);
	tested_free(block);
}

static void free_inside(char *block)
{
	usermm_fail_nth(1);
	tested_free(block + 1);
}

static void free_elsewhere(char *block)
{
	char on_stack[64];

	(void)block;
	usermm_fail_nth(1);
	tested_free(on_stack + 16);
}

static void resize_freed(char *block)
{
	tested_free(block);
	usermm_fail_nth(1);
	tested_realloc(block, 4000);
}

static void size_of_freed(char *block)
{
	tested_free(block);
	usermm_fail_nth(1);
	tested_malloc_usable_size(block);
}

static void (*const misuses[])(char *block) = {
	free_twice, free_inside, free_elsewhere, resize_freed, size_of_freed,
};

static void run_trial(struct kunit *test, void *arg)
{
	const struct trial *trial = arg;
	const char *error;
	char *block;

	KUNIT_ASSERT_EQ(test, usermm_set_options(trial->options, &error), 0);
	block = tested_malloc(trial->size);
	signal(SIGABRT, look);
	nr_mappings = mapped_counts.allocations;
	trial->misuse(block);
}

static void test_reports_allocate_nothing(struct kunit *test)
{
	static const char *const options[] = {
		"stats=0", "slab_debug=U", "slab_debug=Z", "hardened=1", "kfence_sample=1",
	};
	static const size_t sizes[] = { 24, 3000, 50000, 6000000 };
	static struct child_result result;

	for (unsigned int i = 0; i < ARRAY_SIZE(options); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(sizes); k++)
			for (unsigned int m = 0; m < ARRAY_SIZE(misuses); m++) {
				struct trial trial = { options[i], sizes[k], misuses[m] };

				child_run(test, run_trial, &trial, &result);
				KUNIT_EXPECT_TRUE_MSG(test, WIFEXITED(result.status) &&
					WEXITSTATUS(result.status) == EXIT_NOTHING_ALLOCATED,
					"%s, %zu bytes, misuse %u: status %#x, %s", options[i],
					sizes[k], m, result.status, result.err);
			}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_reports_allocate_nothing),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-reports", .test_cases = cases };

kunit_test_suite(suite);
