/* SPDX-License-Identifier: MIT */
#include "selftest/primitives.h"

/* The linker defines __start_NAME and __stop_NAME for a section whose name is an identifier. */
#define INSTANCE(name)							\
	noinline __attribute__((__section__("selftest_" #name)))	\
	bool primitive_##name(struct primitive_call *call)

#include "selftest/instances.h"

static void run_pop(struct primitive_call *call)
{
	call->items[0] = percpu_pop(call->array);
	call->done = call->items[0] != NULL;
}

static void run_push(struct primitive_call *call)
{
	call->done = percpu_push(call->array, call->items[0]);
}

/* One try, then the ordinary pop, as its callers do. */
static void run_pop_at(struct primitive_call *call)
{
	call->items[0] = percpu_pop_fast_at(percpu_ptr(call->array, 0));
	if (call->items[0])
		call->done = 1;
	else
		run_pop(call);
}

static void run_push_at(struct primitive_call *call)
{
	call->done = percpu_push_fast_at(percpu_ptr(call->array, 0), call->items[0]);
	if (!call->done)
		run_push(call);
}

static void run_pop_n(struct primitive_call *call)
{
	call->done = percpu_pop_n(call->array, call->items, call->n);
}

static void run_push_n(struct primitive_call *call)
{
	call->done = percpu_push_n(call->array, call->items, call->n);
}

static void run_list_pop(struct primitive_call *call)
{
	call->items[0] = percpu_list_pop(call->list);
	call->done = call->items[0] != NULL;
}

static void run_list_push(struct primitive_call *call)
{
	call->done = percpu_list_push(call->list, call->items[0]);
}

#define TEXT_OF(name)							\
	extern const char __start_selftest_##name[] __attribute__((visibility("hidden"))); \
	extern const char __stop_selftest_##name[] __attribute__((visibility("hidden")))

TEXT_OF(pop);
TEXT_OF(push);
TEXT_OF(pop_at);
TEXT_OF(push_at);
TEXT_OF(pop_n);
TEXT_OF(push_n);
TEXT_OF(list_pop);
TEXT_OF(list_push);

#define PRIMITIVE(fn, is_push, is_many, is_list) {			\
	.name = #fn,							\
	.push = is_push,						\
	.many = is_many,						\
	.list = is_list,						\
	.try = primitive_##fn,						\
	.try_delayed = primitive_delayed_##fn,				\
	.run = run_##fn,						\
	.start = __start_selftest_##fn,					\
	.stop = __stop_selftest_##fn,					\
}

const struct primitive primitives[NR_PRIMITIVES] = {
	[PRIMITIVE_POP] = PRIMITIVE(pop, false, false, false),
	[PRIMITIVE_PUSH] = PRIMITIVE(push, true, false, false),
	[PRIMITIVE_POP_AT] = PRIMITIVE(pop_at, false, false, false),
	[PRIMITIVE_PUSH_AT] = PRIMITIVE(push_at, true, false, false),
	[PRIMITIVE_POP_N] = PRIMITIVE(pop_n, false, true, false),
	[PRIMITIVE_PUSH_N] = PRIMITIVE(push_n, true, true, false),
	[PRIMITIVE_LIST_POP] = PRIMITIVE(list_pop, false, false, true),
	[PRIMITIVE_LIST_PUSH] = PRIMITIVE(list_push, true, false, true),
};

unsigned int primitive_retry(primitive_try *try, struct primitive_call *call)
{
	unsigned int aborts = 0;

	while (!try(call) && ++aborts < PERCPU_MAX_ABORTS)
		continue;
	return aborts;
}
