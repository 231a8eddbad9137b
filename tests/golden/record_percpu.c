/* SPDX-License-Identifier: MIT */
/* The operations of the percpu layer, each in a function that does nothing else. */
#include "percpu/percpu.h"
#include "percpu/tagged_list.h"

#include "golden/record.h"

#define LIMIT 64
#define NR 32
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

/* The linker names the section's ends. */
#define COUNTED __attribute__((__section__("fast_paths"), __noinline__))
extern const char __start_fast_paths[], __stop_fast_paths[];

static struct percpu_array *array;
static struct percpu_list *list;
static struct percpu_tagged_list *tagged;
/* The first word of each item is the link. */
static unsigned long things[NR][2] __aligned(sizeof(unsigned long[NR][2]));
static volatile uint32_t link_offset;
static volatile unsigned long mask = sizeof(things) - 1;
static void *items[NR];
static void *volatile item;
static volatile unsigned int result;

static COUNTED void *pop(struct percpu_array *from)
{
	return percpu_pop(from);
}

static COUNTED bool push(struct percpu_array *to, void *thing)
{
	return percpu_push(to, thing);
}

static COUNTED unsigned int pop_n(struct percpu_array *from, void **out, unsigned int n)
{
	return percpu_pop_n(from, out, n);
}

static COUNTED unsigned int push_n(struct percpu_array *to, void *const *in, unsigned int n)
{
	return percpu_push_n(to, in, n);
}

static COUNTED void *list_pop(struct percpu_list *from)
{
	return percpu_list_pop(from);
}

static COUNTED bool list_push(struct percpu_list *to, void *thing)
{
	return percpu_list_push(to, thing);
}

static COUNTED void *tagged_pop(struct percpu_tagged_list *from, uint32_t offset)
{
	return percpu_tagged_pop_fast(from, offset);
}

static COUNTED bool tagged_push(struct percpu_tagged_list *to, void *thing, uint32_t offset,
				unsigned long block_mask)
{
	return percpu_tagged_push_fast(to, thing, offset, block_mask);
}

static void run_pop(void)
{
	item = pop(array);
}

static void run_push(void)
{
	result = push(array, things[0]);
}

static void run_pop_n(void)
{
	result = pop_n(array, items, NR);
}

static void run_push_n(void)
{
	result = push_n(array, items, NR);
}

static void run_list_pop(void)
{
	item = list_pop(list);
}

static void run_list_push(void)
{
	result = list_push(list, things[0]);
}

static void run_tagged_pop(void)
{
	item = tagged_pop(tagged, link_offset);
}

static void run_tagged_push(void)
{
	result = tagged_push(tagged, things[0], link_offset, mask);
}

static const struct golden_path paths[] = {
	{ "percpu_pop", run_push, run_pop, NULL },
	{ "percpu_push", NULL, run_push, run_pop },
	{ "percpu_pop_n(32)", run_push_n, run_pop_n, NULL },
	{ "percpu_push_n(32)", NULL, run_push_n, run_pop_n },
	{ "percpu_list_pop", run_list_push, run_list_pop, NULL },
	{ "percpu_list_push", NULL, run_list_push, run_list_pop },
	{ "percpu_tagged_pop", run_tagged_push, run_tagged_pop, NULL },
	{ "percpu_tagged_push", NULL, run_tagged_push, run_tagged_pop },
};

static const char *start(void)
{
	if (percpu_init() || percpu_mode() == PERCPU_LOCKED)
		return percpu_mode_reason();
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	tagged = percpu_alloc(sizeof(*tagged), 64);
	for (unsigned int i = 0; i < NR; i++)
		items[i] = things[i];
	/* The slot that the thread will work on. */
	((struct percpu_array *)percpu_ptr(array, 0))->limit = LIMIT;
	((struct percpu_tagged_list *)percpu_ptr(tagged, 0))->head = percpu_tagged_token(things);
	return NULL;
}

const struct recording recording = {
	.start = start,
	.code_start = __start_fast_paths,
	.code_end = __stop_fast_paths,
	.paths = paths,
	.nr_paths = sizeof(paths) / sizeof(paths[0]),
};
