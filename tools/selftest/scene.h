/* SPDX-License-Identifier: MIT */
/*
 * A scene: one operation on a stack with known content, perhaps interrupted by a second (nested)
 * operation on the same stack. Its exact result is known: if the nested operation aborts the outer
 * one, the outer operation must take effect after the nested one, as a whole.
 *
 * There is one scene at a time. Objects 0 .. start-1 are on the stack, bottom up. Objects that the
 * operations push have other numbers.
 */
#ifndef SELFTEST_SCENE_H
#define SELFTEST_SCENE_H

#include "selftest/oracle.h"
#include "selftest/primitives.h"

/*
 * The array's limit: more objects than are ever copied one by one, and odd: then 16 bytes below the
 * top of a full array are not aligned. The list's limit: PERCPU_LIST_MAX.
 */
#define SCENE_LIMIT 45
#define SCENE_N_MAX (SCENE_LIMIT + 4)	/* objects in one operation */
#define SCENE_NR_STATES 4

struct scene {
	const struct primitive *outer;
	const struct primitive *nested;		/* NULL: none */
	unsigned int start;			/* objects on the stack at first */
	unsigned int n, nested_n;
};

struct scene_verdict {
	unsigned int lost, duplicated;
	const char *wrong;	/* what failed, or NULL */
};

/* Allocates the stacks for all scenes; false without memory. */
bool scene_begin(void);
void scene_end(void);

/* Number of objects on the stack in state 0 (empty), 1 (one), 2 (half full), 3 (full). */
unsigned int scene_state(const struct primitive *primitive, unsigned int state);
/* The index-th number of objects to move in one operation; 0 ends the series. */
unsigned int scene_n(const struct primitive *primitive, unsigned int index);

/* Fills the stack of the calling thread's slot as scene says. False if it has no slot. */
bool scene_set_up(const struct scene *scene);
void scene_set_up_slot(const struct scene *scene, unsigned int slot);
/* Run the two operations; arg is not used. */
void scene_run_outer(void *arg);
void scene_run_nested(void);
/* Runs percpu.h's function for the outer operation, including its slow path. */
void scene_run_public(void *arg);
/* How often the outer operation was aborted since scene_set_up(). */
unsigned int scene_aborts(void);
/* Did the kernel move the thread to another slot meanwhile? Then the run does not count. */
bool scene_has_moved(void);
/* Compares with the known result; nested_first: the nested operation aborted the outer one. */
struct scene_verdict scene_check(bool nested_first);
/* Checks that the outer operation reports 0 objects and has changed nothing. */
struct scene_verdict scene_check_unchanged(void);

/* The scene's stacks and oracle, for proofs that continue from a scene. */
struct percpu_array *scene_array(void);
struct percpu_list *scene_list(void);
struct oracle *scene_oracle(void);
/* The objects that the outer operation popped, or did not push. Returns how many. */
unsigned int scene_hand(void **items);
/* Marks all objects on the stacks of all slots as seen. Returns how many. */
unsigned int scene_see_slots(void);

#endif
