/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on malloc and all its relatives, under their other names (cmake/fuzz.cmake).
 *
 * An input is a list of calls, each of six bytes: what, which slot, and what its size and
 * alignment are made of. A model knows what every slot's block has to be: its place, which
 * no other block may overlap, its alignment, its size and its content. At the end all
 * blocks are freed, so that inputs do not depend on those before.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "fuzz/require.h"
#include "malloc_core/tested.h"

#define NR_SLOTS 48
#define CALL_BYTES 6
/* The most bytes of all blocks together: a request beyond it is made smaller. */
#define LIVE_MAX (256UL << 20)
#define PAGE 4096UL
/*
 * After this many inputs some blocks must have been allocated; libFuzzer begins with short inputs.
 */
#define INPUTS_MIN 1000
/* Below that part of the limit nothing is refused. */
#define LIMIT_PART 4

static struct block {
	unsigned char *start;	/* NULL = the slot is empty */
	size_t size;		/* as it was asked for */
	size_t align;
	unsigned char stamp;
} blocks[NR_SLOTS];

static size_t live, live_aligns;	/* sums of sizes and alignments */
static unsigned long nr_inputs, nr_served;
static unsigned char next_stamp;

/* --- The model --------------------------------------------------------------------- */

/* Small blocks are filled; of large ones the ends, and some bytes between. */
static size_t stride(size_t size)
{
	return size > 16 * PAGE ? PAGE - 1 : 1;
}

static void fill(struct block *block)
{
	block->stamp = ++next_stamp;
	for (size_t i = 0; i < block->size; i += stride(block->size))
		block->start[i] = block->stamp;
	if (block->size)
		block->start[block->size - 1] = block->stamp;
}

/* The first bytes of the block, wherever they are now. */
static void check_content(const unsigned char *start, size_t bytes, const struct block *block)
{
	for (size_t i = 0; i < bytes; i += stride(block->size))
		REQUIRE(start[i] == block->stamp);
	if (bytes && bytes == block->size)
		REQUIRE(start[bytes - 1] == block->stamp);
}

/* All usable bytes are the program's, not only those that were asked for. */
static size_t usable(const unsigned char *start)
{
	return tested_malloc_usable_size((void *)start);
}

static void check_overlap(const struct block *block)
{
	const unsigned char *end = block->start + usable(block->start);

	for (unsigned int i = 0; i < NR_SLOTS; i++) {
		const struct block *other = &blocks[i];

		if (other != block && other->start)
			REQUIRE(end <= other->start ||
				block->start >= other->start + usable(other->start));
	}
}

/* A new block, or a refusal with its reason. */
static void own(struct block *block, void *start, size_t size, size_t align)
{
	if (!start)
		return;
	*block = (struct block){ .start = start, .size = size, .align = align };
	REQUIRE(!((uintptr_t)start & (align - 1)));
	REQUIRE(usable(block->start) >= size);
	check_overlap(block);
	fill(block);
	live += size;
	live_aligns += align;
}

static void disown(struct block *block)
{
	check_content(block->start, block->size, block);
	live -= block->size;
	live_aligns -= block->align;
	block->start = NULL;
}

/* --- What the bytes mean -------------------------------------------------------------- */

struct call {
	uint8_t what, slot;
	uint16_t size;
	uint8_t exponent, align;
};

/* Log-uniform to 16 MiB; near a power of two; or more than there can be. */
static size_t size_of(const struct call *call)
{
	size_t top = 1UL << (call->exponent % 25);
	size_t size;

	if (call->exponent >= 250)
		return SIZE_MAX - call->size * PAGE;
	if (call->exponent >= 240)
		return (size_t)PTRDIFF_MAX - PAGE + call->size;
	if (call->exponent >= 200)
		size = top + call->size % 65;
	else
		size = call->size * top >> 16;
	return live + size > LIVE_MAX ? size % PAGE : size;
}

static size_t align_of(const struct call *call)
{
	return 1UL << (call->align % 23);
}

static bool is_too_large(size_t size)
{
	return size > (size_t)PTRDIFF_MAX;
}

/*
 * The machine has enough memory for all blocks together. With limit=, one block may keep a whole
 * slab or pageblock, so only a part of the limit is sure to be available.
 */
static bool may_be_refused(size_t size, size_t align)
{
	if (size > LIVE_MAX)
		return true;
	return options.limit && live + live_aligns + size + align > options.limit / LIMIT_PART;
}

/* A possible request must succeed, and an impossible one must fail with ENOMEM. */
static void check_answer(const void *start, int error, size_t size, size_t align)
{
	nr_served += start != NULL;
	if (start)
		REQUIRE(!is_too_large(size));
	else
		REQUIRE(error == ENOMEM && may_be_refused(size, align));
}

/* --- The calls --------------------------------------------------------------------- */

static void release(struct block *block, uint8_t how)
{
	unsigned char *start = block->start;
	size_t size = block->size, align = block->align;

	disown(block);
	errno = 4711;
	if (how % 3 == 0)
		tested_free(start);
	else if (how % 3 == 1)
		tested_free_sized(start, size);
	else
		tested_free_aligned_sized(start, align, size);
	REQUIRE(errno == 4711);
}

static void call_calloc(struct block *block, size_t size, const struct call *call)
{
	size_t each = 1UL << call->align % 12, n = size / each;
	unsigned char *start = tested_calloc(n, each);

	check_answer(start, errno, n * each, 16);
	for (size_t i = 0; start && i < n * each; i += stride(n * each))
		REQUIRE(!start[i]);
	own(block, start, n * each, 16);
	REQUIRE(!tested_calloc(SIZE_MAX / each + (each > 1), each > 1 ? each : 2));
}

static void call_posix_memalign(struct block *block, size_t size, const struct call *call)
{
	size_t align = call->align < 200 ? align_of(call) : call->align;
	bool valid = align >= sizeof(void *) && !(align & (align - 1));
	void *start = blocks;
	int error = tested_posix_memalign(&start, align, size);

	REQUIRE(error == 0 || start == blocks);
	if (!valid) {
		REQUIRE(error == EINVAL);
		return;
	}
	check_answer(error ? NULL : start, error, size, align);
	if (!error)
		own(block, start, size, align);
}

static void allocate(struct block *block, const struct call *call)
{
	size_t size = size_of(call), align = align_of(call);
	void *start;

	errno = 0;
	switch (call->what % 8) {
	case 0:
		call_calloc(block, size, call);
		return;
	case 1:
		call_posix_memalign(block, size, call);
		return;
	case 2:
		start = tested_memalign(align, size);
		break;
	case 3:
		start = tested_aligned_alloc(align, size);
		break;
	case 4:
		align = PAGE;
		start = tested_valloc(size);
		break;
	case 5:
		align = PAGE;
		start = tested_pvalloc(size);
		REQUIRE(!start || !(usable(start) % PAGE) || usable(start) >= size + PAGE);
		/* Sized frees have to name this size; a request of 0 bytes gets a page. */
		size = start ? ((size ? size : 1) + PAGE - 1) / PAGE * PAGE : size;
		break;
	case 6:
		align = 16;
		start = tested_realloc(NULL, size);
		break;
	default:
		align = 16;
		start = tested_malloc(size);
	}
	check_answer(start, errno, size, align);
	own(block, start, size, align);
}

static void resize(struct block *block, const struct call *call)
{
	struct block old = *block;
	size_t size = size_of(call), kept = size < old.size ? size : old.size;
	void *start;

	errno = 0;
	if (call->align % 2)
		start = tested_realloc(old.start, size);
	else
		start = tested_reallocarray(old.start, size / 8, 8);
	if (call->align % 2 == 0)
		size = size / 8 * 8;
	kept = size < kept ? size : kept;
	if (!size) {
		REQUIRE(!start);
		block->start = NULL;
		live -= old.size;
		live_aligns -= old.align;
		return;
	}
	check_answer(start, errno, size, 16);
	if (!start) {
		check_content(old.start, old.size, &old);
		return;
	}
	check_content(start, kept, &old);
	block->start = NULL;
	live -= old.size;
	live_aligns -= old.align;
	own(block, start, size, 16);
}

static void make(const struct call *call)
{
	struct block *block = &blocks[call->slot % NR_SLOTS];

	if (call->what == 255)
		tested_malloc_trim(call->size);
	else if (!block->start)
		allocate(block, call);
	else if (call->what % 3 == 0)
		resize(block, call);
	else
		release(block, call->what);
}

/* Whatever the inputs are, many of them have made requests that can be served. */
static void check_served(void)
{
	REQUIRE(nr_inputs < INPUTS_MIN || nr_served > nr_inputs);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return atexit(check_served);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (; size >= CALL_BYTES; data += CALL_BYTES, size -= CALL_BYTES) {
		struct call call;

		memcpy(&call, data, CALL_BYTES);
		make(&call);
	}
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		if (blocks[i].start)
			release(&blocks[i], (uint8_t)i);
	REQUIRE(!live && !live_aligns);
	nr_inputs++;
	return 0;
}
