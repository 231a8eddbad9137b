// SPDX-License-Identifier: MIT
/* Functions of include/kernel/linux/gfp.h and mm.h that usermm/page.h does not have. */
#include <string.h>

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "page/api/bulk_free.h"
#include "zone_counts.h"

void release_pages(struct page **pages, int nr)
{
	if (nr > 0)
		(free_pages_bulk)(pages, (unsigned long)nr);
}

void usermm_kernel_free_pages_bulk(struct page **array, unsigned long nr)
{
	free_pages_bulk_as_blocks(array, nr);
}

unsigned long nr_free_pages(void)
{
	return zone_counts_free();
}

unsigned long usermm_totalram_pages(void)
{
	return zone_counts_managed();
}
