/* SPDX-License-Identifier: MIT */
/*
 * The primitives of percpu.h behind one type of call. Each is compiled twice: unchanged, in a text
 * section of its own, so that its restartable sequences can be found; and with delays inside, so
 * that a storm hits it often.
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
	struct percpu_array *array;	/* the primitive uses either the array or the list */
	struct percpu_list *list;
	void **items;			/* items to push, or room for popped ones */
	unsigned int n;			/* items to move; 1 unless the primitive has `many` */
	unsigned int done;		/* items moved */
};

/* One try. False if it was aborted; it then had no effect. */
typedef bool primitive_try(struct primitive_call *call);

struct primitive {
	const char *name;
	bool push, many, list;
	primitive_try *try;
	primitive_try *try_delayed;
	void (*run)(struct primitive_call *call);	/* percpu.h's function, slow path too */
	const char *start, *stop;			/* the machine code of try() */
};

extern const struct primitive primitives[NR_PRIMITIVES];

/* Tries until it is not aborted, at most PERCPU_MAX_ABORTS times. Returns the number of aborts. */
unsigned int primitive_retry(primitive_try *try, struct primitive_call *call);

/* Defined by instances.h. */
primitive_try primitive_pop, primitive_push, primitive_pop_at, primitive_push_at,
	      primitive_pop_n, primitive_push_n, primitive_list_pop, primitive_list_push;
primitive_try primitive_delayed_pop, primitive_delayed_push, primitive_delayed_pop_at,
	      primitive_delayed_push_at, primitive_delayed_pop_n, primitive_delayed_push_n,
	      primitive_delayed_list_pop, primitive_delayed_list_push;

#endif
