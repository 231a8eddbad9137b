/* SPDX-License-Identifier: MIT */
/* The C entry points: sizes that are zero or impossible, errno, block sizes. */
#include "harness.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Every way a block can be kept, and the sizes at the borders between them. */
static const size_t sizes[] = {
	1, 8, 16, 17, 100, 128, 129, 1000, 1024, 1025, 4096, 5000, 32 * KIB, 32 * KIB + 1,
	40 * KIB, 64 * KIB, 100000, 128 * KIB, MIB, MIB + 1, 4 * MIB, 4 * MIB + 1, 8 * MIB,
};

static void one_library_has_them_all(void)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "free", "memalign",
		"aligned_alloc", "posix_memalign", "valloc", "pvalloc", "malloc_usable_size",
		"malloc_trim",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!strcmp(library_of(names[i]), library_of("malloc")), "; %s is in %s",
		      names[i], library_of(names[i]));
}

static void zero_sizes(void)
{
	void *blocks[64];

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = i % 4 == 0 ? malloc(0) : i % 4 == 1 ? calloc(0, 10) :
			    i % 4 == 2 ? calloc(10, 0) : realloc(NULL, 0);
		CHECK(blocks[i]);
		for (size_t j = 0; j < i; j++)
			CHECK(blocks[i] != blocks[j]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	free(NULL);
	CHECK(malloc_usable_size(NULL) == 0);
}

static void realloc_to_zero_frees(void)
{
	size_t before = resident_bytes();

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (unsigned int round = 0; round < 2000; round++) {
			char *block = malloc(sizes[i]);

			REQUIRE(block);
			block[0] = 1;
			block[sizes[i] - 1] = 1;
			if (round % 2)
				CHECK(realloc(block, opaque_size(0)) == NULL);
			else
				CHECK(reallocarray(block, opaque_size(0), 8) == NULL);
		}
	}
	/* If the blocks had stayed, it would be more than 300 MiB. */
	CHECK(resident_bytes() < before + 64 * MIB);
}

/*
 * The library's calls for address space reach these definitions; those of the C library's malloc do
 * not. Volatile, because the compiler takes malloc() for a function that calls nothing in this
 * file.
 */
static volatile unsigned long nr_mappings;

#define VISIBLE __attribute__((__visibility__("default")))

VISIBLE void *mmap(void *addr, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	nr_mappings++;
	return (void *)syscall(SYS_mmap, addr, bytes, protection, flags, fd, offset);
}

VISIBLE void *mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
	nr_mappings++;
	return (void *)syscall(SYS_mremap, old, old_bytes, new_bytes, flags, NULL);
}

#define CHECK_FAILS(call)							\
	do {									\
		errno = 0;							\
		CHECK(opaque(call) == NULL, "; size %#zx", size);			\
		CHECK(errno == ENOMEM, "; size %#zx: errno is %d", size, errno);	\
	} while (0)

static void ask_impossible(void *block, size_t size)
{
	size_t half = size / 2 + 1;
	void *result = block;

	CHECK_FAILS(malloc(size));
	CHECK_FAILS(calloc(1, size));
	CHECK_FAILS(calloc(size, 1));
	CHECK_FAILS(calloc(half, 2));
	CHECK_FAILS(calloc(half, half));
	CHECK_FAILS(realloc(NULL, size));
	CHECK_FAILS(realloc(opaque(block), size));
	CHECK_FAILS(reallocarray(NULL, half, 2));
	CHECK_FAILS(reallocarray(opaque(block), half, 2));
	CHECK_FAILS(reallocarray(opaque(block), 2, half));
	CHECK_FAILS(reallocarray(opaque(block), half, half));
	CHECK_FAILS(memalign(16, size));
	CHECK_FAILS(memalign(4096, size));
	CHECK_FAILS(memalign(GIB, size));
	CHECK_FAILS(aligned_alloc(64, size));
	CHECK_FAILS(valloc(size));
	CHECK_FAILS(pvalloc(size));
	CHECK(posix_memalign(&result, 64, size) == ENOMEM);
	CHECK(posix_memalign(&result, 8 * MIB, size) == ENOMEM);
	CHECK(result == block);
}

/* Answers how many mappings were made meanwhile. */
static unsigned long ask_all_impossible(void *block)
{
	static const size_t impossible[] = {
		(size_t)PTRDIFF_MAX + 1, (size_t)PTRDIFF_MAX + 4096, SIZE_MAX / 4 * 3,
		SIZE_MAX - 8192, SIZE_MAX - 4096, SIZE_MAX - 4095, SIZE_MAX - 64,
		SIZE_MAX - 16, SIZE_MAX - 15, SIZE_MAX - 1, SIZE_MAX,
	};
	unsigned long before = nr_mappings;

	for (size_t i = 0; i < ARRAY_SIZE(impossible); i++)
		ask_impossible(opaque(block), opaque_size(impossible[i]));
	return nr_mappings - before;
}

static void impossible_sizes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned char *block = malloc(sizes[i]);
		int tries = 4;

		REQUIRE(block);
		memset(block, 0x5a, sizes[i]);
		/* The library may map something of its own now and then, but not each time. */
		while (ask_all_impossible(block))
			REQUIRE(--tries);
		for (size_t j = 0; j < sizes[i]; j += sizes[i] > 64 ? 61 : 1)
			CHECK(block[j] == 0x5a, "; byte %zu of %zu", j, sizes[i]);
		free(block);
	}
}

/* The case before would have noticed a mapping. */
static void mappings_are_seen(void)
{
	unsigned long before = nr_mappings;

	free(opaque(malloc(GIB)));
	CHECK(nr_mappings > before);
}

static void free_keeps_errno(void)
{
	static const size_t huge[] = { 16 * MIB, 64 * MIB, GIB };

	for (size_t i = 0; i < ARRAY_SIZE(sizes) + ARRAY_SIZE(huge); i++) {
		size_t size = i < ARRAY_SIZE(sizes) ? sizes[i] : huge[i - ARRAY_SIZE(sizes)];
		char *blocks[8];

		for (size_t j = 0; j < ARRAY_SIZE(blocks); j++) {
			blocks[j] = malloc(size);
			REQUIRE(blocks[j]);
			blocks[j][0] = 1;
		}
		for (size_t j = 0; j < ARRAY_SIZE(blocks); j++) {
			errno = 12345;
			free(blocks[j]);
			CHECK(errno == 12345, "; size %zu: errno is %d", size, errno);
		}
	}
	errno = 12345;
	free(NULL);
	CHECK(errno == 12345);
}

static void success_keeps_errno(void)
{
	void *block = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
			errno = 12345;
			block = realloc(block, sizes[i]);
			block = realloc(block, sizes[j]);
			REQUIRE(block);
			CHECK(errno == 12345, "; %zu to %zu", sizes[i], sizes[j]);
		}
	free(block);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		errno = 12345;
		free(opaque(malloc(sizes[i])));
		free(opaque(calloc(1, sizes[i])));
		free(opaque(memalign(256, sizes[i])));
		CHECK(errno == 12345, "; size %zu", sizes[i]);
	}
}

/* A block may be used up to its usable size. */
static void usable_size_is_usable(void)
{
	static unsigned char *blocks[3000];

	for (size_t size = 0; size < ARRAY_SIZE(blocks); size++) {
		blocks[size] = malloc(size);
		REQUIRE(blocks[size]);
		CHECK(malloc_usable_size(blocks[size]) >= size);
		memset(blocks[size], (int)(size % 251), malloc_usable_size(blocks[size]));
	}
	for (size_t size = 0; size < ARRAY_SIZE(blocks); size++) {
		for (size_t i = 0; i < size; i++)
			if (!CHECK(blocks[size][i] == size % 251, "; size %zu", size))
				break;
		free(blocks[size]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *block = malloc(sizes[i]);

		REQUIRE(block);
		CHECK(malloc_usable_size(block) >= sizes[i]);
		memset(block, 1, malloc_usable_size(block));
		free(block);
	}
}

/* At most an eighth of a block is unused, from 113 bytes up to 32 KiB. */
static void little_waste(void)
{
	for (size_t size = 1; size <= 32 * KIB; size++) {
		void *block = malloc(size);
		size_t usable = malloc_usable_size(block);

		if (size < 113)
			CHECK(usable < size + 16, "; size %zu has %zu", size, usable);
		else
			CHECK((usable - size) * 8 <= usable, "; size %zu has %zu", size,
			      usable);
		free(block);
	}
}

TEST_MAIN({ "one_library_has_them_all", one_library_has_them_all, false },
	  { "zero_sizes", zero_sizes, false },
	  { "realloc_to_zero_frees", realloc_to_zero_frees, false },
	  { "impossible_sizes", impossible_sizes, false },
	  { "mappings_are_seen", mappings_are_seen, true },
	  { "free_keeps_errno", free_keeps_errno, false },
	  { "success_keeps_errno", success_keeps_errno, false },
	  { "usable_size_is_usable", usable_size_is_usable, false },
	  { "little_waste", little_waste, true })
