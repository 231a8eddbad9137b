/* SPDX-License-Identifier: MIT */
/*
 * One operation on a stack whose contents are known, perhaps with a second one on
 * the same stack in the midst of it, and the exact outcome that it must have: an
 * operation that was aborted has happened behind the nested one, as a whole.
 *
 * There is one scene at a time. Objects 0 .. start-1 are on the stack, bottom up;
 * what the operations push has numbers of its own.
 */
#ifndef SELFTEST_SCENE_H
#define SELFTEST_SCENE_H

#include "selftest/oracle.h"
#include "selftest/primitives.h"

/* Of the array: more than are ever copied one by one. The list's is PERCPU_LIST_MAX. */
#define SCENE_LIMIT 44
#define SCENE_N_MAX (SCENE_LIMIT + 4)	/* of one operation */
#define SCENE_NR_STATES 4

struct scene {
	const struct primitive *outer;
	const struct primitive *nested;		/* NULL: none */
	unsigned int start;			/* objects on the stack before */
	unsigned int n, nested_n;
};

struct scene_verdict {
	unsigned int lost, duplicated;
	const char *wrong;	/* NULL when all is as it must be */
};

/* Everything that was had for scenes; false when there is no memory for it. */
bool scene_begin(void);
void scene_end(void);

/* Objects on the stack when it is empty, has one, is half full, is full. */
unsigned int scene_state(const struct primitive *primitive, unsigned int state);
/* Numbers of objects to move with it, from 0 on; 0 ends them. */
unsigned int scene_n(const struct primitive *primitive, unsigned int index);

/* The stack of the calling thread's slot becomes what scene says; false: no slot. */
bool scene_set_up(const struct scene *scene);
void scene_set_up_slot(const struct scene *scene, unsigned int slot);
/* The two operations; arg is not used. */
void scene_run_outer(void *arg);
void scene_run_nested(void);
/* percpu.h's outer operation, with its slow half. */
void scene_run_public(void *arg);
/* How often the outer operation was aborted since the setting up. */
unsigned int scene_aborts(void);
/* Has the kernel moved the thread to another slot meanwhile? Then nothing counts. */
bool scene_has_moved(void);
/* Compares with what must be; nested_first if the outer operation was aborted by it. */
struct scene_verdict scene_check(bool nested_first);
/* Nothing has happened: the outer operation reports 0 and all is in its place. */
struct scene_verdict scene_check_unchanged(void);

/* What a scene stands on, for tests that go on from there on their own. */
struct percpu_array *scene_array(void);
struct percpu_list *scene_list(void);
struct oracle *scene_oracle(void);
/* What outer has in its hands now: what it popped, or has not pushed. */
unsigned int scene_hand(void **items);
/* Sees everything on the stacks of all slots; how many those are. */
unsigned int scene_see_slots(void);

#endif
