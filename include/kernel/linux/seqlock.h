/* SPDX-License-Identifier: MIT */
/* Sequence locks: a reader retries if a writer came in between. */
#ifndef KERNEL_LINUX_SEQLOCK_H
#define KERNEL_LINUX_SEQLOCK_H

#include <asm/smp.h>
#include <asm/spinlock.h>
#include <linux/mutex.h>
#include <linux/rwlock.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>

typedef struct seqcount {
	unsigned int sequence;	/* Sync: atomic; odd during a write */
} seqcount_t;

/* Kinds that name the writers' lock. The writers take it themselves. */
typedef seqcount_t seqcount_spinlock_t, seqcount_raw_spinlock_t, seqcount_rwlock_t,
	seqcount_mutex_t, seqcount_latch_t;

typedef struct {
	seqcount_t seqcount;
	spinlock_t lock;
} seqlock_t;

#define SEQCNT_ZERO(name) { 0 }
#define SEQCNT_SPINLOCK_ZERO(name, lock) { 0 }
#define SEQCNT_MUTEX_ZERO(name, lock) { 0 }
#define SEQCNT_LATCH_ZERO(name) { 0 }
#define seqcount_init(s) ((void)((s)->sequence = 0))
#define seqcount_spinlock_init(s, lock) seqcount_init(s)
#define seqcount_mutex_init(s, lock) seqcount_init(s)
#define seqcount_latch_init(s) seqcount_init(s)
#define __SEQLOCK_UNLOCKED(name) { { 0 }, __SPIN_LOCK_UNLOCKED(name) }
#define DEFINE_SEQLOCK(name) seqlock_t name = __SEQLOCK_UNLOCKED(name)
#define seqlock_init(s) ((void)(*(s) = (seqlock_t)__SEQLOCK_UNLOCKED(s)))

static inline unsigned int raw_read_seqcount(const seqcount_t *s)
{
	return __atomic_load_n(&s->sequence, __ATOMIC_ACQUIRE);
}

static inline unsigned int read_seqcount_begin(const seqcount_t *s)
{
	unsigned int sequence;

	while ((sequence = raw_read_seqcount(s)) & 1)
		cpu_relax();
	return sequence;
}

static inline int __read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
	return READ_ONCE(s->sequence) != start;
}

static inline int read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
	smp_rmb();
	return __read_seqcount_retry(s, start);
}

static inline void raw_write_seqcount_begin(seqcount_t *s)
{
	WRITE_ONCE(s->sequence, s->sequence + 1);
	/* The odd count before all stores of the writer. */
	smp_wmb();
}

static inline void raw_write_seqcount_end(seqcount_t *s)
{
	smp_wmb();
	WRITE_ONCE(s->sequence, s->sequence + 1);
}

static inline void write_seqcount_invalidate(seqcount_t *s)
{
	smp_wmb();
	WRITE_ONCE(s->sequence, s->sequence + 2);
}

#define __read_seqcount_begin(s) read_seqcount_begin(s)
#define raw_read_seqcount_begin(s) read_seqcount_begin(s)
#define raw_seqcount_begin(s) (raw_read_seqcount(s) & ~1u)
/* Preemption is off, since readers on the same CPU would otherwise wait for ever. */
#define write_seqcount_begin(s) \
	do { preempt_disable(); raw_write_seqcount_begin(s); } while (0)
#define write_seqcount_begin_nested(s, subclass) write_seqcount_begin(s)
#define write_seqcount_end(s) \
	do { raw_write_seqcount_end(s); preempt_enable(); } while (0)
#define raw_write_seqcount_latch(s) \
	do { smp_wmb(); WRITE_ONCE((s)->sequence, (s)->sequence + 1); smp_wmb(); } while (0)
#define raw_read_seqcount_latch(s) READ_ONCE((s)->sequence)
#define read_seqcount_latch(s) raw_read_seqcount(s)
#define read_seqcount_latch_retry(s, start) read_seqcount_retry(s, start)

#define read_seqbegin(s) read_seqcount_begin(&(s)->seqcount)
#define read_seqretry(s, start) read_seqcount_retry(&(s)->seqcount, start)
#define write_seqlock(s) \
	do { spin_lock(&(s)->lock); raw_write_seqcount_begin(&(s)->seqcount); } while (0)
#define write_sequnlock(s) \
	do { raw_write_seqcount_end(&(s)->seqcount); spin_unlock(&(s)->lock); } while (0)
#define write_seqlock_bh(s) \
	do { spin_lock_bh(&(s)->lock); raw_write_seqcount_begin(&(s)->seqcount); } while (0)
#define write_sequnlock_bh(s) \
	do { raw_write_seqcount_end(&(s)->seqcount); spin_unlock_bh(&(s)->lock); } while (0)
#define write_seqlock_irq(s) \
	do { spin_lock_irq(&(s)->lock); raw_write_seqcount_begin(&(s)->seqcount); } while (0)
#define write_sequnlock_irq(s) \
	do { raw_write_seqcount_end(&(s)->seqcount); spin_unlock_irq(&(s)->lock); } while (0)
#define write_seqlock_irqsave(s, flags) \
	do {								\
		spin_lock_irqsave(&(s)->lock, flags);			\
		raw_write_seqcount_begin(&(s)->seqcount);		\
	} while (0)
#define write_sequnlock_irqrestore(s, flags) \
	do {								\
		raw_write_seqcount_end(&(s)->seqcount);			\
		spin_unlock_irqrestore(&(s)->lock, flags);		\
	} while (0)
#define read_seqlock_excl(s) spin_lock(&(s)->lock)
#define read_sequnlock_excl(s) spin_unlock(&(s)->lock)

/* If *sequence is even, reads without the lock and may have to retry; if odd, takes the lock. */
static inline void read_seqbegin_or_lock(seqlock_t *s, int *sequence)
{
	if (*sequence & 1)
		read_seqlock_excl(s);
	else
		*sequence = (int)read_seqbegin(s);
}

static inline int need_seqretry(seqlock_t *s, int sequence)
{
	return !(sequence & 1) && read_seqretry(s, (unsigned int)sequence);
}

static inline void done_seqretry(seqlock_t *s, int sequence)
{
	if (sequence & 1)
		read_sequnlock_excl(s);
}

#endif
