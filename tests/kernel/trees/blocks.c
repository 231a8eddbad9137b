// SPDX-License-Identifier: MIT
/*
 * kmalloc() and kfree() for the kernel's user-space tests, on usermm. This file takes the place of
 * tools/lib/slab.c. As there, requests that may not reclaim fail.
 */
#include <stdio.h>
#include <usermm/usermm.h>

int kmalloc_nr_allocated;
int kmalloc_verbose;

void *tested_kmalloc(size_t size, gfp_t gfp) __asm__("kmalloc");
void *tested_kmalloc(size_t size, gfp_t gfp)
{
	void *block = gfp & __GFP_DIRECT_RECLAIM ? kmalloc(size, gfp) : NULL;

	if (!block)
		return NULL;
	__atomic_fetch_add(&kmalloc_nr_allocated, 1, __ATOMIC_RELAXED);
	if (kmalloc_verbose)
		printf("Allocated a block %p\n", block);
	return block;
}

void tested_kfree(void *block) __asm__("kfree");
void tested_kfree(void *block)
{
	if (!block)
		return;
	if (kmalloc_verbose)
		printf("Freeing a block %p\n", block);
	__atomic_fetch_sub(&kmalloc_nr_allocated, 1, __ATOMIC_RELAXED);
	kfree(block);
}
