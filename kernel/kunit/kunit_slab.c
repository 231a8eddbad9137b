/* SPDX-License-Identifier: MIT */
/*
 * KUnit tests of slab debugging count errors instead of parsing reports: in a case with a resource
 * "slab_errors" the number of errors is added to it. cf. Linux mm/slub.c: slab_add_kunit_errors().
 */
#include <kunit/resource.h>
#include <kunit/test-bug.h>
#include <kunit/test.h>

#include "slab/debug/debug.h"

static int *error_count(void)
{
	struct kunit *test = kunit_get_current_test();
	struct kunit_resource *resource;
	int *count;

	if (!test)
		return NULL;
	resource = kunit_find_named_resource(test, "slab_errors");
	if (!resource)
		return NULL;
	count = resource->data;
	kunit_put_resource(resource);
	return count;
}

static bool counts_errors(void)
{
	return error_count();
}

static bool count_error(void)
{
	int *count = error_count();

	if (count)
		(*count)++;
	return count;
}

__attribute__((constructor)) static void set_hooks(void)
{
	slab_debug_hooks.count_error = count_error;
	slab_debug_hooks.counts_errors = counts_errors;
}
