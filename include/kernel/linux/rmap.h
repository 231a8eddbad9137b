/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_RMAP_H
#define _LINUX_RMAP_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/highmem.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/uuid.h>

/* Nothing is mapped into programs by way of struct page. */
#define page_mapped_in_vma(page, vma) ((void)(page), (void)(vma), 0UL)
#define try_to_unmap(folio, flags) ((void)(folio), (void)(flags))
#define folio_mkclean(folio) ((void)(folio), 0)

#endif
