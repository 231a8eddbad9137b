/* SPDX-License-Identifier: MIT */
/* The fast paths that only libusermm_malloc.so has. */
#include <malloc.h>
#include <stdlib.h>

#include "golden/record.h"

void *operator_new(size_t size) __asm__("_Znwm");
void operator_delete(void *block) __asm__("_ZdlPv");
void operator_delete_sized(void *block, size_t size) __asm__("_ZdlPvm");

static void *volatile block;
static volatile size_t result;

static void malloc_64(void)
{
	block = malloc(64);
}

static void malloc_20000(void)
{
	block = malloc(20000);
}

static void calloc_64(void)
{
	block = calloc(1, 64);
}

static void realloc_64(void)
{
	block = realloc(block, 64);
}

static void aligned_64(void)
{
	block = aligned_alloc(64, 64);
}

static void posix_64(void)
{
	void *aligned = NULL;

	result = (size_t)posix_memalign(&aligned, 64, 64);
	block = aligned;
}

static void usable_size(void)
{
	result = malloc_usable_size(block);
}

static void free_block(void)
{
	free(block);
}

static void new_64(void)
{
	block = operator_new(64);
}

static void delete_block(void)
{
	operator_delete(block);
}

static void delete_64(void)
{
	operator_delete_sized(block, 64);
}

static const struct golden_path paths[] = {
	{ "malloc(64)", NULL, malloc_64, free_block },
	{ "malloc(20000)", NULL, malloc_20000, free_block },
	{ "calloc(1,64)", NULL, calloc_64, free_block },
	{ "realloc(64->64)", malloc_64, realloc_64, free_block },
	{ "aligned_alloc(64,64)", NULL, aligned_64, free_block },
	{ "posix_memalign(64,64)", NULL, posix_64, free_block },
	{ "malloc_usable_size", malloc_64, usable_size, free_block },
	{ "free", malloc_64, free_block, NULL },
	{ "new(64)", NULL, new_64, delete_block },
	{ "delete", new_64, delete_block, NULL },
	{ "delete(64)", new_64, delete_64, NULL },
};

const struct recording recording = {
	.start = record_why_not,
	.code_start = (const void *)malloc_usable_size,
	.paths = paths,
	.nr_paths = sizeof(paths) / sizeof(paths[0]),
};
