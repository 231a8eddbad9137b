// SPDX-License-Identifier: MIT
/*
 * A program with quicklists, to be inspected. It prints "ready" and the address of a page on a
 * list, and waits for the end of stdin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usermm/quicklist.h"
#include "usermm/slab.h"

static void *pages[100];
static struct quicklist_cache *cache;

/* The state of a page: the address of a block, behind the list's link. */
static void add_block(void *page)
{
	((void **)page)[8] = kmalloc(100, GFP_KERNEL);
}

static void end_block(void *page)
{
	kfree(((void **)page)[8]);
	((void **)page)[8] = NULL;
}

int main(void)
{
	char byte;

	for (int i = 0; i < 100; i++)
		pages[i] = quicklist_alloc(1, GFP_KERNEL, NULL);
	for (int i = 0; i < 60; i++)
		quicklist_free(1, NULL, pages[i]);
	cache = quicklist_cache_create("with-blocks", add_block, end_block);
	if (!cache)
		return 1;
	for (int i = 0; i < 10; i++)
		pages[i] = quicklist_cache_alloc(cache, GFP_KERNEL);
	for (int i = 0; i < 4; i++)
		quicklist_cache_free(cache, pages[i]);
	printf("ready\n%p\n", pages[0]);
	memset(pages, 0, 4 * sizeof(*pages));
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
