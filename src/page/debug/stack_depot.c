/* SPDX-License-Identifier: MIT */
#include "page/debug/stack_depot.h"

#include <signal.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/text.h"
#include "os/once.h"
#include "os/os.h"

/*
 * A stack's hash gives the first index to look at. The stack is at one of this many indices from
 * there on, or nowhere.
 */
#define PROBES 64u
/* At most this many of the innermost frames belong to the library itself. */
#define INNER_FRAMES 12
/* The hash of a record that is being written. */
#define HASH_BUSY 1u

struct stack *stack_depot_stacks;

/*
 * Is this thread walking its stack? If the unwinder's callees allocate, they must not start another
 * walk. Signals are blocked meanwhile, since a handler might leave by siglongjmp() and this flag
 * would stay set. Signals of faults cannot be blocked; only the unwinder itself could cause one
 * here. Sync: the thread's own
 */
static __thread bool is_walking __attribute__((__tls_model__("initial-exec")));

static int map_stacks(void)
{
	void *memory;

	if (os_map_lazily(ALIGN(STACK_DEPOT_STACKS * sizeof(struct stack), os_page_bytes()),
			  os_page_bytes(), &memory))
		return -1;
	stack_depot_stacks = memory;
	return 0;
}

int stack_depot_init(void)
{
	static struct once once __read_mostly;

	return once_run(&once, map_stacks) ? 0 : -1;
}

static uint32_t hash_of(const void *const *frames, unsigned int nr)
{
	uint64_t hash = nr;

	for (unsigned int i = 0; i < nr; i++)
		hash = (hash ^ (uint64_t)frames[i]) * 0x9e3779b97f4a7c15UL;
	return (uint32_t)(hash >> 32) | HASH_BUSY << 1;
}

static bool is_same(const struct stack *stack, const void *const *frames, unsigned int nr)
{
	return stack->nr == nr && !memcmp(stack->frames, frames, nr * sizeof(*frames));
}

/* Two threads that come at the same time may keep the same stack twice, which is harmless. */
static uint32_t keep(const void *const *frames, unsigned int nr)
{
	uint32_t hash = hash_of(frames, nr);

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t index = (hash + i) % STACK_DEPOT_STACKS, free_slot = 0;
		struct stack *stack = &stack_depot_stacks[index];

		/* pairs with the store below: the record */
		if (atomic_load_acquire(&stack->hash) == hash && is_same(stack, frames, nr))
			return index + 1;
		if (atomic_load_relaxed(&stack->hash) ||
		    !atomic_cas_relaxed(&stack->hash, &free_slot, HASH_BUSY))
			continue;
		stack->nr = nr;
		memcpy(stack->frames, frames, nr * sizeof(*frames));
		/* pairs with the load above: the record */
		atomic_store_release(&stack->hash, hash);
		return index + 1;
	}
	return 0;
}

/* Like os_stack_save(); 0 if this thread is already walking. */
static noinline unsigned int walk(const void **frames, unsigned int max, unsigned int skip)
{
	os_signals before;
	unsigned int nr;

	if (is_walking)
		return 0;
	os_block_signals(OS_SIGNALS_ALL & ~OS_SIGNALS_FAULTS, &before);
	is_walking = true;
	nr = os_stack_save(frames, max, skip + 1);
	is_walking = false;
	os_restore_signals(&before);
	return nr;
}

noinline uint32_t stack_depot_save_current(unsigned int skip)
{
	const void *frames[STACK_DEPTH];
	unsigned int nr = walk(frames, STACK_DEPTH, skip + 1);

	return nr ? keep(frames, nr) : 0;
}

noinline uint32_t stack_depot_save_from(const void *caller)
{
	const void *frames[STACK_DEPTH + INNER_FRAMES];
	unsigned int nr = 0, first = 0;

	if (stack_depot_stacks)
		nr = walk(frames, STACK_DEPTH + INNER_FRAMES, 1);
	while (first < nr && frames[first] != caller)
		first++;
	if (first == nr)	/* a caller in between has no unwind tables */
		first = 0;
	nr = min(nr - first, (unsigned int)STACK_DEPTH);
	return nr ? keep(frames + first, nr) : 0;
}

uint32_t stack_depot_save_one(const void *address)
{
	return stack_depot_stacks ? keep(&address, 1) : 0;
}

unsigned int stack_depot_fetch(uint32_t stack, const void *const **frames)
{
	if (!stack || stack > STACK_DEPOT_STACKS || !stack_depot_stacks)
		return 0;
	*frames = stack_depot_stacks[stack - 1].frames;
	return stack_depot_stacks[stack - 1].nr;
}
