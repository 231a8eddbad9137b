/* SPDX-License-Identifier: MIT */
#include "selftest/boundaries.h"

#include <stdio.h>
#include <string.h>

#include "selftest/scene.h"
#include "selftest/stay.h"
#include "selftest/stepping.h"

#define SEQUENCE_BYTES_MAX 1024
#define INSTRUCTION_BYTES_MAX 15
#define MOVED_TRIES 1000
#define NESTED_N 3

/* The instructions of one sequence that were seen so far. */
struct map {
	const struct stepping_sequence *sequence;
	unsigned char length[SEQUENCE_BYTES_MAX];	/* 0: no instruction starts here */
};

/* Sync: the stepping thread and its handler. */
static struct map maps[BOUNDARIES_SEQUENCES_MAX];
static unsigned int nr_maps;
static unsigned char *unknown;		/* length of the instruction that is being executed */
static unsigned long unknown_start;

static void note_instruction(unsigned long address)
{
	/* An instruction that is no jump ends where the next one starts. */
	if (unknown && address - unknown_start <= INSTRUCTION_BYTES_MAX)
		*unknown = (unsigned char)(address - unknown_start);
	unknown = NULL;
	for (unsigned int i = 0; i < nr_maps; i++) {
		unsigned long offset = address - maps[i].sequence->start;

		if (offset >= maps[i].sequence->bytes)
			continue;
		maps[i].length[offset] = (unsigned char)stepping_jump_bytes(address);
		if (!maps[i].length[offset]) {
			unknown = &maps[i].length[offset];
			unknown_start = address;
		}
	}
}

/* Checks that the instructions that were seen fill the sequence without gaps or overlaps. */
static const char *add_instructions(struct boundaries *b, const struct map *map)
{
	unsigned int bytes = (unsigned int)map->sequence->bytes, offset = 0, seen = 0;

	for (unsigned int i = 0; i < bytes; i++)
		seen += map->length[i] != 0;
	while (offset < bytes) {
		if (!map->length[offset])
			return "an instruction inside its sequence was never executed";
		if (b->nr == BOUNDARIES_MAX)
			return "its sequence has too many instructions";
		b->inside[b->nr++] = map->sequence->start + offset;
		offset += map->length[offset];
		seen--;
	}
	if (offset != bytes || seen)
		return "its instructions overlap";
	b->behind[b->nr_sequences++] = map->sequence->start + bytes;
	b->bytes += bytes;
	return NULL;
}

static const char *begin_maps(const struct primitive *primitive)
{
	const struct stepping_sequence *s = NULL;

	nr_maps = 0;
	memset(maps, 0, sizeof(maps));
	while ((s = stepping_next(s, primitive->start, primitive->stop))) {
		if (nr_maps == BOUNDARIES_SEQUENCES_MAX || s->bytes > SEQUENCE_BYTES_MAX)
			return "it has more or larger sequences than expected";
		maps[nr_maps++].sequence = s;
	}
	return nr_maps ? NULL : "it has no restartable sequence";
}

#if STEPPING_SINGLE

static const char *fill_maps(const struct primitive *primitive)
{
	struct scene scene = { .outer = primitive };
	unsigned int n;

	for (unsigned int state = 0; state < SCENE_NR_STATES; state++)
		for (unsigned int i = 0; (n = scene_n(primitive, i)); i++) {
			scene.start = scene_state(primitive, state);
			scene.n = n;
			scene_set_up_slot(&scene, 0);
			unknown = NULL;
			if (!stepping_run_bare(scene_run_outer, NULL, note_instruction))
				return "a thread's rseq area cannot be taken from the kernel";
			if (scene_check(false).wrong)
				return "it is wrong even when nothing interrupts it";
		}
	return NULL;
}

#else

static const char *fill_maps(const struct primitive *primitive)
{
	(void)primitive;
	(void)note_instruction;
	for (unsigned int i = 0; i < nr_maps; i++)
		for (unsigned int at = 0; at < maps[i].sequence->bytes; at += STEPPING_FIXED_BYTES)
			maps[i].length[at] = STEPPING_FIXED_BYTES;
	return NULL;
}

#endif

const char *boundaries_find(struct boundaries *b, const struct primitive *primitive)
{
	const char *problem = begin_maps(primitive);

	memset(b, 0, sizeof(*b));
	b->primitive = primitive;
	if (!problem)
		problem = fill_maps(primitive);
	for (unsigned int i = 0; !problem && i < nr_maps; i++)
		problem = add_instructions(b, &maps[i]);
	return problem;
}

static void describe_failure(const struct scene *scene, const char *place, unsigned int number,
			     const char *wrong, struct boundaries_proof *proof)
{
	if (*proof->failure)
		return;
	snprintf(proof->failure, sizeof(proof->failure),
		 "%s of %u, %u on the stack, nested %s, interrupted %s %u: %s",
		 scene->outer->name, scene->n, scene->start,
		 scene->nested ? scene->nested->name : "nothing", place, number, wrong);
}

/* Checks what the kernel did at a breakpoint that was hit; NULL if that was right. */
static const char *judge_hits(struct stepping_hits hits, bool inside)
{
	if (inside && (!hits.aborted || !scene_aborts()))
		return "the kernel has not aborted the sequence";
	if (!inside && hits.aborted)
		return "the kernel has aborted behind the commit";
	return NULL;
}

/* Runs one scene once with a breakpoint; false if the scene never reaches the breakpoint. */
static bool run_scene(const struct scene *scene, unsigned long address, bool inside,
		      unsigned int number, struct boundaries_proof *proof)
{
	struct scene_verdict verdict;
	struct stepping_hits hits = { 0, 0 };
	const char *wrong = "the kernel keeps moving the thread to other slots";
	unsigned int tries = 0;
	bool stayed = false;

	while (!stayed && tries++ < MOVED_TRIES && scene_set_up(scene)) {
		hits = stepping_break_at(address, scene_run_outer, NULL, scene_run_nested);
		stayed = !scene_has_moved();
	}
	if (stayed) {
		verdict = scene_check(inside);
		proof->lost += verdict.lost;
		proof->duplicated += verdict.duplicated;
		wrong = verdict.wrong;
		if (!wrong && hits.all)
			wrong = judge_hits(hits, inside);
	}
	if (wrong)
		describe_failure(scene, inside ? "at instruction" : "behind sequence", number,
				 wrong, proof);
	if (hits.all)
		proof->aborts += scene_aborts();
	return hits.all;
}

static void prove_scene(const struct scene *scene, struct boundaries *b,
			struct boundaries_proof *proof)
{
	for (unsigned int i = 0; i < b->nr; i++)
		if (run_scene(scene, b->inside[i], true, i, proof)) {
			b->forced[i] = true;
			proof->cases++;
		}
	for (unsigned int i = 0; i < b->nr_sequences; i++)
		proof->behind += run_scene(scene, b->behind[i], false, i, proof);
}

/*
 * Stays on one CPU: a thread that left and came back in the middle of a scene would have found an
 * empty stack, and scene_has_moved() would not know.
 */
void boundaries_prove(struct boundaries *b, struct boundaries_proof *proof)
{
	struct scene scene = { .outer = b->primitive };
	cpu_set_t before;

	memset(proof, 0, sizeof(*proof));
	stay_on_one_cpu(&before);
	for (unsigned int state = 0; state < SCENE_NR_STATES; state++)
		for (unsigned int i = 0; (scene.n = scene_n(b->primitive, i)); i++) {
			scene.start = scene_state(b->primitive, state);
			scene.nested = NULL;
			prove_scene(&scene, b, proof);
			for (unsigned int k = 0; k < NR_PRIMITIVES; k++) {
				scene.nested = &primitives[k];
				scene.nested_n = scene.nested->many ? NESTED_N : 1;
				if (scene.nested->list == b->primitive->list)
					prove_scene(&scene, b, proof);
			}
		}
	sched_setaffinity(0, sizeof(before), &before);
	for (unsigned int i = 0; i < b->nr; i++)
		proof->forced += b->forced[i];
	if (*proof->failure)
		return;
	if (proof->forced < b->nr)
		snprintf(proof->failure, sizeof(proof->failure),
			 "%s: only %u of %u instructions were interrupted",
			 b->primitive->name, proof->forced, b->nr);
	else if (!proof->behind)
		snprintf(proof->failure, sizeof(proof->failure),
			 "%s: no breakpoint behind the sequence was hit", b->primitive->name);
}

void boundaries_prove_end(const struct primitive *primitive, struct boundaries_proof *proof)
{
	struct scene scene = { .outer = primitive, .n = 1 };
	const char *wrong = "the kernel keeps moving the thread to other slots";
	unsigned int tries = 0;
	bool stayed = false;
	cpu_set_t before;

	stay_on_one_cpu(&before);
	scene.start = scene_state(primitive, 2);
	while (!stayed && tries++ < MOVED_TRIES && scene_set_up(&scene)) {
		proof->steps = stepping_run(scene_run_public, NULL, NULL);
		stayed = !scene_has_moved();
	}
	sched_setaffinity(0, sizeof(before), &before);
	if (stayed)
		wrong = scene_check_unchanged().wrong;
	if (wrong && !*proof->failure)
		snprintf(proof->failure, sizeof(proof->failure), "%s, stepped for good: %s",
			 primitive->name, wrong);
}
