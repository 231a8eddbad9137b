/* SPDX-License-Identifier: MIT */
/*
 * Things that belong to a case and go when it ends, the latest first: actions
 * to run, and data that code under test finds by name.
 */
#ifndef KUNIT_RESOURCE_H
#define KUNIT_RESOURCE_H

#include <kunit/test.h>

struct kunit_resource {
	void *data;
	const char *name;
	void (*free)(struct kunit_resource *resource);
	struct kunit_resource *next;
	bool should_free;	/* the runner made it */
};

typedef int (*kunit_resource_init_t)(struct kunit_resource *resource, void *context);
typedef void (*kunit_resource_free_t)(struct kunit_resource *resource);
typedef void (kunit_action_t)(void *context);

/* resource is the caller's. 0, or -EEXIST if the name is taken. */
int kunit_add_named_resource(struct kunit *test, kunit_resource_init_t init,
			     kunit_resource_free_t release, struct kunit_resource *resource,
			     const char *name, void *data);
/* The resource, or NULL. It lives as long as the case does. */
struct kunit_resource *kunit_find_named_resource(struct kunit *test, const char *name);

/* Without a name. What is allocated here goes with the case. */
int kunit_add_resource(struct kunit *test, kunit_resource_init_t init,
		       kunit_resource_free_t release, struct kunit_resource *resource, void *data);
struct kunit_resource *kunit_alloc_and_get_resource(struct kunit *test,
						    kunit_resource_init_t init,
						    kunit_resource_free_t release, gfp_t gfp,
						    void *context);

/* The data that init has put into it. */
static inline void *kunit_alloc_resource(struct kunit *test, kunit_resource_init_t init,
					 kunit_resource_free_t release, gfp_t gfp, void *context)
{
	struct kunit_resource *resource =
		kunit_alloc_and_get_resource(test, init, release, gfp, context);

	return resource ? resource->data : NULL;
}

typedef bool (*kunit_resource_match_t)(struct kunit *test, struct kunit_resource *resource,
				       void *data);
/* The latest one for which match is true. */
struct kunit_resource *kunit_find_resource(struct kunit *test, kunit_resource_match_t match,
					   void *data);
/* And frees it at once; -ENOENT if there is none. */
int kunit_destroy_resource(struct kunit *test, kunit_resource_match_t match, void *data);
int kunit_destroy_named_resource(struct kunit *test, const char *name);
void kunit_remove_resource(struct kunit *test, struct kunit_resource *resource);

/* The resource whose data this is; up to 6.10. */
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

/* Runs action(context) when the case ends. 0 or -ENOMEM; _or_reset runs it then. */
int kunit_add_action(struct kunit *test, kunit_action_t *action, void *context);
int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *action, void *context);
/* Takes the latest such action back; release runs it as well. */
void kunit_remove_action(struct kunit *test, kunit_action_t *action, void *context);
void kunit_release_action(struct kunit *test, kunit_action_t *action, void *context);

/* name(context) as an action: function(arg), with arg of the type that it takes. */
#define KUNIT_DEFINE_ACTION_WRAPPER(wrapper, function, arg_type)	\
	static void wrapper(void *context)				\
	{								\
		function((arg_type)(unsigned long)context);		\
	}

#endif
