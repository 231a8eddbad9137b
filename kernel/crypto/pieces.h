/* SPDX-License-Identifier: MIT */
/* A place in a list of pieces of memory. */
#ifndef KERNEL_CRYPTO_PIECES_H
#define KERNEL_CRYPTO_PIECES_H

#include <linux/scatterlist.h>

struct piece_cursor {
	struct scatterlist *sg;
	unsigned int offset;		/* within its piece */
};

/* Copies length bytes from or to the list, and moves on. The list is long enough. */
static inline void pieces_copy(struct piece_cursor *cursor, u8 *buffer, unsigned int length,
			       bool to_buffer)
{
	while (length && cursor->sg) {
		unsigned int piece = min(length, cursor->sg->length - cursor->offset);
		u8 *at = (u8 *)sg_virt(cursor->sg) + cursor->offset;

		if (to_buffer)
			memcpy(buffer, at, piece);
		else
			memcpy(at, buffer, piece);
		buffer += piece;
		length -= piece;
		cursor->offset += piece;
		if (cursor->offset == cursor->sg->length)
			*cursor = (struct piece_cursor){ .sg = sg_next(cursor->sg) };
	}
}

#endif
