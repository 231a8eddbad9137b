// SPDX-License-Identifier: MIT
/* KUnit's static stubs. Each replacement is a resource of the case that activated it. */
#include <stdlib.h>

#include <kunit/resource.h>
#include <kunit/static_stub.h>
#include <kunit/test.h>

struct stub {
	void *function;
	void *replacement;
};

static void free_stub(struct kunit_resource *resource)
{
	free(resource->data);
}

static bool replaces(struct kunit *test, struct kunit_resource *resource, void *function)
{
	(void)test;
	return resource->free == free_stub && ((struct stub *)resource->data)->function == function;
}

static int set_data(struct kunit_resource *resource, void *stub)
{
	resource->data = stub;
	return 0;
}

void *kunit_static_stub_of(struct kunit *test, void *function)
{
	struct kunit_resource *resource = kunit_find_resource(test, replaces, function);
	void *replacement;

	if (!resource)
		return NULL;
	replacement = ((struct stub *)resource->data)->replacement;
	kunit_put_resource(resource);
	return replacement;
}

void __kunit_activate_static_stub(struct kunit *test, void *function, void *replacement)
{
	struct kunit_resource *resource;
	struct stub *stub;

	if (!replacement) {
		kunit_deactivate_static_stub(test, function);
		return;
	}
	resource = kunit_find_resource(test, replaces, function);
	if (resource) {
		((struct stub *)resource->data)->replacement = replacement;
		kunit_put_resource(resource);
		return;
	}
	stub = malloc(sizeof(*stub));
	KUNIT_ASSERT_NOT_NULL(test, stub);
	*stub = (struct stub){ .function = function, .replacement = replacement };
	kunit_alloc_resource(test, set_data, free_stub, GFP_KERNEL, stub);
}

void kunit_deactivate_static_stub(struct kunit *test, void *function)
{
	KUNIT_ASSERT_EQ(test, kunit_destroy_resource(test, replaces, function), 0);
}
