/* SPDX-License-Identifier: MIT */
/*
 * The KUnit runner. Cases run one after another in this process. The report is KTAP version 1, with
 * a subtest for each suite and for each case with parameters.
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <kunit/test-bug.h>

#include "kunit_run.h"

#define MAX_SUITES 64

static struct kunit_suite *registered[MAX_SUITES];
static size_t nr_registered;

int (*kunit_format)(char *text, size_t size, const char *format, va_list args) = vsnprintf;

/* Where a failed ASSERT returns to. Each active kunit_try() of this thread has one. */
struct kunit_env {
	jmp_buf jump;
	struct kunit *test;
	struct kunit_env *outer;
};

static _Thread_local struct kunit_env *current_env;

void kunit_register_suites(struct kunit_suite *const *suites, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (nr_registered == MAX_SUITES)
			abort();
		registered[nr_registered++] = suites[i];
	}
}

bool kunit_try(struct kunit *test, void (*fn)(void *arg), void *arg)
{
	struct kunit_env env = { .test = test, .outer = current_env };
	/* volatile, since longjmp() would restore an old value if it were in a register */
	volatile bool returned = false;

	current_env = &env;
	if (!setjmp(env.jump)) {
		fn(arg);
		returned = true;
	}
	current_env = env.outer;
	return returned;
}

void kunit_abort(struct kunit *test)
{
	(void)test;
	if (current_env)
		longjmp(current_env->jump, 1);
	pthread_exit(NULL);
}

struct kunit *kunit_get_current_test(void)
{
	return current_env ? current_env->test : NULL;
}

static void print_line(struct kunit_runner *runner, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print_line(struct kunit_runner *runner, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(runner->out, "%*s", (int)runner->indent, "");
	vfprintf(runner->out, format, args);
	fputc('\n', runner->out);
	fflush(runner->out);
	va_end(args);
}

void kunit_printf(void *of, const char *name, const char *format, ...)
{
	struct kunit_runner *runner = of;
	char text[1024];
	va_list args;
	size_t length;

	va_start(args, format);
	kunit_format(text, sizeof(text), format, args);
	va_end(args);
	length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	pthread_mutex_lock(&runner->lock);
	fprintf(runner->out, "    # %s: %s\n", name, text);
	fflush(runner->out);
	pthread_mutex_unlock(&runner->lock);
}

void kunit_note_skip(enum kunit_status *status, char comment[256], const char *format, ...)
{
	va_list args;

	if (*status != KUNIT_FAILURE)
		*status = KUNIT_SKIPPED;
	va_start(args, format);
	kunit_format(comment, 256, format, args);
	va_end(args);
}

/* Does the filter match the case? "a.b" means suite a, case b; a name alone means either. */
static bool case_is_wanted(const char *filter, const struct kunit_suite *suite,
			   const struct kunit_case *test_case)
{
	char full[600];

	if (!filter)
		return true;
	if (!strchr(filter, '.'))
		return !fnmatch(filter, suite->name, 0) ||
		       !fnmatch(filter, test_case->name, 0);
	snprintf(full, sizeof(full), "%s.%s", suite->name, test_case->name);
	return !fnmatch(filter, full, 0);
}

static unsigned int nr_wanted(const char *filter, const struct kunit_suite *suite)
{
	const struct kunit_case *test_case;
	unsigned int nr = 0;

	kunit_suite_for_each_test_case(suite, test_case)
		nr += case_is_wanted(filter, suite, test_case);
	return nr;
}

static void count(struct kunit_totals *totals, enum kunit_status status)
{
	if (status == KUNIT_SUCCESS)
		totals->passed++;
	else if (status == KUNIT_FAILURE)
		totals->failed++;
	else
		totals->skipped++;
}

static void print_result(struct kunit_runner *runner, enum kunit_status status,
			 unsigned int number, const char *name, const char *comment)
{
	print_line(runner, "%s %u %s%s%s", status == KUNIT_FAILURE ? "not ok" : "ok",
		   number, name, status == KUNIT_SKIPPED ? " # SKIP " : "",
		   status == KUNIT_SKIPPED ? comment : "");
}

struct case_run {
	struct kunit_suite *suite;
	struct kunit_case *test_case;
	struct kunit *test;
};

static void call_case(void *arg)
{
	struct case_run *run = arg;
	int error = run->suite->init ? run->suite->init(run->test) : 0;

	if (error) {
		kunit_err(run->test, "failed to initialize: %d\n", error);
		run->test->status = KUNIT_FAILURE;
		return;
	}
	run->test_case->run_case(run->test);
}

static void call_exit(void *arg)
{
	struct case_run *run = arg;

	if (run->suite->exit)
		run->suite->exit(run->test);
}

static enum kunit_status run_one(struct kunit_runner *runner, struct kunit_suite *suite,
				 struct kunit_case *test_case, struct kunit *test)
{
	struct case_run run = { suite, test_case, test };

	test->runner = runner;
	test->name = test_case->name;
	kunit_try(test, call_case, &run);
	kunit_try(test, call_exit, &run);
	kunit_cleanup(test);
	count(&runner->totals, test->status);
	return test->status;
}

const void *kunit_array_gen_params(struct kunit *test, const void *prev, char *desc)
{
	const struct kunit_params *array = &test->params_array;
	const char *first = array->params, *next;

	next = prev ? (const char *)prev + array->elem_size : first;
	if (!first || next >= first + array->num_params * array->elem_size)
		return NULL;
	if (array->get_description)
		array->get_description(test, next, desc);
	return next;
}

/* The parameter after prev. An empty name becomes one with a number. */
static const void *next_param(struct kunit_case *test_case, struct kunit *parent, const void *prev,
			      char *desc, int index)
{
	const void *param;

	desc[0] = '\0';
	param = test_case->generate_params ? test_case->generate_params(parent, prev, desc) :
					     test_case->generate_params_old(prev, desc);
	if (param && !desc[0])
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "param-%d", index);
	return param;
}

static bool has_params(const struct kunit_case *test_case)
{
	return test_case->generate_params || test_case->generate_params_old;
}

/* Runs a case with each of its parameters, as a subtest. */
static enum kunit_status run_each_param(struct kunit_runner *runner, struct kunit_suite *suite,
					struct kunit_case *test_case, struct kunit *parent)
{
	enum kunit_status result = KUNIT_SKIPPED;
	bool is_old = test_case->generate_params_old;
	char desc[KUNIT_PARAM_DESC_SIZE];
	unsigned int number = 0;
	const void *param = NULL;

	print_line(runner, "KTAP version 1");
	print_line(runner, "# Subtest: %s", test_case->name);
	if (test_case->generate_params == kunit_array_gen_params && parent->params_array.params)
		print_line(runner, "1..%zu", parent->params_array.num_params);
	for (;;) {
		struct kunit test = { .parent = parent, .param_index = (int)number + !is_old };

		param = next_param(test_case, parent, param, desc, test.param_index);
		if (!param)
			return result;
		test.param_value = param;
		parent->param_index = (int)++number;
		run_one(runner, suite, test_case, &test);
		if (test.status == KUNIT_FAILURE || result == KUNIT_SKIPPED)
			result = test.status;
		print_result(runner, test.status, number, desc, test.status_comment);
	}
}

/* Without a parameter a case has not run: it is skipped, and says so. */
static enum kunit_status run_params(struct kunit_runner *runner, struct kunit_suite *suite,
				    struct kunit_case *test_case, struct kunit *parent)
{
	enum kunit_status status;
	int error;

	parent->runner = runner;
	parent->name = test_case->name;
	runner->indent += 4;
	error = test_case->param_init ? test_case->param_init(parent) : 0;
	if (error) {
		print_line(runner, "# failed to initialize parent parameter test (%d)", error);
		status = KUNIT_FAILURE;
		count(&runner->totals, status);
	} else {
		status = run_each_param(runner, suite, test_case, parent);
		if (!parent->param_index)
			kunit_mark_skipped(parent, "no parameters were generated");
		if (test_case->param_exit)
			test_case->param_exit(parent);
	}
	kunit_cleanup(parent);
	runner->indent -= 4;
	return status;
}

/* Prints totals, but not for a single test: its result line says it all. As in Linux. */
static void print_totals(struct kunit_runner *runner, const char *name,
			 struct kunit_totals now, struct kunit_totals before)
{
	unsigned int passed = now.passed - before.passed, failed = now.failed - before.failed;
	unsigned int skipped = now.skipped - before.skipped, total = passed + failed + skipped;

	if (total > 1)
		print_line(runner, "# %s: pass:%u fail:%u skip:%u total:%u", name, passed, failed,
			   skipped, total);
}

/* Runs the cases. In the result a case counts once, whatever the number of its parameters. */
static struct kunit_totals run_cases(struct kunit_runner *runner, struct kunit_suite *suite)
{
	struct kunit_totals cases = { 0 };
	struct kunit_case *test_case;
	unsigned int number = 0;

	kunit_suite_for_each_test_case(suite, test_case) {
		struct kunit_totals before = runner->totals;
		struct kunit test = { 0 };
		enum kunit_status status;

		if (!case_is_wanted(runner->filter, suite, test_case))
			continue;
		status = has_params(test_case) ? run_params(runner, suite, test_case, &test) :
						 run_one(runner, suite, test_case, &test);
		test_case->status = status;
		print_totals(runner, test_case->name, runner->totals, before);
		print_result(runner, status, ++number, test_case->name,
			     test.status_comment);
		count(&cases, status);
	}
	return cases;
}

/* Runs a suite. In `cases` a case counts once, whatever the number of its parameters. */
static enum kunit_status run_suite(struct kunit_runner *runner, struct kunit_suite *suite,
				   struct kunit_totals *cases)
{
	struct kunit_totals before = runner->totals, *now = &runner->totals;
	int error;

	runner->indent = 4;
	suite->runner = runner;
	suite->status = KUNIT_SUCCESS;
	suite->status_comment[0] = '\0';
	error = suite->suite_init ? suite->suite_init(suite) : 0;
	if (error) {
		print_line(runner, "# failed to initialize (%d)", error);
		now->failed++;
	} else if (suite->status != KUNIT_SKIPPED) {
		print_line(runner, "KTAP version 1");
		print_line(runner, "# Subtest: %s", suite->name);
		print_line(runner, "1..%u", nr_wanted(runner->filter, suite));
		*cases = run_cases(runner, suite);
		if (suite->suite_exit)
			suite->suite_exit(suite);
	}
	runner->indent = 0;
	print_totals(runner, suite->name, *cases, (struct kunit_totals){ 0 });
	print_totals(runner, "Totals", *now, before);
	if (now->failed != before.failed)
		return KUNIT_FAILURE;
	return suite->status == KUNIT_SUCCESS && cases->passed ? KUNIT_SUCCESS : KUNIT_SKIPPED;
}

void kunit_run_suites(struct kunit_runner *runner, struct kunit_suite *const *suites,
		      size_t nr)
{
	unsigned int number = 0, wanted = 0;

	for (size_t i = 0; i < nr; i++)
		wanted += nr_wanted(runner->filter, suites[i]) > 0;
	print_line(runner, "KTAP version 1");
	print_line(runner, "1..%u", wanted);
	for (size_t i = 0; i < nr; i++) {
		struct kunit_totals cases = { 0 };
		enum kunit_status status;
		if (!nr_wanted(runner->filter, suites[i]))
			continue;
		status = run_suite(runner, suites[i], &cases);
		if (status == KUNIT_SKIPPED && !suites[i]->status_comment[0])
			kunit_mark_skipped(suites[i], "all %u cases were skipped", cases.skipped);
		print_result(runner, status, ++number, suites[i]->name, suites[i]->status_comment);
	}
}

size_t kunit_registered_suites(struct kunit_suite *const **suites)
{
	*suites = registered;
	return nr_registered;
}
