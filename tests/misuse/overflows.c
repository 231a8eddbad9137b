/* SPDX-License-Identifier: MIT */
/* Bytes beside a block, written and read. The block is freed then, as it would be some day. */
#include "misuse.h"

static enum came_of_it write_behind(size_t size, size_t bytes)
{
	char *block = block_of(size);

	memset((char *)opaque(block) + size, 0x58, opaque_size(bytes));
	free(opaque(block));
	return MISSED;
}

static enum came_of_it write_1_behind(size_t size)
{
	return write_behind(size, 1);
}

static enum came_of_it write_8_behind(size_t size)
{
	return write_behind(size, 8);
}

static enum came_of_it write_32_behind(size_t size)
{
	return write_behind(size, 32);
}

/* As far as the pages behind it. */
static enum came_of_it write_a_page_behind(size_t size)
{
	return write_behind(size, 8192);
}

/* Frees first the block that was hit, not the one that overflowed. */
static enum came_of_it write_through_neighbour(size_t size)
{
	struct neighbours pair = neighbours_of(size);

	memset((char *)opaque(pair.low) + size, 0x58, 2 * (size_t)(pair.high - pair.low) - size);
	free(opaque(pair.high));
	return MISSED;
}

static enum came_of_it write_in_front(size_t size)
{
	struct neighbours pair = neighbours_of(size);

	((char *)opaque(pair.high))[-1] ^= 0x58;
	neighbours_free();
	return MISSED;
}

static enum came_of_it write_in_front_alone(size_t size)
{
	char *block = block_of(size);

	((char *)opaque(block))[-1] = 0x58;
	free(opaque(block));
	return MISSED;
}

static enum came_of_it read_page_behind(size_t size)
{
	volatile char *block = block_of(size), byte = block[size + 4000];

	(void)byte;
	return MISSED;
}

/* The block is never freed: the program ends, as most programs do. */
static enum came_of_it write_behind_at_exit(size_t size)
{
	char *block = block_of(size);

	memset((char *)opaque(block) + size, 0x58, opaque_size(1));
	exit(MISSED);
}

static enum came_of_it write_32_behind_at_exit(size_t size)
{
	char *block = block_of(size);

	memset((char *)opaque(block) + size, 0x58, opaque_size(32));
	exit(MISSED);
}

static enum came_of_it write_in_front_at_exit(size_t size)
{
	char *block;

	do	/* not the first block of its pages, because no block lies in front of that */
		block = block_of(size);
	while ((uintptr_t)block % 4096 < size + 32);
	((char *)opaque(block))[-1] = 0x58;
	exit(MISSED);
}

/* The write hits no block. */
static enum came_of_it write_into_gap_at_exit(size_t size)
{
	struct neighbours pair = parted_neighbours_of(size);

	memset((char *)opaque(pair.high) - 32, 0x58, opaque_size(32));
	exit(MISSED);
}

/*
 * The program believes that the block still has its old size. The write must hit a free block: a
 * live one may have any contents, and at the end of a page there may be no block behind.
 */
static enum came_of_it write_behind_shrunk_at_exit(size_t size)
{
	void **refused = NULL, **block;

	while ((block = realloc(block_of(size), opaque_size(size / 4)),
		(uintptr_t)block % 4096 > 4096 - 3 * size / 4)) {
		*block = refused;
		refused = block;
	}
	while (refused) {
		void **next = *refused;

		free(refused);
		refused = next;
	}
	((char *)opaque(block))[size / 2] = 0x58;
	exit(MISSED);
}

/* By an index that is far too large, or negative. */
static enum came_of_it write_far_behind(size_t size)
{
	char *block = block_of(size);

	((char *)opaque(block))[opaque_size(1024 * 1024)] = 0x58;
	return MISSED;
}

static enum came_of_it write_far_in_front(size_t size)
{
	char *block = block_of(size);

	*((char *)opaque(block) - opaque_size(1024 * 1024)) = 0x58;
	return MISSED;
}

/* --- Texts ------------------------------------------------------------------------- */

/* No room for the zero at its end. */
static enum came_of_it text_without_room(size_t size)
{
	char *block = block_of(size), text[MEDIUM + 1];

	memset(text, 't', size);
	text[size] = '\0';
	strcpy(opaque(block), opaque(text));
	free(opaque(block));
	return MISSED;
}

static enum came_of_it text_too_long(size_t size)
{
	char *block = block_of(size), text[MEDIUM + 20];

	memset(text, 't', size + 10);
	text[size + 10] = '\0';
	strcpy(opaque(block), opaque(text));
	free(opaque(block));
	return MISSED;
}

static enum came_of_it text_appended(size_t size)
{
	char *block = block_of(size);

	memset(block, 't', size - 1);
	block[size - 1] = '\0';
	strcat(opaque(block), opaque("more"));
	free(opaque(block));
	return MISSED;
}

/* A text without a final zero: does a reader get the neighbour's secret? */
static enum came_of_it text_without_end(size_t size)
{
	for (unsigned int i = 0; i < 20; i++) {
		struct neighbours pair = neighbours_of(size);

		memset(opaque(pair.low), 't', size);
		memset(opaque(pair.high), 's', size - 1);
		pair.high[size - 1] = '\0';
		if (strlen(opaque(pair.low)) > (size_t)(pair.high - pair.low))
			return MISSED;
		neighbours_free();
	}
	return HARMLESS;
}

/* --- Blocks of no bytes ------------------------------------------------------------- */

static enum came_of_it write_to_nothing(size_t size)
{
	char *block = block_of(size);

	*(char *)opaque(block) = 0x58;
	free(opaque(block));
	return MISSED;
}

static enum came_of_it read_of_nothing(size_t size)
{
	volatile char *block = block_of(size), byte = *block;

	(void)byte;
	return MISSED;
}

const struct misuse misuse_overflows[] = {
	{ "overflow_small_1_byte", write_1_behind, SMALL },
	{ "overflow_small_8_bytes", write_8_behind, SMALL },
	{ "overflow_small_32_bytes", write_32_behind, SMALL },
	{ "overflow_medium_1_byte", write_1_behind, MEDIUM },
	{ "overflow_medium_32_bytes", write_32_behind, MEDIUM },
	{ "overflow_large_1_byte", write_1_behind, LARGE - 1 },
	{ "overflow_large_8_bytes", write_8_behind, LARGE - 8 },
	{ "overflow_large_32_bytes", write_32_behind, LARGE - 32 },
	{ "overflow_large_at_page_end", write_1_behind, LARGE },
	{ "overflow_large_two_pages", write_a_page_behind, LARGE },
	{ "overflow_huge_two_pages", write_a_page_behind, HUGE },
	{ "overflow_through_neighbour", write_through_neighbour, SMALL },
	{ "underflow_small", write_in_front, SMALL },
	{ "underflow_large", write_in_front_alone, LARGE },
	{ "underflow_huge", write_in_front_alone, HUGE },
	{ "overflow_small_at_exit", write_behind_at_exit, SMALL },
	{ "overflow_medium_at_exit", write_32_behind_at_exit, MEDIUM },
	{ "overflow_large_at_exit", write_behind_at_exit, LARGE - 1 },
	{ "underflow_small_at_exit", write_in_front_at_exit, SMALL },
	{ "underflow_medium_gap_at_exit", write_into_gap_at_exit, 4096 },
	{ "overflow_shrunk_at_exit", write_behind_shrunk_at_exit, MEDIUM },
	{ "overflow_small_far", write_far_behind, SMALL },
	{ "underflow_small_far", write_far_in_front, SMALL },
	{ "read_behind_large", read_page_behind, LARGE },
	{ "string_without_room_small", text_without_room, SMALL },
	{ "string_without_room_medium", text_without_room, MEDIUM },
	{ "string_too_long", text_too_long, SMALL },
	{ "string_appended", text_appended, SMALL },
	{ "string_without_end", text_without_end, SMALL },
	{ "write_zero_size", write_to_nothing, 0 },
	{ "read_zero_size", read_of_nothing, 0 },
	{ NULL, NULL, 0 },
};
