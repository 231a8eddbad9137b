/* SPDX-License-Identifier: MIT */
/* Blocks of disks. No disk is read, so each is NULL. */
#ifndef _LINUX_BUFFER_HEAD_H
#define _LINUX_BUFFER_HEAD_H

#include <linux/blk_types.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/types.h>
#include <linux/wait.h>

struct buffer_head {
	unsigned long b_state;
	struct page *b_page;
	sector_t b_blocknr;
	size_t b_size;
	char *b_data;
	struct block_device *b_bdev;
	void *b_private;
};

static inline struct buffer_head *sb_bread(struct super_block *sb, sector_t block)
{
	(void)sb;
	(void)block;
	return NULL;
}

#define sb_getblk(sb, block) sb_bread(sb, block)
#define brelse(buffer) ((void)(buffer))
#define bforget(buffer) ((void)(buffer))
#define put_bh(buffer) ((void)(buffer))
#define get_bh(buffer) ((void)(buffer))
#define mark_buffer_dirty(buffer) ((void)(buffer))
#define sync_dirty_buffer(buffer) ((void)(buffer), -EIO)
#define lock_buffer(buffer) ((void)(buffer))
#define unlock_buffer(buffer) ((void)(buffer))
#define map_bh(buffer, sb, block) ((void)(buffer), (void)(sb), (void)(block))

#endif
