/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KREF_H
#define KERNEL_LINUX_KREF_H

#include <asm/smp.h>
#include <asm/spinlock.h>
#include <linux/refcount.h>
#include <linux/rwlock.h>
#include <linux/thread_info.h>

struct kref {
	refcount_t refcount;
};

#define KREF_INIT(n) { .refcount = REFCOUNT_INIT(n) }

static inline void kref_init(struct kref *kref)
{
	refcount_set(&kref->refcount, 1);
}

static inline unsigned int kref_read(const struct kref *kref)
{
	return refcount_read(&kref->refcount);
}

static inline void kref_get(struct kref *kref)
{
	refcount_inc(&kref->refcount);
}

static inline int __must_check kref_get_unless_zero(struct kref *kref)
{
	return refcount_inc_not_zero(&kref->refcount);
}

/* Returns 1 if this was the last reference; release() has then run. */
static inline int kref_put(struct kref *kref, void (*release)(struct kref *kref))
{
	if (!refcount_dec_and_test(&kref->refcount))
		return 0;
	release(kref);
	return 1;
}

#endif
