/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CIRC_BUF_H
#define KERNEL_LINUX_CIRC_BUF_H

struct circ_buf {
	char *buf;
	int head;
	int tail;
};

/* Circular buffers: the size is a power of two, and one slot stays free. */
#define CIRC_CNT(head, tail, size) (((head) - (tail)) & ((size) - 1))
#define CIRC_SPACE(head, tail, size) CIRC_CNT(tail, (head) + 1, size)
#define CIRC_CNT_TO_END(head, tail, size)				\
	({								\
		int circ_end_ = (size) - (tail);			\
		int circ_n_ = ((head) + circ_end_) & ((size) - 1);	\
									\
		circ_n_ < circ_end_ ? circ_n_ : circ_end_;		\
	})
#define CIRC_SPACE_TO_END(head, tail, size)				\
	({								\
		int circ_end_ = (size) - 1 - (head);			\
		int circ_n_ = (circ_end_ + (tail)) & ((size) - 1);	\
									\
		circ_n_ <= circ_end_ ? circ_n_ : circ_end_ + 1;		\
	})

#endif
