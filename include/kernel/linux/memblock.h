/* SPDX-License-Identifier: MIT */
/* Memory of the boot, which is over. */
#ifndef _LINUX_MEMBLOCK_H
#define _LINUX_MEMBLOCK_H

#include <asm/io.h>
#include <asm/page.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/slab.h>

#define memblock_phys_mem_size() ((phys_addr_t)totalram_pages() << PAGE_SHIFT)
#define memblock_is_memory(address) pfn_valid(PHYS_PFN(address))
#define memblock_end_of_DRAM() ((phys_addr_t)max_pfn << PAGE_SHIFT)

#endif
