// SPDX-License-Identifier: MIT
/* Advancing and copying in memory in pieces; see linux/uio.h. cf. Linux lib/iov_iter.c. */
#include <linux/kernel.h>
#include <linux/uaccess.h>
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

/* The rest of the piece that the iterator is in; NULL for pieces without address. */
static void *piece(const struct iov_iter *iter, size_t *bytes)
{
	switch (iov_iter_type(iter)) {
	case ITER_UBUF:
		*bytes = iter->count;
		return (char __force *)iter->ubuf + iter->iov_offset;
	case ITER_KVEC:
	case ITER_IOVEC:
		*bytes = min(iter->kvec->iov_len - iter->iov_offset, iter->count);
		return (char *)iter->kvec->iov_base + iter->iov_offset;
	case ITER_BVEC:
		*bytes = min(iter->bvec->bv_len - iter->iov_offset, iter->count);
		return (char *)page_address(iter->bvec->bv_page) + iter->bvec->bv_offset +
		       iter->iov_offset;
	default:
		return NULL;
	}
}

/* Copies bytes of a piece. Returns how many were not copied. */
static size_t copy_piece(const struct iov_iter *iter, void *at, void *kernel, size_t bytes,
			 bool to_iter)
{
	if (user_backed_iter(iter))
		return to_iter ? copy_to_user((void __user *)at, kernel, bytes)
			       : copy_from_user(kernel, (void __user *)at, bytes);
	memcpy(to_iter ? at : kernel, to_iter ? kernel : at, bytes);
	return 0;
}

static size_t copy(void *kernel, size_t bytes, struct iov_iter *iter, bool to_iter)
{
	size_t done = 0;

	bytes = min(bytes, iter->count);
	if (iov_iter_is_discard(iter)) {
		done = to_iter ? bytes : 0;
		iov_iter_advance(iter, done);
		return done;
	}
	while (done < bytes) {
		size_t here, left;
		void *at;

		iov_iter_advance(iter, 0);	/* over pieces that are at their end */
		at = piece(iter, &here);
		if (!at)
			break;
		here = min(here, bytes - done);
		left = copy_piece(iter, at, (char *)kernel + done, here, to_iter);
		iov_iter_advance(iter, here - left);
		done += here - left;
		if (left)
			break;
	}
	return done;
}

size_t copy_to_iter(const void *from, size_t bytes, struct iov_iter *iter)
{
	return copy((void *)from, bytes, iter, true);
}

size_t copy_from_iter(void *to, size_t bytes, struct iov_iter *iter)
{
	return copy(to, bytes, iter, false);
}

size_t iov_iter_zero(size_t bytes, struct iov_iter *iter)
{
	static const char zeros[256];
	size_t done = 0, here;

	while (done < bytes) {
		here = copy_to_iter(zeros, min(bytes - done, sizeof(zeros)), iter);
		if (!here)
			break;
		done += here;
	}
	return done;
}
