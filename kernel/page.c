// SPDX-License-Identifier: MIT
/* Functions of include/kernel/linux/gfp.h and mm.h that usermm/page.h does not have. */
#include <string.h>

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "zone_counts.h"

void release_pages(struct page **pages, int nr)
{
	if (nr > 0)
		(free_pages_bulk)(pages, (unsigned long)nr);
}

unsigned long nr_free_pages(void)
{
	return zone_counts_free();
}

unsigned long usermm_totalram_pages(void)
{
	return zone_counts_managed();
}
