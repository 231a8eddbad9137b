/* SPDX-License-Identifier: MIT */
/* Blocks that are used after their free; old contents in new blocks. */
#include "misuse.h"

#define SECRET 0x53

static bool holds_secret(const volatile char *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (block[i] == SECRET)
			return true;
	return false;
}

static enum came_of_it write_after_free(size_t size, size_t offset)
{
	char *block = block_of(size);

	free(block);
	((volatile char *)opaque(block))[offset] = 0x58;
	go_on(size);
	return MISSED;
}

static enum came_of_it write_first_after_free(size_t size)
{
	return write_after_free(size, 0);
}

static enum came_of_it write_last_after_free(size_t size)
{
	return write_after_free(size, size - 1);
}

/* Writes to the place of a free block's link, in allocators that have links in the blocks. */
static enum came_of_it write_link_after_free(size_t size)
{
	void **block = (void **)block_of(size);
	static long target;

	free(block);
	*(void *volatile *)opaque(block) = &target;
	go_on(size);
	return MISSED;
}

/* Nothing happens afterwards. */
static enum came_of_it write_after_free_at_end(size_t size)
{
	char *block = block_of(size);

	free(block);
	*(volatile char *)opaque(block) = 0x58;
	return MISSED;
}

/* The same in a program that ends as most do. */
static enum came_of_it write_after_free_at_exit(size_t size)
{
	exit((int)write_after_free_at_end(size));
}

/* The next owner of such a block may not be the one who is hit. */
static enum came_of_it write_hits_next_owner(size_t size)
{
	char *block = block_of(size), *next;

	free(block);
	next = opaque(memset(block_of(size), 'n', size));
	memset(opaque(block), 0x58, size);
	if (next[0] == 0x58)
		return MISSED;
	go_on(size);
	return MISSED;
}

static enum came_of_it write_after_realloc(size_t size)
{
	char *old = block_of(size), *block = opaque(realloc(opaque(old), 40 * size + 40));

	if (block == old)
		return SET_UP_FAILED;
	*(volatile char *)opaque(old) = 0x58;
	go_on(size);
	return MISSED;
}

static enum came_of_it read_after_free(size_t size)
{
	char *block = memset(block_of(size), SECRET, size);

	free(opaque(block));
	return holds_secret(opaque(block), size) ? MISSED : HARMLESS;
}

static enum came_of_it read_after_realloc(size_t size)
{
	char *old = memset(block_of(size), SECRET, size);
	char *block = opaque(realloc(opaque(old), 40 * size + 40));

	if (block == old)
		return SET_UP_FAILED;
	return holds_secret(opaque(old), size) ? MISSED : HARMLESS;
}

/* Old contents that former owners left in new blocks. */
static enum came_of_it read_uninitialised(size_t size)
{
	static char *blocks[500];
	size_t nr = size >= LARGE ? 10 : ARRAY_SIZE(blocks);

	for (size_t i = 0; i < nr; i++)
		blocks[i] = opaque(memset(block_of(size), SECRET, size));
	for (size_t i = 0; i < nr; i++)
		free(blocks[i]);
	for (size_t i = 0; i < nr; i++)
		if (holds_secret(block_of(size), size))
			return MISSED;
	return HARMLESS;
}

/* The part that realloc() has added. */
static enum came_of_it read_grown(size_t size)
{
	static char *blocks[500];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		blocks[i] = opaque(memset(block_of(size), SECRET, size));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		char *block = realloc(memset(block_of(size / 2), 'x', size / 2), opaque_size(size));

		if (!block || holds_secret(block + size / 2, size - size / 2))
			return MISSED;
	}
	return HARMLESS;
}

const struct misuse misuse_late[] = {
	{ "write_after_free_small", write_first_after_free, SMALL },
	{ "write_after_free_small_last", write_last_after_free, SMALL },
	{ "write_after_free_small_link", write_link_after_free, SMALL },
	{ "write_after_free_medium", write_last_after_free, MEDIUM },
	{ "write_after_free_large", write_first_after_free, LARGE },
	{ "write_after_free_huge", write_first_after_free, HUGE },
	{ "write_after_free_reused_small", write_hits_next_owner, SMALL },
	{ "write_after_free_reused_large", write_hits_next_owner, LARGE },
	{ "write_after_free_at_end_small", write_after_free_at_end, SMALL },
	{ "write_after_free_at_exit_small", write_after_free_at_exit, SMALL },
	{ "write_after_free_at_end_large", write_after_free_at_end, LARGE },
	{ "write_after_realloc", write_after_realloc, SMALL },
	{ "read_after_free_small", read_after_free, SMALL },
	{ "read_after_free_medium", read_after_free, MEDIUM },
	{ "read_after_free_large", read_after_free, LARGE },
	{ "read_after_free_huge", read_after_free, HUGE },
	{ "read_after_realloc", read_after_realloc, SMALL },
	{ "uninitialised_read_small", read_uninitialised, SMALL },
	{ "uninitialised_read_medium", read_uninitialised, MEDIUM },
	{ "uninitialised_read_large", read_uninitialised, LARGE },
	{ "uninitialised_read_grown", read_grown, MEDIUM },
	{ NULL, NULL, 0 },
};
