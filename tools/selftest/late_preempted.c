/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftest/late.h"
#include "selftest/scene.h"
#include "selftest/stay.h"
#include "selftest/stepping.h"

#define OTHERS_OPERATIONS 100
#define OTHERS_HAND 64
#define OTHERS_FIRST (65536 + 256)	/* number of the first object of the other thread */
#define OTHERS_NR 8
#define CROWD_STACK_BYTES (128 << 10)

/* The thread that works while the first one sleeps. Sync: the semaphores. */
static struct {
	sem_t go, done;
	bool stop;
	const struct primitive *primitive;	/* the first thread's */
	void *hand[OTHERS_HAND];
	unsigned int nr;
	int slot;
} other;

static void other_push(void)
{
	void *object = other.hand[other.nr - 1];

	if (other.primitive->list ? percpu_list_push(scene_list(), object) :
				    percpu_push(scene_array(), object))
		other.nr--;
}

static void other_pop(void)
{
	void *object = other.primitive->list ? percpu_list_pop(scene_list()) :
					       percpu_pop(scene_array());

	if (object)
		other.hand[other.nr++] = object;
}

/* Three pops, three pushes, and so on, so that both the count and the top object change. */
static void *other_main(void *arg)
{
	(void)arg;
	percpu_current_slot();	/* registers the thread, which operations do not */
	while (sem_wait(&other.go) || !other.stop) {
		for (unsigned int i = 0; i < OTHERS_OPERATIONS; i++)
			if (i / 3 % 2 ? other.nr > 0 : other.nr == OTHERS_HAND)
				other_push();
			else
				other_pop();
		other.slot = percpu_current_slot();
		sem_post(&other.done);
	}
	return NULL;
}

/* Runs in the handler. Sleeps, so that the other thread gets the CPU. */
static void let_other_work(void)
{
	sem_post(&other.go);
	while (sem_wait(&other.done))
		continue;
}

static void give_other_objects(const struct primitive *primitive)
{
	other.primitive = primitive;
	for (other.nr = 0; other.nr < OTHERS_NR; other.nr++)
		other.hand[other.nr] = oracle_object(scene_oracle(), OTHERS_FIRST + other.nr);
}

/* Checks that every object is on a stack or in one of the two threads' hands. */
static struct scene_verdict count_objects(const struct scene *scene)
{
	struct oracle *oracle = scene_oracle();
	struct scene_verdict verdict = { 0, 0, NULL };
	void *hand[SCENE_N_MAX];
	unsigned int nr, all;

	oracle_reset(oracle);
	all = scene_see_slots();
	nr = scene_hand(hand);
	for (unsigned int i = 0; i < nr; i++)
		oracle_see(oracle, hand[i]);
	for (unsigned int i = 0; i < other.nr; i++)
		oracle_see(oracle, other.hand[i]);
	all += nr + other.nr;
	verdict.lost = oracle_lost(oracle, 0, scene->start) +
		       oracle_lost(oracle, OTHERS_FIRST, OTHERS_NR);
	verdict.duplicated = (unsigned int)oracle->duplicated;
	if (verdict.lost || verdict.duplicated)
		verdict.wrong = "objects are lost or duplicated";
	else if (all != scene->start + OTHERS_NR + (scene->outer->push ? scene->n : 0))
		verdict.wrong = "there are more or fewer objects than before";
	return verdict;
}

static void prove_at(const struct scene *scene, unsigned long address, unsigned int number,
		     struct late_proof *proof)
{
	struct scene_verdict verdict;
	struct stepping_hits hits;
	int slot = percpu_current_slot();

	if (!scene_set_up(scene))
		return;
	give_other_objects(scene->outer);
	hits = stepping_break_at(address, scene_run_outer, NULL, let_other_work);
	if (!hits.all)
		return;
	verdict = count_objects(scene);
	if (!verdict.wrong && (!hits.aborted || !scene_aborts()))
		verdict.wrong = "it went on without an abort";
	proof->cases++;
	proof->aborts += scene_aborts();
	proof->elsewhere += other.slot != slot;
	proof->lost += verdict.lost;
	proof->duplicated += verdict.duplicated;
	if (verdict.wrong && !*proof->failure)
		snprintf(proof->failure, sizeof(proof->failure),
			 "%s of %u, preempted at instruction %u: %s", scene->outer->name,
			 scene->n, number, verdict.wrong);
}

/*
 * Sleeping threads. Since Linux 6.19 a thread keeps its mm_cid while the process has no more
 * threads than CPUs, so no two threads would share a slot. The crowd makes more threads than CPUs.
 */
struct crowd {
	sem_t leave;
	unsigned int nr;
	pthread_t threads[];
};

static void *stand_around(void *arg)
{
	sem_t *leave = arg;

	while (sem_wait(leave))
		continue;
	return NULL;
}

/*
 * Starts the crowd. It is smaller, or NULL, if the system has no more threads; the proof then says
 * if no two threads shared a slot.
 */
static struct crowd *gather_crowd(void)
{
	unsigned int wanted = percpu_mode() == PERCPU_RSEQ_MM_CID ? percpu_nr_cpus() : 0;
	struct crowd *crowd = malloc(sizeof(*crowd) + wanted * sizeof(crowd->threads[0]));
	pthread_attr_t small;

	if (!crowd)
		return NULL;
	crowd->nr = 0;
	sem_init(&crowd->leave, 0, 0);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, CROWD_STACK_BYTES);
	while (crowd->nr < wanted && !pthread_create(&crowd->threads[crowd->nr], &small,
						     stand_around, &crowd->leave))
		crowd->nr++;
	pthread_attr_destroy(&small);
	return crowd;
}

static void dismiss_crowd(struct crowd *crowd)
{
	if (!crowd)
		return;
	for (unsigned int i = 0; i < crowd->nr; i++)
		sem_post(&crowd->leave);
	for (unsigned int i = 0; i < crowd->nr; i++)
		pthread_join(crowd->threads[i], NULL);
	sem_destroy(&crowd->leave);
	free(crowd);
}

void late_prove_preempted(const struct boundaries *b, struct late_proof *proof)
{
	struct scene scene = { .outer = b->primitive };
	struct crowd *crowd;
	cpu_set_t before;
	pthread_t thread;

	/* The other thread inherits that. */
	if (!stay_on_one_cpu(&before)) {
		snprintf(proof->skipped, sizeof(proof->skipped), "a thread cannot be pinned here");
		return;
	}
	scene.start = b->primitive->list ? SCENE_LIMIT / 2 : scene_state(b->primitive, 2);
	scene.n = scene_n(b->primitive, b->primitive->many ? 1 : 0);
	sem_init(&other.go, 0, 0);
	sem_init(&other.done, 0, 0);
	other.stop = false;
	crowd = gather_crowd();
	if (pthread_create(&thread, NULL, other_main, NULL)) {
		snprintf(proof->skipped, sizeof(proof->skipped), "no thread can be started");
	} else {
		for (unsigned int i = 0; i < b->nr; i++)
			prove_at(&scene, b->inside[i], i, proof);
		other.stop = true;
		sem_post(&other.go);
		pthread_join(thread, NULL);
	}
	dismiss_crowd(crowd);
	sched_setaffinity(0, sizeof(before), &before);
}
