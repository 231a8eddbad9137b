// SPDX-License-Identifier: MIT
/* Advancing in memory that lies in pieces; see linux/uio.h. cf. Linux lib/iov_iter.c. */
#include <linux/kernel.h>
#include <linux/uio.h>

static void advance_bvec(struct iov_iter *iter, size_t bytes)
{
	bytes += iter->iov_offset;
	for (; iter->nr_segs && bytes >= iter->bvec->bv_len; iter->nr_segs--)
		bytes -= iter->bvec++->bv_len;
	iter->iov_offset = bytes;
}

/* Serves ITER_IOVEC too: struct iovec has the same layout. */
static void advance_kvec(struct iov_iter *iter, size_t bytes)
{
	bytes += iter->iov_offset;
	for (; iter->nr_segs && bytes >= iter->kvec->iov_len; iter->nr_segs--)
		bytes -= iter->kvec++->iov_len;
	iter->iov_offset = bytes;
}

/* The end of the queue is the position behind its last folio. */
static void advance_folioq(struct iov_iter *iter, size_t bytes)
{
	const struct folio_queue *folioq = iter->folioq;
	unsigned int slot = iter->folioq_slot;

	bytes += iter->iov_offset;
	for (;;) {
		if (slot >= folioq_nr_slots(folioq) && folioq->next) {
			folioq = folioq->next;
			slot = 0;
		}
		if (slot >= folioq->vec.nr || bytes < folioq_folio_size(folioq, slot))
			break;
		bytes -= folioq_folio_size(folioq, slot++);
	}
	iter->folioq = folioq;
	iter->folioq_slot = (u8)slot;
	iter->iov_offset = bytes;
}

void iov_iter_advance(struct iov_iter *iter, size_t bytes)
{
	bytes = min(bytes, iter->count);
	iter->count -= bytes;
	switch (iov_iter_type(iter)) {
	case ITER_BVEC:
		advance_bvec(iter, bytes);
		break;
	case ITER_KVEC:
	case ITER_IOVEC:
		advance_kvec(iter, bytes);
		break;
	case ITER_FOLIOQ:
		advance_folioq(iter, bytes);
		break;
	case ITER_UBUF:
	case ITER_XARRAY:
		iter->iov_offset += bytes;
		break;
	case ITER_DISCARD:
		break;
	}
}
