/* SPDX-License-Identifier: MIT */
/* Pipes: a module gets none to look at. */
#ifndef _LINUX_PIPE_FS_I_H
#define _LINUX_PIPE_FS_I_H

#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct pipe_buf_operations;

#define PIPE_DEF_BUFFERS 16

struct pipe_buffer {
	struct page *page;
	unsigned int offset, len;
	const struct pipe_buf_operations *ops;
	unsigned int flags;
	unsigned long private;
};

struct pipe_inode_info {
	struct mutex mutex;
	wait_queue_head_t rd_wait, wr_wait;
	unsigned int head, tail, max_usage, ring_size, readers, writers, files;
	struct pipe_buffer *bufs;
};

#endif
