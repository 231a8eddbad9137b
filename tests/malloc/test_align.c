/* SPDX-License-Identifier: MIT */
/* The alignment of every block, and alignments that are asked for. */
#include "harness.h"

#include <errno.h>
#include <malloc.h>

/* C23; glibc has it since 2.43. */
size_t memalignment(const void *pointer) __attribute__((__weak__));

static bool is_aligned(const void *block, size_t align)
{
	return !((uintptr_t)block & (align - 1));
}

static void every_size_is_aligned(void)
{
	for (size_t size = 0; size <= 64 * MIB; size += size < 5000 ? 1 : size / 8 + 3) {
		void *zeroed = calloc(1, size), *block = malloc(size);

		CHECK(block && zeroed);
		CHECK(is_aligned(block, 16) && is_aligned(zeroed, 16), "; size %zu", size);
		block = realloc(block, size + 1);
		CHECK(block && is_aligned(block, 16), "; size %zu", size + 1);
		free(block);
		free(zeroed);
	}
}

/* Keeps the blocks for a while, so that not each is first in its slab. */
static void check_aligned(size_t align, size_t size)
{
	static struct {
		unsigned char *block;
		size_t size;
	} kept[32];
	static unsigned int nr;
	unsigned int slot = nr++ % ARRAY_SIZE(kept);
	void *block = NULL;
	int saved_errno = errno, error;

	error = posix_memalign(&block, align, size);
	CHECK(!error && errno == saved_errno, "; align %zu, size %zu: %d", align, size, error);
	CHECK(block && is_aligned(block, align), "; align %zu, size %zu: %p", align, size,
	      block);
	CHECK(malloc_usable_size(block) >= size);
	if (memalignment) {
		CHECK(memalignment(block) >= align);
		CHECK(memalignment((char *)block + 1) == 1 && memalignment((char *)block + 4) == 4);
		CHECK(!memalignment(NULL));
	}
	if (kept[slot].block && kept[slot].size) {
		CHECK(kept[slot].block[0] == 0x11);
		CHECK(kept[slot].block[kept[slot].size - 1] == 0x22 || kept[slot].size == 1);
	}
	free(kept[slot].block);
	kept[slot].block = block;
	kept[slot].size = size;
	if (size) {
		kept[slot].block[size - 1] = 0x22;
		kept[slot].block[0] = 0x11;
	}
	block = memalign(align, size);
	CHECK(block && is_aligned(block, align), "; align %zu, size %zu", align, size);
	free(block);
	block = aligned_alloc(align, size);
	CHECK(block && is_aligned(block, align), "; align %zu, size %zu", align, size);
	free(block);
}

static void all_alignments(void)
{
	for (size_t align = 8; align <= GIB; align *= 2) {
		const size_t around[] = { 0, 1, 8, 24, 100, 1000, 4095, 4097, 5000, 30000,
					  align - 1, align, align + 1, align * 3 };

		for (size_t i = 0; i < ARRAY_SIZE(around); i++)
			if (around[i] <= 32 * MIB)
				for (unsigned int round = 0; round < 5; round++)
					check_aligned(align, around[i]);
	}
	for (size_t align = 8; align <= 4 * KIB; align *= 2)
		for (size_t size = 0; size <= 2100; size += 7)
			check_aligned(align, size);
}

static void posix_memalign_errors(void)
{
	static const size_t bad[] = { 0, 1, 2, 4, 3, 7, 9, 12, 24, 40, 48, 56, 4095, 4097,
				      6 * KIB, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 2 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		void *untouched = (void *)bad, *block = untouched;

		errno = 12345;
		CHECK(posix_memalign(&block, bad[i], 16) == EINVAL, "; align %zu", bad[i]);
		CHECK(posix_memalign(&block, bad[i], 0) == EINVAL, "; align %zu", bad[i]);
		CHECK(block == untouched && errno == 12345);
	}
}

static void posix_memalign_out_of_memory(void)
{
	static const size_t huge[] = { SIZE_MAX, SIZE_MAX - 4096, (size_t)PTRDIFF_MAX + 1 };

	for (size_t align = 8; align; align *= 2)
		for (size_t i = 0; i < ARRAY_SIZE(huge); i++) {
			void *untouched = (void *)huge, *block = untouched;

			errno = 12345;
			CHECK(posix_memalign(&block, align, opaque_size(huge[i])) == ENOMEM);
			CHECK(block == untouched);
			/* POSIX leaves errno open; programs rely on what glibc does. */
			CHECK(errno == ENOMEM || !preloaded());
		}
}

/* Alignments that no address space has. */
static void huge_alignments(void)
{
	for (size_t align = 1UL << ADDRESS_BITS; align; align *= 2) {
		void *block = NULL;

		errno = 0;
		CHECK(!opaque(aligned_alloc(align, 100)) && errno == ENOMEM, "; align %#zx",
		      align);
		errno = 0;
		CHECK(!opaque(memalign(align, 1)) && errno == ENOMEM, "; align %#zx", align);
		CHECK(posix_memalign(&block, align, 8) == ENOMEM, "; align %#zx", align);
	}
	errno = 0;
	CHECK(!opaque(memalign(opaque_size(SIZE_MAX / 2 + 2), 1)) && errno == EINVAL);
	errno = 0;
	CHECK(!opaque(memalign(opaque_size(SIZE_MAX), 1)) && errno == EINVAL);
}

static void memalign_rounds_up(void)
{
	for (size_t align = 0; align < 9000; align += align < 200 ? 1 : 97) {
		size_t rounded = 16;
		void *block = memalign(align, 100);

		while (rounded < align)
			rounded *= 2;
		CHECK(block && is_aligned(block, rounded), "; align %zu: %p", align, block);
		free(block);
	}
}

/* C17 wants a valid alignment; glibc up to 2.37 takes any. */
static void aligned_alloc_refuses(void)
{
	static const size_t bad[] = { 0, 3, 5, 6, 12, 24, 100, 4097, SIZE_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		errno = 0;
		CHECK(!opaque(aligned_alloc(opaque_size(bad[i]), 100)), "; align %zu", bad[i]);
		CHECK(errno == EINVAL, "; align %zu: errno is %d", bad[i], errno);
	}
}

static void whole_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t size = 0; size < 5 * page; size += 123) {
		char *block = valloc(size), *pages = pvalloc(size);
		size_t rounded = (size + page - 1) / page * page;

		CHECK(block && is_aligned(block, page));
		CHECK(pages && is_aligned(pages, page));
		if (size)
			memset(opaque(pages), 1, rounded);
		else if (preloaded())	/* glibc gives fewer bytes */
			memset(opaque(pages), 1, page);
		CHECK(malloc_usable_size(pages) >= rounded);
		memset(pages, 1, rounded);
		free(block);
		free(pages);
	}
	for (size_t size = SIZE_MAX - page + 2; size; size += 500 < page ? page / 8 : 1) {
		errno = 0;
		CHECK(!opaque(pvalloc(opaque_size(size))) && errno == ENOMEM);
		if (size > SIZE_MAX - page / 8)
			break;
	}
}

/* Aligned blocks are blocks like any other. */
static void realloc_of_aligned(void)
{
	for (size_t align = 32; align <= 16 * MIB; align *= 2)
		for (size_t size = 10; size <= MIB; size *= 10) {
			char *block = memalign(align, size), *moved;

			REQUIRE(block);
			memset(block, 0x33, size);
			moved = realloc(block, size * 3);
			REQUIRE(moved);
			for (size_t i = 0; i < size; i += size > 1000 ? 100 : 1)
				CHECK(moved[i] == 0x33);
			moved = realloc(moved, size / 2);
			REQUIRE(moved);
			CHECK(moved[0] == 0x33 && moved[size / 2 - 1] == 0x33);
			free(moved);
		}
}

TEST_MAIN({ "every_size_is_aligned", every_size_is_aligned, false },
	  { "all_alignments", all_alignments, false },
	  { "posix_memalign_errors", posix_memalign_errors, false },
	  { "posix_memalign_out_of_memory", posix_memalign_out_of_memory, false },
	  { "huge_alignments", huge_alignments, false },
	  { "memalign_rounds_up", memalign_rounds_up, false },
	  { "aligned_alloc_refuses", aligned_alloc_refuses, true },
	  { "whole_pages", whole_pages, false },
	  { "realloc_of_aligned", realloc_of_aligned, false })
