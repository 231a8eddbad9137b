/* SPDX-License-Identifier: MIT */
/*
 * Every restartable sequence, interrupted in front of every one of its instructions
 * while a handler works on the same slot: nothing may be lost or handed out twice.
 *
 * Each primitive stands in one function of its own here, so its descriptor tells
 * where the instructions are. A breakpoint goes to one after the other. The kernel
 * aborts the sequence when it delivers the signal; the handler takes the breakpoint
 * away, pops and pushes, and returns; then the operation is tried again. It must do
 * what a stack does to which the handler's operations were done first. Behind the
 * commit nothing may be aborted: there the handler's come second.
 */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "support/kernel.h"
#include "support/threads.h"

/* What differs between processors: the breakpoint, and where instructions start. */
#if defined(__aarch64__)
#define CAN_BREAK 1
#define BREAKPOINT 0xd4200000U		/* brk #0 */
typedef uint32_t opcode;

static unsigned long next_instruction(unsigned long address)
{
	return address + sizeof(opcode);
}

/* The interrupted thread's, as it will go on. */
static unsigned long program_counter(void *context)
{
	return ((ucontext_t *)context)->uc_mcontext.pc;
}
#else
/* Instructions of any length: test_abort.c finds them by stepping. */
#define CAN_BREAK 0
#define BREAKPOINT 0
typedef unsigned char opcode;

static unsigned long next_instruction(unsigned long address)
{
	return address + sizeof(opcode);
}

static unsigned long program_counter(void *context)
{
	(void)context;
	return 0;
}
#endif

#define LIMIT 16
#define NR_MAX (2 * LIMIT)
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))
#define MAX_INSTRUCTIONS 64

/* Memory that may stand on a list; a thing's number is its place. */
enum { FIRST_THING = 0, FIRST_PUSHED = LIMIT, NESTED_THING = FIRST_PUSHED + NR_MAX, NR_THINGS };
static unsigned long things[NR_THINGS][2];

static struct percpu_array *array;
static struct percpu_list *list;

/* One operation: what goes in, what came out. */
struct operation {
	unsigned int n;
	void *items[NR_MAX];
	unsigned int result;
};

/* In a section of their own, so that their descriptors are found. */
#define INSTANCE noinline __attribute__((__section__("percpu_boundaries")))
extern const char __start_percpu_boundaries[], __stop_percpu_boundaries[];

static INSTANCE bool try_pop(struct operation *op)
{
	if (!rseq_pop(array, &op->items[0]))
		return false;
	op->result = op->items[0] != NULL;
	return true;
}

static INSTANCE bool try_push(struct operation *op)
{
	bool pushed;

	if (!rseq_push(array, op->items[0], &pushed))
		return false;
	op->result = pushed;
	return true;
}

static INSTANCE bool try_pop_n(struct operation *op)
{
	return rseq_pop_n(array, op->items, op->n, &op->result);
}

static INSTANCE bool try_push_n(struct operation *op)
{
	return rseq_push_n(array, op->items, op->n, &op->result);
}

static INSTANCE bool try_list_pop(struct operation *op)
{
	if (!rseq_list_pop(list, &op->items[0]))
		return false;
	op->result = op->items[0] != NULL;
	return true;
}

static INSTANCE bool try_list_push(struct operation *op)
{
	bool pushed;

	if (!rseq_list_push(list, op->items[0], &pushed))
		return false;
	op->result = pushed;
	return true;
}

static const struct primitive {
	const char *name;
	bool (*try)(struct operation *op);	/* false: aborted */
	bool is_push, on_list, many;
} primitives[] = {
	{ "pop", try_pop, false, false, false },
	{ "push", try_push, true, false, false },
	{ "pop_n", try_pop_n, false, false, true },
	{ "push_n", try_push_n, true, false, true },
	{ "list_pop", try_list_pop, false, true, false },
	{ "list_push", try_list_push, true, true, false },
};

/* Empty, one, half, full; and for those that move many: one, two, odd, even, all. */
static const unsigned int starts[] = { 0, 1, LIMIT / 2, LIMIT };
static const unsigned int numbers[] = { 1, 2, 5, 6, NR_MAX };

/* The kernel's description of a sequence. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, bytes, abort;
};
extern const struct sequence __start___rseq_cs[] __attribute__((weak));
extern const struct sequence __stop___rseq_cs[] __attribute__((weak));

/* The first sequence behind the start of a function. */
static const struct sequence *sequence_of(const struct primitive *primitive)
{
	const struct sequence *first = NULL;

	for (const struct sequence *s = __start___rseq_cs; s < __stop___rseq_cs; s++)
		if (s->start >= (unsigned long)primitive->try &&
		    s->start < (unsigned long)__stop_percpu_boundaries &&
		    (!first || s->start < first->start))
			first = s;
	return first;
}

/* How the stack should look: items[0] is the bottom. */
struct model {
	unsigned int nr, room;
	void *items[LIMIT + 1];
};

/* One run, with a breakpoint. Sync: one thread and its signal handler. */
static struct run {
	const struct primitive *primitive;
	const struct sequence *sequence;
	opcode *at;
	opcode replaced;
	bool hit, aborted, elsewhere;
	void *popped;		/* by the handler */
	bool pushed;		/* by the handler */
	unsigned int below;	/* items that a list only counts, so that it is full */
	struct operation op;
	struct model model;
} run;

/* What became of all runs of one primitive. */
struct tally {
	unsigned int instructions, reached, runs, interrupted, aborted, behind, behind_aborted;
	unsigned int lost, twice, wrong;
};

static void put_opcode(opcode *at, opcode code)
{
	*(volatile opcode *)at = code;
	__builtin___clear_cache((char *)at, (char *)(at + 1));
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	unsigned long now = program_counter(context);

	(void)signal;
	(void)info;
	put_opcode(run.at, run.replaced);
	run.hit = true;
	run.aborted = now == run.sequence->abort;
	run.elsewhere = !run.aborted && now != (unsigned long)run.at;
	if (run.primitive->on_list) {
		run.popped = percpu_list_pop(list);
		run.pushed = percpu_list_push(list, things[NESTED_THING]);
	} else {
		run.popped = percpu_pop(array);
		run.pushed = percpu_push(array, things[NESTED_THING]);
	}
}

static bool is_full_list(unsigned int start)
{
	return run.primitive->on_list && start == LIMIT;
}

/* The slot's stack gets `start` things; the operation its arguments. */
static void set_up(unsigned int slot, unsigned int start, unsigned int n)
{
	struct percpu_array *mine = percpu_ptr(array, slot);
	struct percpu_list *head = percpu_ptr(list, slot);

	run.below = is_full_list(start) ? PERCPU_LIST_MAX - LIMIT : 0;
	head->head = run.below;
	mine->limit = LIMIT;
	mine->count = start;
	run.model.nr = start;
	run.model.room = run.primitive->on_list && !run.below ? LIMIT + 1 : LIMIT;
	for (unsigned int i = 0; i < start; i++) {
		run.model.items[i] = things[FIRST_THING + i];
		mine->items[i] = things[FIRST_THING + i];
		things[FIRST_THING + i][0] = head->head;
		head->head = (unsigned long)things[FIRST_THING + i] << PERCPU_LIST_NR_BITS |
			     (run.below + i + 1);
	}
	run.op.n = n;
	run.op.result = ~0U;
	for (unsigned int i = 0; i < NR_MAX; i++)
		run.op.items[i] = run.primitive->is_push ? things[FIRST_PUSHED + i] : NULL;
	run.hit = run.aborted = run.elsewhere = run.pushed = false;
	run.popped = NULL;
}

/* What is on the slot's stack, bottom first; how many. */
static unsigned int contents(unsigned int slot, void **items)
{
	const struct percpu_array *mine = percpu_ptr(array, slot);
	unsigned long head = ((struct percpu_list *)percpu_ptr(list, slot))->head;
	unsigned int nr = run.primitive->on_list ? (unsigned int)percpu_list_nr(head) - run.below :
						   mine->count;

	for (unsigned int i = nr; i-- && i <= LIMIT;) {
		items[i] = run.primitive->on_list ? percpu_list_top(head) : mine->items[i];
		if (run.primitive->on_list && items[i])
			head = *(unsigned long *)items[i];
	}
	return nr;
}

/* The handler's operations, done to the model. True: they did the same. */
static bool model_nested(struct model *model)
{
	void *popped = model->nr ? model->items[--model->nr] : NULL;
	bool pushed = model->nr < model->room;

	if (pushed)
		model->items[model->nr++] = things[NESTED_THING];
	return run.popped == popped && run.pushed == pushed;
}

/* The operation, done to the model. True: it did the same. */
static bool model_operation(struct model *model)
{
	bool is_push = run.primitive->is_push;
	unsigned int n = min(run.op.n, is_push ? model->room - model->nr : model->nr);
	bool same = run.op.result == n;

	if (!is_push)
		model->nr -= n;
	for (unsigned int i = 0; i < n; i++)
		if (is_push)
			model->items[model->nr++] = run.op.items[i];
		else
			same &= run.op.items[i] == model->items[model->nr + i];
	return same;
}

static bool as_the_model(unsigned int slot)
{
	struct model model = run.model;
	void *items[LIMIT + 1];
	bool same = true;

	if (run.hit && run.aborted)
		same &= model_nested(&model);
	same &= model_operation(&model);
	if (run.hit && !run.aborted)
		same &= model_nested(&model);
	if (contents(slot, items) != model.nr)
		return false;
	for (unsigned int i = 0; i < model.nr; i++)
		same &= items[i] == model.items[i];
	return same;
}

static void see(unsigned int *seen, const void *thing)
{
	unsigned long number = ((const unsigned long(*)[2])thing) - things;

	if (thing && number < NR_THINGS)
		seen[number]++;
}

/* Everything that was there must be in one place. */
static void count_things(struct tally *tally, unsigned int slot)
{
	unsigned int seen[NR_THINGS] = { 0 }, nr, result = min(run.op.result, run.op.n);
	bool is_push = run.primitive->is_push;
	void *items[LIMIT + 1] = { NULL };

	nr = contents(slot, items);
	for (unsigned int i = 0; i < min(nr, LIMIT + 1U); i++)
		see(seen, items[i]);
	for (unsigned int i = is_push ? result : 0; i < (is_push ? run.op.n : result); i++)
		see(seen, run.op.items[i]);
	see(seen, run.popped);
	if (!run.pushed)
		see(seen, things[NESTED_THING]);
	for (unsigned int i = 0; i < NR_THINGS; i++) {
		bool was_there = i < FIRST_PUSHED ? i < run.model.nr :
				 i < NESTED_THING ? is_push && i - FIRST_PUSHED < run.op.n : true;

		tally->lost += was_there && !seen[i];
		tally->twice += seen[i] > was_there;
	}
}

/* The operation with a breakpoint at the address. True if it was come by. */
static bool run_once(struct kunit *test, struct tally *tally, unsigned long address,
		     unsigned int start, unsigned int n)
{
	int slot = percpu_current_slot();
	unsigned int tries = 0;

	KUNIT_ASSERT_GE(test, slot, 0);
	set_up((unsigned int)slot, start, n);
	run.at = (opcode *)address;
	run.replaced = *run.at;
	put_opcode(run.at, BREAKPOINT);
	while (!run.primitive->try(&run.op) && ++tries < PERCPU_MAX_ABORTS)
		;
	put_opcode(run.at, run.replaced);
	KUNIT_ASSERT_EQ(test, percpu_current_slot(), slot);
	tally->runs++;
	tally->wrong += !as_the_model((unsigned int)slot) || run.elsewhere;
	count_things(tally, (unsigned int)slot);
	return run.hit;
}

/* In front of one instruction, from every state. */
static void run_states(struct kunit *test, struct tally *tally, unsigned long address)
{
	bool behind = address == run.sequence->start + run.sequence->bytes, reached = false;
	unsigned int nr_numbers = run.primitive->many ? ARRAY_SIZE(numbers) : 1;

	for (unsigned int s = 0; s < ARRAY_SIZE(starts); s++)
		for (unsigned int i = 0; i < nr_numbers; i++) {
			bool hit = run_once(test, tally, address, starts[s], numbers[i]);

			reached |= hit;
			tally->interrupted += !behind && hit;
			tally->aborted += !behind && run.aborted;
			tally->behind += behind && hit;
			tally->behind_aborted += behind && run.aborted;
		}
	tally->instructions += !behind;
	tally->reached += !behind && reached;
}

static bool make_writable(void)
{
	unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	unsigned long start = ALIGN_DOWN((unsigned long)__start_percpu_boundaries, page);

	return !mprotect((void *)start, (unsigned long)__stop_percpu_boundaries - start,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void catch_traps(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
}

static void test_boundaries(struct kunit *test)
{
	kunit_info(test, "primitive  instructions  boundaries  runs  interrupted  aborted  "
			 "behind  aborted  lost  twice  wrong");
	for (unsigned int p = 0; p < ARRAY_SIZE(primitives); p++) {
		struct tally t = { 0 };
		unsigned long address, end;

		run.primitive = &primitives[p];
		run.sequence = sequence_of(run.primitive);
		KUNIT_ASSERT_NOT_NULL(test, run.sequence);
		end = run.sequence->start + run.sequence->bytes;
		for (address = run.sequence->start; address <= end && t.instructions <= MAX_INSTRUCTIONS;
		     address = next_instruction(address))
			run_states(test, &t, address);
		kunit_info(test, "%-9s  %12u  %10u  %4u  %11u  %7u  %6u  %7u  %4u  %5u  %5u",
			   run.primitive->name, t.instructions, t.reached, t.runs, t.interrupted,
			   t.aborted, t.behind, t.behind_aborted, t.lost, t.twice, t.wrong);
		KUNIT_EXPECT_GT(test, t.instructions, 5);
		KUNIT_EXPECT_LE(test, t.instructions, MAX_INSTRUCTIONS);
		KUNIT_EXPECT_EQ(test, t.reached, t.instructions);
		KUNIT_EXPECT_EQ(test, t.aborted, t.interrupted);
		KUNIT_EXPECT_GT(test, t.behind, 0);
		KUNIT_EXPECT_EQ(test, t.behind_aborted, 0);
		KUNIT_EXPECT_EQ(test, t.lost, 0);
		KUNIT_EXPECT_EQ(test, t.twice, 0);
		KUNIT_EXPECT_EQ(test, t.wrong, 0);
	}
}

static int start(struct kunit_suite *suite)
{
	(void)suite;
	test_pin(0);
	if (percpu_init())
		return -1;
	array = percpu_alloc(ARRAY_BYTES, 64);
	list = percpu_alloc(sizeof(*list), 64);
	percpu_array_prepare(array, LIMIT);
	catch_traps();
	return array && list ? 0 : -1;
}

static int need_sequences(struct kunit *test)
{
	if (percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "no restartable sequences in use");
	if (!CAN_BREAK)
		kunit_skip(test, "this processor's instructions have to be found by stepping");
	if (!make_writable())
		kunit_skip(test, "the program's text cannot be changed here");
	return 0;
}

static struct kunit_case boundaries_cases[] = {
	KUNIT_CASE(test_boundaries),
	{ 0 },
};

static struct kunit_suite boundaries_suite = {
	.name = "percpu_boundaries",
	.suite_init = start,
	.init = need_sequences,
	.test_cases = boundaries_cases,
};

kunit_test_suite(boundaries_suite);
