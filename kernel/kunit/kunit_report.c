/* SPDX-License-Identifier: MIT */
/* Prints failed checks, and keeps the resources that a case owns. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <usermm/slab.h>

#include "kunit_run.h"

/*
 * Reports have the form of Linux 7.3 (lib/kunit/assert.c): a comment with the place, then lines
 * that are indented by one level, or two for values, then an empty line and the message as it is.
 */

/* Begins a report. The runner's lock is held until its end, so that threads' lines do not mix. */
static void begin(struct kunit *test, const struct kunit_loc *loc)
{
	struct kunit_runner *runner = test->runner;

	pthread_mutex_lock(&runner->lock);
	test->status = KUNIT_FAILURE;
	fprintf(runner->out, "    # %s: %s FAILED at %s:%d\n", test->name,
		loc->fatal ? "ASSERTION" : "EXPECTATION", loc->file, loc->line);
}

static void line(struct kunit *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void line(struct kunit *test, const char *format, ...)
{
	struct kunit_runner *runner = test->runner;
	va_list args;

	fputs("    ", runner->out);
	va_start(args, format);
	vfprintf(runner->out, format, args);
	va_end(args);
	fputc('\n', runner->out);
}

/* The message, if there is one, and the end of the report. */
static void tell(struct kunit *test, const char *format, va_list args)
{
	struct kunit_runner *runner = test->runner;
	char text[1024];
	size_t length;

	if (format) {
		kunit_format(text, sizeof(text), format, args);
		length = strlen(text);
		fprintf(runner->out, "%s%s", text,
			length && text[length - 1] == '\n' ? "" : "\n");
	}
	fflush(runner->out);
	pthread_mutex_unlock(&runner->lock);
}

/* An empty line is between the check and its message. */
static void end(struct kunit *test, const char *format, va_list args)
{
	struct kunit_runner *runner = test->runner;

	if (format)
		fputc('\n', runner->out);
	tell(test, format, args);
}

static void expected(struct kunit *test, const char *const text[3])
{
	line(test, "Expected %s %s %s, but", text[0], text[1], text[2]);
}

void kunit_fail_text(struct kunit *test, const struct kunit_loc *loc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	tell(test, format, args);
	va_end(args);
}

void kunit_fail_unary(struct kunit *test, const struct kunit_loc *loc, const char *text,
		      bool expected_true, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	line(test, "Expected %s to be %s, but is %s", text, expected_true ? "true" : "false",
	     expected_true ? "false" : "true");
	end(test, format, args);
	va_end(args);
}

void kunit_fail_not_err(struct kunit *test, const struct kunit_loc *loc, const char *text,
			const void *value, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	if (value)
		line(test, "Expected %s is not error, but is: %ld", text, (long)value);
	else
		line(test, "Expected %s is not null, but is", text);
	end(test, format, args);
	va_end(args);
}

/* Is the text the value itself? Then the value needs no line of its own. */
static bool is_number(const char *text, long long value)
{
	char number[24];

	snprintf(number, sizeof(number), "%lld", value);
	return !strcmp(text, number);
}

static void integer(struct kunit *test, const char *text, long long value)
{
	if (!is_number(text, value))
		line(test, "    %s == %lld (0x%llx)", text, value, value);
}

void kunit_fail_binary(struct kunit *test, const struct kunit_loc *loc,
		       const char *const text[3], long long left, long long right,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	expected(test, text);
	integer(test, text[0], left);
	integer(test, text[2], right);
	end(test, format, args);
	va_end(args);
}

void kunit_fail_ptr(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const void *left, const void *right,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	expected(test, text);
	line(test, "    %s == %016lx", text[0], (unsigned long)left);
	line(test, "    %s == %016lx", text[2], (unsigned long)right);
	end(test, format, args);
	va_end(args);
}

/* Is the text, in quotes, the value itself? */
static bool is_quoted(const char *text, const char *value)
{
	size_t length = strlen(text);

	return length >= 2 && text[0] == '"' && text[length - 1] == '"' &&
	       !strncmp(text + 1, value, length - 2);
}

static void string(struct kunit *test, const char *text, const char *value)
{
	if (kunit_is_err_or_null(value))
		value = value ? "(efault)" : "(null)";
	if (!is_quoted(text, value))
		line(test, "    %s == \"%s\"", text, value);
}

void kunit_fail_str(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const char *left, const char *right,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	expected(test, text);
	string(test, text[0], left);
	string(test, text[2], right);
	end(test, format, args);
	va_end(args);
}

/* Prints lines of 16 bytes. Bytes that differ from those of the other block are in <>. */
static void bytes(struct kunit *test, const char *text, const unsigned char *block,
		  const unsigned char *other, size_t size)
{
	char hex[16 * 4 + 1];

	line(test, "    %s ==", text);
	for (size_t i = 0; i < size;) {
		size_t n = 0;

		for (size_t last = i + 16; i < size && i < last; i++)
			n += (size_t)snprintf(hex + n, sizeof(hex) - n,
					      block[i] == other[i] ? " %02x " : "<%02x>", block[i]);
		line(test, "    %s", hex);
	}
}

void kunit_fail_mem(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const void *left, const void *right,
		    size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	begin(test, loc);
	if (!left || !right) {
		line(test, "Expected %s is not null, but is", text[left ? 2 : 0]);
	} else {
		expected(test, text);
		bytes(test, text[0], left, right, size);
		bytes(test, text[2], right, left, size);
	}
	end(test, format, args);
	va_end(args);
}

static void push_resource(struct kunit *test, struct kunit_resource *resource)
{
	struct kunit_runner *runner = test->runner;

	pthread_mutex_lock(&runner->lock);
	resource->next = test->resources;
	test->resources = resource;
	pthread_mutex_unlock(&runner->lock);
}

/* Unlinks the latest resource that matches. A NULL criterion matches everything. */
static struct kunit_resource *pull_resource(struct kunit *test,
					    kunit_resource_free_t release, const void *data)
{
	struct kunit_runner *runner = test->runner;
	struct kunit_resource **link, *found;

	pthread_mutex_lock(&runner->lock);
	for (link = &test->resources; *link; link = &(*link)->next)
		if ((!release || (*link)->free == release) &&
		    (!data || (*link)->data == data))
			break;
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&runner->lock);
	return found;
}

static void drop_resource(struct kunit_resource *resource, bool run)
{
	if (run && resource->free)
		resource->free(resource);
	if (resource->should_free)
		free(resource);
}

void kunit_cleanup(struct kunit *test)
{
	struct kunit_resource *resource;

	while ((resource = pull_resource(test, NULL, NULL)))
		drop_resource(resource, true);
}

int kunit_add_named_resource(struct kunit *test, int (*init)(struct kunit_resource *, void *),
			     kunit_resource_free_t release, struct kunit_resource *resource,
			     const char *name, void *data)
{
	int error;

	if (kunit_find_named_resource(test, name))
		return -EEXIST;
	*resource = (struct kunit_resource){ .data = data, .name = name, .free = release };
	error = init ? init(resource, data) : 0;
	if (!error)
		push_resource(test, resource);
	return error;
}

struct kunit_resource *kunit_find_named_resource(struct kunit *test, const char *name)
{
	struct kunit_runner *runner = test->runner;
	struct kunit_resource *resource;

	pthread_mutex_lock(&runner->lock);
	for (resource = test->resources; resource; resource = resource->next)
		if (resource->name && !strcmp(resource->name, name))
			break;
	pthread_mutex_unlock(&runner->lock);
	return resource;
}

int kunit_add_resource(struct kunit *test, kunit_resource_init_t init,
		       kunit_resource_free_t release, struct kunit_resource *resource, void *data)
{
	int error;

	*resource = (struct kunit_resource){ .data = data, .free = release };
	error = init ? init(resource, data) : 0;
	if (!error)
		push_resource(test, resource);
	return error;
}

struct kunit_resource *kunit_alloc_and_get_resource(struct kunit *test,
						    kunit_resource_init_t init,
						    kunit_resource_free_t release, gfp_t gfp,
						    void *context)
{
	struct kunit_resource *resource = calloc(1, sizeof(*resource));

	(void)gfp;
	if (!resource)
		return NULL;
	if (kunit_add_resource(test, init, release, resource, context)) {
		free(resource);
		return NULL;
	}
	resource->should_free = true;
	return resource;
}

/* Finds the latest resource that match() accepts. With take it is unlinked from the case. */
static struct kunit_resource *match_resource(struct kunit *test, kunit_resource_match_t match,
					     void *data, bool take)
{
	struct kunit_runner *runner = test->runner;
	struct kunit_resource **link, *found;

	pthread_mutex_lock(&runner->lock);
	for (link = &test->resources; *link && !match(test, *link, data); link = &(*link)->next)
		;
	found = *link;
	if (found && take)
		*link = found->next;
	pthread_mutex_unlock(&runner->lock);
	return found;
}

struct kunit_resource *kunit_find_resource(struct kunit *test, kunit_resource_match_t match,
					   void *data)
{
	return match_resource(test, match, data, false);
}

int kunit_destroy_resource(struct kunit *test, kunit_resource_match_t match, void *data)
{
	struct kunit_resource *resource = match_resource(test, match, data, true);

	if (!resource)
		return -ENOENT;
	drop_resource(resource, true);
	return 0;
}

static bool is_same(struct kunit *test, struct kunit_resource *resource, void *data)
{
	(void)test;
	return resource == data;
}

static bool has_name(struct kunit *test, struct kunit_resource *resource, void *name)
{
	(void)test;
	return resource->name && !strcmp(resource->name, name);
}

void kunit_remove_resource(struct kunit *test, struct kunit_resource *resource)
{
	kunit_destroy_resource(test, is_same, resource);
}

int kunit_destroy_named_resource(struct kunit *test, const char *name)
{
	return kunit_destroy_resource(test, has_name, (void *)name);
}

/* A deferred action is a resource with a function to call. */
struct kunit_action {
	struct kunit_resource resource;
	kunit_action_t *action;
};

static void run_action(struct kunit_resource *resource)
{
	((struct kunit_action *)resource)->action(resource->data);
}

int kunit_add_action(struct kunit *test, kunit_action_t *action, void *context)
{
	struct kunit_action *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->resource = (struct kunit_resource){
		.data = context, .free = run_action, .should_free = true,
	};
	entry->action = action;
	push_resource(test, &entry->resource);
	return 0;
}

int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *action, void *context)
{
	int error = kunit_add_action(test, action, context);

	if (error)
		action(context);
	return error;
}

void kunit_remove_action(struct kunit *test, kunit_action_t *action, void *context)
{
	struct kunit_resource *resource = pull_resource(test, run_action, context);

	(void)action;
	if (resource)
		drop_resource(resource, false);
}

void kunit_release_action(struct kunit *test, kunit_action_t *action, void *context)
{
	kunit_remove_action(test, action, context);
	action(context);
}

static void free_object(void *object)
{
	kfree(object);
}

void *kunit_kmalloc_array(struct kunit *test, size_t n, size_t size, gfp_t gfp)
{
	void *object = kmalloc_array(n, size, gfp);

	if (!ZERO_OR_NULL_PTR(object) && kunit_add_action(test, free_object, object)) {
		kfree(object);
		return NULL;
	}
	return object;
}

void kunit_kfree(struct kunit *test, const void *object)
{
	if (!ZERO_OR_NULL_PTR(object))
		kunit_release_action(test, free_object, (void *)(uintptr_t)object);
}
