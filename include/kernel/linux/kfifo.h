/* SPDX-License-Identifier: MIT */
/*
 * Queues. One producer and one consumer need no lock. The size is a power of two. `in` and `out`
 * count elements and wrap around.
 *
 * Each queue is a structure of its own type. Its pointer `type` tells the elements' type. A queue
 * of records (STRUCT_KFIFO_REC_1 and 2) has bytes; as many as `rectype` points to stand before each
 * record and hold its length, the lowest first.
 */
#ifndef KERNEL_LINUX_KFIFO_H
#define KERNEL_LINUX_KFIFO_H

#include <asm/barrier.h>
#include <asm/spinlock.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/rwlock.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct __kfifo {
	unsigned int in;	/* Sync: the producer writes, release */
	unsigned int out;	/* Sync: the consumer writes, release */
	unsigned int mask;
	unsigned int esize;
	void *data;
};

#define USERMM_KFIFO_COMMON(element, recsize)				\
	struct __kfifo kfifo;						\
	element *type[0];						\
	char (*rectype[0])[recsize];
#define STRUCT_KFIFO_PTR(element)					\
	struct {							\
		USERMM_KFIFO_COMMON(element, 0)				\
		element buf[0];						\
	}
#define USERMM_STRUCT_KFIFO(element, size, recsize)			\
	struct {							\
		USERMM_KFIFO_COMMON(element, recsize)			\
		element buf[(size) < 2 || ((size) & ((size) - 1)) ? -1 : (size)]; \
	}
#define STRUCT_KFIFO(element, size) USERMM_STRUCT_KFIFO(element, size, 0)
#define STRUCT_KFIFO_REC_1(size) USERMM_STRUCT_KFIFO(unsigned char, size, 1)
#define STRUCT_KFIFO_REC_2(size) USERMM_STRUCT_KFIFO(unsigned char, size, 2)

struct kfifo {
	USERMM_KFIFO_COMMON(unsigned char, 0)
	unsigned char buf[0];
};

struct kfifo_rec_ptr_1 {
	USERMM_KFIFO_COMMON(unsigned char, 1)
	unsigned char buf[0];
};

struct kfifo_rec_ptr_2 {
	USERMM_KFIFO_COMMON(unsigned char, 2)
	unsigned char buf[0];
};

#define DECLARE_KFIFO_PTR(fifo, element) STRUCT_KFIFO_PTR(element) fifo
#define DECLARE_KFIFO(fifo, element, size) STRUCT_KFIFO(element, size) fifo
#define USERMM_KFIFO_ELEMENT(fifo) __typeof__(**(fifo)->type)
#define INIT_KFIFO(fifo)						\
	((void)((fifo).kfifo = (struct __kfifo){			\
		.mask = ARRAY_SIZE((fifo).buf) - !!ARRAY_SIZE((fifo).buf), \
		.esize = sizeof(*(fifo).buf),				\
		.data = (fifo).buf }))
#define DEFINE_KFIFO(fifo, element, size)				\
	DECLARE_KFIFO(fifo, element, size) = {				\
		.kfifo = { .mask = (size) - 1, .esize = sizeof(element), .data = (fifo).buf } }

static inline int usermm_kfifo_alloc(struct __kfifo *fifo, unsigned int size, size_t esize,
				     gfp_t gfp)
{
	size = (unsigned int)roundup_pow_of_two(size);
	*fifo = (struct __kfifo){ .esize = (unsigned int)esize };
	if (size < 2)
		return -EINVAL;
	fifo->data = kmalloc_array(size, esize, gfp);
	if (!fifo->data)
		return -ENOMEM;
	fifo->mask = size - 1;
	return 0;
}

static inline void usermm_kfifo_free(struct __kfifo *fifo)
{
	kfree(fifo->data);
	*fifo = (struct __kfifo){ .data = NULL };
}

/* Copies in two parts if the range wraps around: at the end, then at the front. */
static inline void usermm_kfifo_copy(struct __kfifo *fifo, void *buffer, unsigned int at,
				     unsigned int n, bool in)
{
	size_t esize = fifo->esize, first;

	if (!n)		/* it may have no memory */
		return;
	at &= fifo->mask;
	first = min(n, fifo->mask + 1 - at);
	if (in) {
		memcpy((char *)fifo->data + at * esize, buffer, first * esize);
		memcpy(fifo->data, (char *)buffer + first * esize, (n - first) * esize);
	} else {
		memcpy(buffer, (char *)fifo->data + at * esize, first * esize);
		memcpy((char *)buffer + first * esize, fifo->data, (n - first) * esize);
	}
}

static inline unsigned int usermm_kfifo_in(struct __kfifo *fifo, const void *buffer,
					   unsigned int n)
{
	/* acquire: pairs with the consumer's release: it is done with the slots */
	n = min(n, fifo->mask + 1 - (fifo->in - smp_load_acquire(&fifo->out)));
	usermm_kfifo_copy(fifo, (void *)buffer, fifo->in, n, true);
	smp_store_release(&fifo->in, fifo->in + n);
	return n;
}

static inline unsigned int usermm_kfifo_peek(struct __kfifo *fifo, void *buffer, unsigned int n)
{
	/* acquire: pairs with the producer's release: the elements are written */
	n = min(n, smp_load_acquire(&fifo->in) - fifo->out);
	usermm_kfifo_copy(fifo, buffer, fifo->out, n, false);
	return n;
}

static inline unsigned int usermm_kfifo_out(struct __kfifo *fifo, void *buffer, unsigned int n)
{
	n = usermm_kfifo_peek(fifo, buffer, n);
	smp_store_release(&fifo->out, fifo->out + n);
	return n;
}

/* The length of the first record; there is one. */
static inline unsigned int usermm_kfifo_length(struct __kfifo *fifo, unsigned int recsize)
{
	unsigned char bytes[2] = { 0, 0 };

	usermm_kfifo_copy(fifo, bytes, fifo->out, recsize, false);
	return bytes[0] + bytes[1] * 256U;
}

/* n, or 0 if the record does not fit, or is longer than recsize bytes can tell. */
static inline unsigned int usermm_kfifo_in_record(struct __kfifo *fifo, const void *buffer,
						  unsigned int n, unsigned int recsize)
{
	unsigned char bytes[2] = { (unsigned char)n, (unsigned char)(n >> 8) };
	/* acquire: pairs with the consumer's release */
	unsigned int room = fifo->mask + 1 - (fifo->in - smp_load_acquire(&fifo->out));

	if (n >> 8 * recsize || n + recsize > room)
		return 0;
	usermm_kfifo_copy(fifo, bytes, fifo->in, recsize, true);
	usermm_kfifo_copy(fifo, (void *)buffer, fifo->in + recsize, n, true);
	smp_store_release(&fifo->in, fifo->in + n + recsize);
	return n;
}

/* Copies at most n bytes of the first record, and removes it whole. */
static inline unsigned int usermm_kfifo_out_record(struct __kfifo *fifo, void *buffer,
						   unsigned int n, unsigned int recsize,
						   bool remove)
{
	unsigned int length;

	/* acquire: pairs with the producer's release */
	if (smp_load_acquire(&fifo->in) == fifo->out)
		return 0;
	length = usermm_kfifo_length(fifo, recsize);
	n = min(n, length);
	usermm_kfifo_copy(fifo, buffer, fifo->out + recsize, n, false);
	if (remove)
		smp_store_release(&fifo->out, fifo->out + length + recsize);
	return n;
}

static inline unsigned int usermm_kfifo_avail(struct __kfifo *fifo, unsigned int recsize)
{
	unsigned int room = fifo->mask + 1 - (READ_ONCE(fifo->in) - READ_ONCE(fifo->out));

	return room <= recsize ? 0 : min(room - recsize, (1U << 8 * recsize) - 1);
}

/* How many elements stand in one piece of memory from *at on, at most n. */
static inline unsigned int usermm_kfifo_linear(struct __kfifo *fifo, unsigned int *at,
					       unsigned int n)
{
	*at = fifo->out & fifo->mask;
	return min3(n, smp_load_acquire(&fifo->in) - fifo->out, fifo->mask + 1 - *at);
}

/* See kfifo_dma_in_prepare(). The elements, or the room for them, in one piece or two. */
static inline unsigned int usermm_kfifo_table(struct __kfifo *fifo, struct scatterlist *table,
					      int nents, size_t n, bool in)
{
	unsigned int at = (in ? fifo->in : fifo->out) & fifo->mask, used = 0;
	unsigned int there = smp_load_acquire(&fifo->in) - smp_load_acquire(&fifo->out);
	unsigned int left = min_t(size_t, n / fifo->esize,
				  in ? fifo->mask + 1 - there : there);

	while (left && nents-- > 0) {
		unsigned int piece = min(left, fifo->mask + 1 - at);

		sg_set_buf(&table[used], (char *)fifo->data + (size_t)at * fifo->esize,
			   piece * fifo->esize);
		used++;
		left -= piece;
		at = 0;
	}
	if (used)
		sg_mark_end(&table[used - 1]);
	return used;
}

#define __is_kfifo_ptr(fifo) \
	(sizeof(*(fifo)) == sizeof(STRUCT_KFIFO_PTR(USERMM_KFIFO_ELEMENT(fifo))))
#define kfifo_initialized(fifo) ((fifo)->kfifo.mask != 0)
#define kfifo_esize(fifo) ((fifo)->kfifo.esize)
#define kfifo_recsize(fifo) (sizeof(**(fifo)->rectype))
#define kfifo_size(fifo) ((fifo)->kfifo.mask + 1)
#define kfifo_reset(fifo) ((void)((fifo)->kfifo.in = (fifo)->kfifo.out = 0))
#define kfifo_reset_out(fifo) ((void)((fifo)->kfifo.out = (fifo)->kfifo.in))
#define kfifo_len(fifo) (READ_ONCE((fifo)->kfifo.in) - READ_ONCE((fifo)->kfifo.out))
#define kfifo_is_empty(fifo) (kfifo_len(fifo) == 0)
#define kfifo_is_full(fifo) (kfifo_len(fifo) > (fifo)->kfifo.mask)
#define kfifo_avail(fifo)						\
	(kfifo_recsize(fifo) ? usermm_kfifo_avail(&(fifo)->kfifo, kfifo_recsize(fifo)) \
			     : kfifo_size(fifo) - kfifo_len(fifo))
#define kfifo_peek_len(fifo)						\
	(!kfifo_recsize(fifo) ? kfifo_len(fifo) * (unsigned int)sizeof(USERMM_KFIFO_ELEMENT(fifo)) \
	 : kfifo_is_empty(fifo) ? 0					\
	 : usermm_kfifo_length(&(fifo)->kfifo, kfifo_recsize(fifo)))
#define kfifo_skip_count(fifo, n) ((void)((fifo)->kfifo.out += (n)))
#define kfifo_skip(fifo)						\
	kfifo_skip_count(fifo, kfifo_recsize(fifo) ? kfifo_peek_len(fifo) + kfifo_recsize(fifo) : 1)
#define kfifo_alloc(fifo, size, gfp) \
	usermm_kfifo_alloc(&(fifo)->kfifo, size, sizeof(USERMM_KFIFO_ELEMENT(fifo)), gfp)
#define kfifo_free(fifo) usermm_kfifo_free(&(fifo)->kfifo)
/* buffer has size bytes and belongs to the caller. */
#define kfifo_init(fifo, buffer, size)					\
	({								\
		unsigned int init_n_ = (unsigned int)((size) /		\
						      sizeof(USERMM_KFIFO_ELEMENT(fifo))); \
									\
		init_n_ = init_n_ ? (unsigned int)rounddown_pow_of_two(init_n_) : 0; \
		(fifo)->kfifo = (struct __kfifo){ .mask = init_n_ - 1,	\
			.esize = sizeof(USERMM_KFIFO_ELEMENT(fifo)), .data = (buffer) }; \
		init_n_ < 2 ? -EINVAL : 0;				\
	})
/* Return 0 if there was no room (put) or no element (get, peek). */
#define kfifo_put(fifo, element)					\
	({								\
		USERMM_KFIFO_ELEMENT(fifo) put_ = (element);		\
									\
		usermm_kfifo_in(&(fifo)->kfifo, &put_, 1);		\
	})
#define kfifo_get(fifo, to) \
	usermm_kfifo_out(&(fifo)->kfifo, (USERMM_KFIFO_ELEMENT(fifo) *)(to), 1)
#define kfifo_peek(fifo, to) \
	usermm_kfifo_peek(&(fifo)->kfifo, (USERMM_KFIFO_ELEMENT(fifo) *)(to), 1)
#define kfifo_in(fifo, buffer, n)					\
	(kfifo_recsize(fifo)						\
	 ? usermm_kfifo_in_record(&(fifo)->kfifo, buffer, n, kfifo_recsize(fifo)) \
	 : usermm_kfifo_in(&(fifo)->kfifo, buffer, n))
#define kfifo_out(fifo, buffer, n)					\
	(kfifo_recsize(fifo)						\
	 ? usermm_kfifo_out_record(&(fifo)->kfifo, buffer, n, kfifo_recsize(fifo), true) \
	 : usermm_kfifo_out(&(fifo)->kfifo, buffer, n))
#define kfifo_out_peek(fifo, buffer, n)					\
	(kfifo_recsize(fifo)						\
	 ? usermm_kfifo_out_record(&(fifo)->kfifo, buffer, n, kfifo_recsize(fifo), false) \
	 : usermm_kfifo_peek(&(fifo)->kfifo, buffer, n))
/*
 * The elements that a device could fill (in) or send (out) by itself, as one or two entries of a
 * table; for queues of elements. Returns how many entries are used. _finish() is told the bytes.
 */
#define kfifo_dma_in_prepare(fifo, table, nents, n) \
	usermm_kfifo_table(&(fifo)->kfifo, table, nents, n, true)
#define kfifo_dma_out_prepare(fifo, table, nents, n) \
	usermm_kfifo_table(&(fifo)->kfifo, table, nents, n, false)
#define kfifo_dma_in_finish(fifo, n) \
	((void)((fifo)->kfifo.in += (unsigned int)((n) / (fifo)->kfifo.esize)))
#define kfifo_dma_out_finish(fifo, n) \
	((void)((fifo)->kfifo.out += (unsigned int)((n) / (fifo)->kfifo.esize)))
/* Where the elements stand, without a copy; for queues of elements. */
#define kfifo_out_linear(fifo, place, n) usermm_kfifo_linear(&(fifo)->kfifo, place, n)
#define kfifo_out_linear_ptr(fifo, pointer, n)				\
	({								\
		unsigned int linear_at_, linear_n_ = kfifo_out_linear(fifo, &linear_at_, n); \
									\
		*(pointer) = (USERMM_KFIFO_ELEMENT(fifo) *)(fifo)->kfifo.data + linear_at_; \
		linear_n_;						\
	})
/*
 * Bytes from and to memory of the calling program (uaccess.h): 0 and *copied, which are whole
 * elements; or -EFAULT.
 */
static inline int usermm_kfifo_user(struct __kfifo *fifo, char __user *buffer, size_t bytes,
				    unsigned int *copied, bool in)
{
	char element[256] __attribute__((aligned(16)));
	size_t esize = fifo->esize;
	unsigned int n = (unsigned int)(bytes / esize), done = 0;
	int error = 0;

	for (; done < n && esize <= sizeof(element); done++) {
		if (in) {
			if (fifo->in - smp_load_acquire(&fifo->out) > fifo->mask)
				break;
			if (copy_from_user(element, buffer + done * esize, esize)) {
				error = -EFAULT;
				break;
			}
			usermm_kfifo_in(fifo, element, 1);
		} else {
			if (!usermm_kfifo_peek(fifo, element, 1))
				break;
			if (copy_to_user(buffer + done * esize, element, esize)) {
				error = -EFAULT;
				break;
			}
			smp_store_release(&fifo->out, fifo->out + 1);
		}
	}
	*copied = (unsigned int)(done * esize);
	return error;
}

#define kfifo_to_user(fifo, to, bytes, copied) \
	usermm_kfifo_user(&(fifo)->kfifo, (char __user *)(to), bytes, copied, false)
#define kfifo_from_user(fifo, from, bytes, copied) \
	usermm_kfifo_user(&(fifo)->kfifo, (char __user *)(from), bytes, copied, true)
#define USERMM_KFIFO_LOCKED(call, lock)					\
	({								\
		unsigned long kfifo_flags_;				\
		unsigned int kfifo_n_;					\
									\
		spin_lock_irqsave(lock, kfifo_flags_);			\
		kfifo_n_ = call;					\
		spin_unlock_irqrestore(lock, kfifo_flags_);		\
		kfifo_n_;						\
	})
#define kfifo_in_spinlocked(fifo, buffer, n, lock) \
	USERMM_KFIFO_LOCKED(kfifo_in(fifo, buffer, n), lock)
#define kfifo_out_spinlocked(fifo, buffer, n, lock) \
	USERMM_KFIFO_LOCKED(kfifo_out(fifo, buffer, n), lock)
#define kfifo_in_locked(fifo, buffer, n, lock) kfifo_in_spinlocked(fifo, buffer, n, lock)
#define kfifo_out_locked(fifo, buffer, n, lock) kfifo_out_spinlocked(fifo, buffer, n, lock)

#endif
