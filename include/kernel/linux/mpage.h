/* SPDX-License-Identifier: MIT */
/* Pages of files on disks: no disk is mounted, so nothing is read (-EIO) or written. */
#ifndef KERNEL_LINUX_MPAGE_H
#define KERNEL_LINUX_MPAGE_H

#include <linux/buffer_head.h>
#include <linux/errno.h>

#define mpage_readahead(control, get_block) ((void)(control), (void)(get_block))
#define mpage_read_folio(folio, get_block) ((void)(folio), (void)(get_block), -EIO)
#define mpage_writepages(mapping, control, get_block) \
	((void)(mapping), (void)(control), (void)(get_block), 0)

#endif
