/* SPDX-License-Identifier: MIT */
/*
 * Resources of a case: actions to run, and data that code under test finds by name. When the case
 * ends they are released, the latest first.
 */
#ifndef KUNIT_RESOURCE_H
#define KUNIT_RESOURCE_H

#include <kunit/test.h>

struct kunit_resource {
	void *data;
	const char *name;
	void (*free)(struct kunit_resource *resource);
	struct kunit_resource *next;
	bool should_free;	/* the runner allocated it */
};

typedef int (*kunit_resource_init_t)(struct kunit_resource *resource, void *context);
typedef void (*kunit_resource_free_t)(struct kunit_resource *resource);
typedef void (kunit_action_t)(void *context);

/* The caller owns `resource`. Returns 0, or -EEXIST if the name is taken. */
int kunit_add_named_resource(struct kunit *test, kunit_resource_init_t init,
			     kunit_resource_free_t release, struct kunit_resource *resource,
			     const char *name, void *data);
/* The resource of that name, or NULL. It lives as long as the case. */
struct kunit_resource *kunit_find_named_resource(struct kunit *test, const char *name);

/*
 * Resources without a name. The caller owns that of kunit_add_resource(); that of
 * kunit_alloc_and_get_resource() is freed when the case ends.
 */
int kunit_add_resource(struct kunit *test, kunit_resource_init_t init,
		       kunit_resource_free_t release, struct kunit_resource *resource, void *data);
struct kunit_resource *kunit_alloc_and_get_resource(struct kunit *test,
						    kunit_resource_init_t init,
						    kunit_resource_free_t release, gfp_t gfp,
						    void *context);

/* Returns the data that init has put into the resource. */
static inline void *kunit_alloc_resource(struct kunit *test, kunit_resource_init_t init,
					 kunit_resource_free_t release, gfp_t gfp, void *context)
{
	struct kunit_resource *resource =
		kunit_alloc_and_get_resource(test, init, release, gfp, context);

	return resource ? resource->data : NULL;
}

typedef bool (*kunit_resource_match_t)(struct kunit *test, struct kunit_resource *resource,
				       void *data);
/* The latest resource for which match() is true. */
struct kunit_resource *kunit_find_resource(struct kunit *test, kunit_resource_match_t match,
					   void *data);
/* Frees this resource at once; -ENOENT if there is none. */
int kunit_destroy_resource(struct kunit *test, kunit_resource_match_t match, void *data);
int kunit_destroy_named_resource(struct kunit *test, const char *name);
void kunit_remove_resource(struct kunit *test, struct kunit_resource *resource);

/* Matches the resource with this data; up to Linux 6.10. */
static inline bool kunit_resource_instance_match(struct kunit *test,
						 struct kunit_resource *resource, void *data)
{
	(void)test;
	return resource->data == data;
}

static inline bool kunit_resource_name_match(struct kunit *test, struct kunit_resource *resource,
					     void *name)
{
	(void)test;
	return resource->name && !__builtin_strcmp(resource->name, (const char *)name);
}

static inline void kunit_get_resource(struct kunit_resource *resource)
{
	(void)resource;
}

static inline void kunit_put_resource(struct kunit_resource *resource)
{
	(void)resource;
}

/* Runs action(context) when the case ends. 0 or -ENOMEM; on failure _or_reset runs it at once. */
int kunit_add_action(struct kunit *test, kunit_action_t *action, void *context);
int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *action, void *context);
/* Removes the latest such action; _release_ also runs it. */
void kunit_remove_action(struct kunit *test, kunit_action_t *action, void *context);
void kunit_release_action(struct kunit *test, kunit_action_t *action, void *context);

/* Defines an action wrapper(context), which calls function with context as an arg_type. */
#define KUNIT_DEFINE_ACTION_WRAPPER(wrapper, function, arg_type)	\
	static void wrapper(void *context)				\
	{								\
		function((arg_type)(unsigned long)context);		\
	}

#endif
