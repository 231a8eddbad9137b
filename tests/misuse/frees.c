/* SPDX-License-Identifier: MIT */
/* Blocks that are freed twice, in the orders in which programs do. */
#include "misuse.h"

#include <pthread.h>

static enum came_of_it free_twice(size_t size)
{
	char *block = block_of(size);

	free(block);
	free(opaque(block));
	return MISSED;
}

static enum came_of_it free_a_b_a(size_t size)
{
	char *a = block_of(size), *b = block_of(size);

	free(a);
	free(b);
	free(opaque(a));
	return MISSED;
}

/* Others come and go before the second free; not so many that the block is used again. */
static enum came_of_it free_later(size_t size)
{
	char *others[16], *block = block_of(size);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = block_of(size);
	free(block);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		free(others[i]);
	free(opaque(block));
	return MISSED;
}

/* At the second free the memory is another owner's block; this owner then frees it, too. */
static enum came_of_it free_after_reuse(size_t size)
{
	char *block = block_of(size), *next;

	free(block);
	next = block_of(size);
	free(opaque(block));
	free(next);
	return MISSED;
}

static void *free_in_thread(void *block)
{
	free(block);
	return NULL;
}

static enum came_of_it free_in_threads(char *block, bool last_by_thread)
{
	pthread_t thread;

	for (int i = 0; i < 1 + last_by_thread; i++) {
		if (pthread_create(&thread, NULL, free_in_thread, opaque(block)))
			return SET_UP_FAILED;
		pthread_join(thread, NULL);
	}
	if (!last_by_thread)
		free(opaque(block));
	return MISSED;
}

static enum came_of_it free_by_thread_and_owner(size_t size)
{
	return free_in_threads(block_of(size), false);
}

static enum came_of_it free_by_two_threads(size_t size)
{
	return free_in_threads(block_of(size), true);
}

static enum came_of_it resize_freed(size_t size)
{
	char *block = block_of(size);

	free(block);
	block = realloc(opaque(block), opaque_size(2 * size));
	return MISSED;
}

/* realloc() has moved it. */
static enum came_of_it free_what_was_resized(size_t size)
{
	char *old = block_of(size), *block = opaque(realloc(opaque(old), 40 * size + 40));

	if (block == old)
		return SET_UP_FAILED;
	free(opaque(old));
	return MISSED;
}

static enum came_of_it free_aligned_twice(size_t size)
{
	char *block = opaque(aligned_alloc(64, opaque_size(size)));

	free(block);
	free(opaque(block));
	return MISSED;
}

const struct misuse misuse_frees[] = {
	{ "double_free_empty", free_twice, 0 },
	{ "double_free_small", free_twice, SMALL },
	{ "double_free_medium", free_twice, MEDIUM },
	{ "double_free_large", free_twice, LARGE },
	{ "double_free_huge", free_twice, HUGE },
	{ "double_free_aligned", free_aligned_twice, 128 },
	{ "double_free_interleaved_small", free_a_b_a, SMALL },
	{ "double_free_interleaved_large", free_a_b_a, LARGE },
	{ "double_free_delayed_small", free_later, SMALL },
	{ "double_free_delayed_large", free_later, LARGE },
	{ "double_free_after_reuse", free_after_reuse, SMALL },
	{ "double_free_thread_and_owner", free_by_thread_and_owner, SMALL },
	{ "double_free_two_threads_small", free_by_two_threads, SMALL },
	{ "double_free_two_threads_large", free_by_two_threads, LARGE },
	{ "double_free_by_realloc", resize_freed, SMALL },
	{ "double_free_of_resized", free_what_was_resized, SMALL },
	{ NULL, NULL, 0 },
};
