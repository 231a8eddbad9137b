/* SPDX-License-Identifier: MIT */
#include "selftest/scene.h"

#include <string.h>


#define OUTER_FIRST 65536	/* number of the first object that outer pushes */
#define NESTED_FIRST (OUTER_FIRST + 64)

static struct oracle oracle;
static struct percpu_array *array;
static struct percpu_list *list;
#define ARRAY_BYTES (sizeof(struct percpu_array) + SCENE_LIMIT * sizeof(void *))

/* An operation with its arguments, and whether it has run. */
struct act {
	const struct primitive *primitive;
	struct primitive_call call;
	void *items[SCENE_N_MAX];
	unsigned int first;	/* number of the first object it pushes */
	bool ran;
};

/* Sync: the thread that runs the scene, and its signal handler. */
static struct scene now;
static struct act outer, nested;
static unsigned int slot;
static unsigned int aborts;

bool scene_begin(void)
{
	if (percpu_init())
		return false;
	/* Registers the thread with the library. */
	percpu_current_slot();
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	return array && list;
}

void scene_end(void)
{
	percpu_free(array, ARRAY_BYTES);
	percpu_free(list, sizeof(*list));
	array = NULL;
	list = NULL;
}

unsigned int scene_state(const struct primitive *primitive, unsigned int state)
{
	unsigned int limit = primitive->list ? PERCPU_LIST_MAX : SCENE_LIMIT;

	return state < 2 ? state : state == 2 ? limit / 2 : limit;
}

unsigned int scene_n(const struct primitive *primitive, unsigned int index)
{
	/* One, odd, even, many to an even place, and more than the stack can hold. */
	static const unsigned char many[] = { 1, 5, 6, 34, SCENE_LIMIT + 4, 0 };

	return primitive->many ? many[index] : !index;
}

static struct percpu_array *array_at(unsigned int of_slot)
{
	return percpu_ptr(array, of_slot);
}

static struct percpu_list *list_at(unsigned int of_slot)
{
	return percpu_ptr(list, of_slot);
}

static void set_up_act(struct act *act, const struct primitive *primitive, unsigned int n,
		       unsigned int first)
{
	*act = (struct act){ .primitive = primitive, .first = first };
	act->call = (struct primitive_call){
		.array = array, .list = list, .items = act->items, .n = n,
	};
	for (unsigned int i = 0; primitive && primitive->push && i < n; i++)
		act->items[i] = oracle_object(&oracle, first + i);
}

void scene_set_up_slot(const struct scene *scene, unsigned int on_slot)
{
	struct percpu_array *a = array_at(on_slot);
	struct percpu_list *l = list_at(on_slot);

	now = *scene;
	slot = on_slot;
	aborts = 0;
	/* All slots are emptied, so that scene_has_moved() notices objects on another slot. */
	for (unsigned int i = 0; i < percpu_nr_slots(); i++) {
		memset(array_at(i), 0, ARRAY_BYTES);
		list_at(i)->head = 0;
	}
	a->limit = SCENE_LIMIT;
	a->count = now.outer->list ? 0 : now.start;
	for (unsigned int i = 0; i < now.start; i++) {
		struct oracle_object *object = oracle_object(&oracle, i);

		if (!now.outer->list) {
			a->items[i] = object;
			continue;
		}
		object->link = l->head;
		l->head = (unsigned long)object << PERCPU_LIST_NR_BITS | (i + 1);
	}
	set_up_act(&outer, now.outer, now.n, OUTER_FIRST);
	set_up_act(&nested, now.nested, now.nested_n, NESTED_FIRST);
}

bool scene_set_up(const struct scene *scene)
{
	int current = percpu_current_slot();

	if (current >= 0)
		scene_set_up_slot(scene, (unsigned int)current);
	return current >= 0;
}

void scene_run_outer(void *arg)
{
	(void)arg;
	aborts = primitive_retry(outer.primitive->try, &outer.call);
	outer.ran = true;
}

void scene_run_nested(void)
{
	if (!nested.primitive)
		return;
	primitive_retry(nested.primitive->try, &nested.call);
	nested.ran = true;
}

void scene_run_public(void *arg)
{
	(void)arg;
	outer.primitive->run(&outer.call);
	outer.ran = true;
}

unsigned int scene_aborts(void)
{
	return aborts;
}

bool scene_has_moved(void)
{
	if (percpu_current_slot() != (int)slot)
		return true;
	for (unsigned int i = 0; i < percpu_nr_slots(); i++)
		if (i != slot && (array_at(i)->count || list_at(i)->head))
			return true;
	return false;
}

/* Reads the numbers of the objects on a slot's stack, bottom up; -1 for what is no object. */
static unsigned int read_slot(unsigned int of_slot, int *numbers)
{
	const struct percpu_array *a = array_at(of_slot);
	unsigned long head = list_at(of_slot)->head;
	unsigned int nr;

	if (!now.outer->list) {
		nr = min(a->count, (uint32_t)SCENE_LIMIT);
		for (unsigned int i = 0; i < nr; i++)
			numbers[i] = oracle_number(&oracle, a->items[i]);
		return nr;
	}
	nr = (unsigned int)percpu_list_nr(head);
	for (unsigned int i = nr; i--;) {
		numbers[i] = oracle_number(&oracle, percpu_list_top(head));
		head = numbers[i] < 0 ? 0 : oracle.objects[numbers[i]].link;
	}
	return nr;
}

static void see_number(int number)
{
	oracle_see(&oracle, number < 0 ? NULL : oracle_object(&oracle, (unsigned int)number));
}

unsigned int scene_see_slots(void)
{
	static int numbers[PERCPU_LIST_MAX];
	unsigned int nr, all = 0;

	for (unsigned int i = 0; i < percpu_nr_slots(); i++) {
		nr = read_slot(i, numbers);
		for (unsigned int k = 0; k < nr; k++)
			see_number(numbers[k]);
		all += nr;
	}
	return all;
}

/* The act's caller holds items[from .. to - 1]: popped, or not pushed. */
static void hand_of(const struct act *act, unsigned int *from, unsigned int *to)
{
	*from = act->primitive->push ? act->call.done : 0;
	*to = act->primitive->push ? act->call.n : act->call.done;
}

unsigned int scene_hand(void **items)
{
	unsigned int from, to;

	hand_of(&outer, &from, &to);
	memcpy(items, outer.items + from, (to - from) * sizeof(*items));
	return to - from;
}

static void see_hand(const struct act *act)
{
	unsigned int from, to;

	if (!act->primitive)
		return;
	hand_of(act, &from, &to);
	for (unsigned int i = from; i < to && i < SCENE_N_MAX; i++)
		oracle_see(&oracle, act->items[i]);
}

static unsigned int lost_of(const struct act *act)
{
	if (!act->primitive || !act->primitive->push)
		return 0;
	return oracle_lost(&oracle, act->first, act->call.n);
}

static struct scene_verdict count_objects(void)
{
	struct scene_verdict verdict = { 0, 0, NULL };

	oracle_reset(&oracle);
	scene_see_slots();
	see_hand(&outer);
	see_hand(&nested);
	verdict.lost = oracle_lost(&oracle, 0, now.start) + lost_of(&outer) + lost_of(&nested);
	verdict.duplicated = (unsigned int)oracle.duplicated;
	if (verdict.duplicated)
		verdict.wrong = "an object is in two places";
	else if (verdict.lost)
		verdict.wrong = "an object is lost";
	return verdict;
}

/* The expected stack: numbers of objects, bottom up. */
struct model {
	unsigned int nr, limit;
	int numbers[PERCPU_LIST_MAX];
};

static struct model model;

/* Applies the act's expected effect to the model. Returns what the act did wrong, or NULL. */
static const char *apply(const struct act *act)
{
	const struct primitive_call *call = &act->call;
	unsigned int n;

	if (!act->ran)
		return NULL;
	n = min(call->n, act->primitive->push ? model.limit - model.nr : model.nr);
	if (call->done != n)
		return "it moved a wrong number of objects";
	if (!act->primitive->push)
		model.nr -= n;
	for (unsigned int i = 0; i < n; i++)
		if (act->primitive->push)
			model.numbers[model.nr + i] = (int)(act->first + i);
		else if (oracle_number(&oracle, act->items[i]) != model.numbers[model.nr + i])
			return "it popped another object than the top one";
	if (act->primitive->push)
		model.nr += n;
	return NULL;
}

static const char *compare_stack(void)
{
	static int numbers[PERCPU_LIST_MAX];

	if (read_slot(slot, numbers) != model.nr)
		return "the stack has a wrong number of objects";
	if (memcmp(numbers, model.numbers, model.nr * sizeof(numbers[0])))
		return "the stack has wrong objects";
	return NULL;
}

static void begin_model(void)
{
	model.limit = now.outer->list ? PERCPU_LIST_MAX : SCENE_LIMIT;
	model.nr = now.start;
	for (unsigned int i = 0; i < now.start; i++)
		model.numbers[i] = (int)i;
}

struct scene_verdict scene_check(bool nested_first)
{
	struct scene_verdict verdict = count_objects();

	begin_model();
	if (!verdict.wrong)
		verdict.wrong = apply(nested_first ? &nested : &outer);
	if (!verdict.wrong)
		verdict.wrong = apply(nested_first ? &outer : &nested);
	if (!verdict.wrong)
		verdict.wrong = compare_stack();
	return verdict;
}

struct scene_verdict scene_check_unchanged(void)
{
	struct scene_verdict verdict = count_objects();

	begin_model();
	if (!verdict.wrong && outer.call.done)
		verdict.wrong = "it says that it moved objects";
	if (!verdict.wrong)
		verdict.wrong = compare_stack();
	return verdict;
}

struct percpu_array *scene_array(void)
{
	return array;
}

struct percpu_list *scene_list(void)
{
	return list;
}

struct oracle *scene_oracle(void)
{
	return &oracle;
}
