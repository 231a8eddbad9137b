/* SPDX-License-Identifier: MIT */
/*
 * The primitives of percpu.h behind one type of call, each compiled twice:
 * as it is, in a text section of its own so that its restartable sequences can be
 * told from all others; and with delays inside, so that a storm hits it often.
 */
#ifndef SELFTEST_PRIMITIVES_H
#define SELFTEST_PRIMITIVES_H

#include "percpu/percpu.h"

enum primitive_id {
	PRIMITIVE_POP,
	PRIMITIVE_PUSH,
	PRIMITIVE_POP_AT,
	PRIMITIVE_PUSH_AT,
	PRIMITIVE_POP_N,
	PRIMITIVE_PUSH_N,
	PRIMITIVE_LIST_POP,
	PRIMITIVE_LIST_PUSH,
	NR_PRIMITIVES,
};

struct primitive_call {
	struct percpu_array *array;	/* what it works on: one of the two */
	struct percpu_list *list;
	void **items;			/* to be pushed, or where popped ones go */
	unsigned int n;			/* 1 but for those of many */
	unsigned int done;		/* so many items moved */
};

/* One try; false if it was aborted: then nothing has happened. */
typedef bool primitive_try(struct primitive_call *call);

struct primitive {
	const char *name;
	bool push, many, list;
	primitive_try *try;
	primitive_try *try_delayed;
	void (*run)(struct primitive_call *call);	/* percpu.h's, with its slow half */
	const char *start, *stop;			/* the text of try() */
};

extern const struct primitive primitives[NR_PRIMITIVES];

/* Tries until it is not aborted, at most PERCPU_MAX_ABORTS times; how often it was. */
unsigned int primitive_retry(primitive_try *try, struct primitive_call *call);

/* instances.h */
primitive_try primitive_pop, primitive_push, primitive_pop_at, primitive_push_at, primitive_pop_n,
	      primitive_push_n, primitive_list_pop, primitive_list_push;
primitive_try primitive_delayed_pop, primitive_delayed_push, primitive_delayed_pop_at,
	      primitive_delayed_push_at, primitive_delayed_pop_n, primitive_delayed_push_n,
	      primitive_delayed_list_pop, primitive_delayed_list_push;

#endif
