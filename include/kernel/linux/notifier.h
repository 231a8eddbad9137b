/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_NOTIFIER_H
#define _LINUX_NOTIFIER_H

#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/types.h>
#include <usermm/notifier.h>

struct atomic_notifier_head {
	spinlock_t lock;
	struct notifier_block *head;	/* Sync: lock */
};

struct blocking_notifier_head {
	struct rw_semaphore rwsem;
	struct notifier_block *head;	/* Sync: rwsem */
};

struct raw_notifier_head {
	struct notifier_block *head;	/* Sync: the chain's owner locks */
};

#define ATOMIC_NOTIFIER_INIT(name) { .lock = __SPIN_LOCK_UNLOCKED((name).lock) }
#define BLOCKING_NOTIFIER_INIT(name) { .rwsem = __RWSEM_INITIALIZER((name).rwsem) }
#define RAW_NOTIFIER_INIT(name) { .head = NULL }
#define ATOMIC_NOTIFIER_HEAD(name) \
	struct atomic_notifier_head name = ATOMIC_NOTIFIER_INIT(name)
#define BLOCKING_NOTIFIER_HEAD(name) \
	struct blocking_notifier_head name = BLOCKING_NOTIFIER_INIT(name)
#define RAW_NOTIFIER_HEAD(name) struct raw_notifier_head name = RAW_NOTIFIER_INIT(name)
#define ATOMIC_INIT_NOTIFIER_HEAD(name) \
	do { spin_lock_init(&(name)->lock); (name)->head = NULL; } while (0)
#define BLOCKING_INIT_NOTIFIER_HEAD(name) \
	do { init_rwsem(&(name)->rwsem); (name)->head = NULL; } while (0)
#define RAW_INIT_NOTIFIER_HEAD(name) do { (name)->head = NULL; } while (0)

static inline int notifier_from_errno(int error)
{
	return error ? NOTIFY_STOP_MASK | (NOTIFY_OK - error) : NOTIFY_OK;
}

static inline int notifier_to_errno(int result)
{
	result &= ~NOTIFY_STOP_MASK;
	return result > NOTIFY_OK ? NOTIFY_OK - result : 0;
}

/* Blocks with a higher priority come first. -EEXIST if the block is on the chain already. */
static inline int raw_notifier_chain_register(struct raw_notifier_head *chain,
					      struct notifier_block *block)
{
	struct notifier_block **link = &chain->head;

	for (; *link && (*link)->priority >= block->priority; link = &(*link)->next)
		if (*link == block)
			return -EEXIST;
	block->next = *link;
	/* release: a reader of an atomic chain may follow the link meanwhile */
	__atomic_store_n(link, block, __ATOMIC_RELEASE);
	return 0;
}

static inline int raw_notifier_chain_unregister(struct raw_notifier_head *chain,
						struct notifier_block *block)
{
	for (struct notifier_block **link = &chain->head; *link; link = &(*link)->next)
		if (*link == block) {
			__atomic_store_n(link, block->next, __ATOMIC_RELEASE);
			return 0;
		}
	return -ENOENT;
}

static inline int raw_notifier_call_chain(struct raw_notifier_head *chain, unsigned long action,
					  void *data)
{
	struct notifier_block *block = __atomic_load_n(&chain->head, __ATOMIC_ACQUIRE), *next;
	int result = NOTIFY_DONE;

	for (; block && !(result & NOTIFY_STOP_MASK); block = next) {
		/* Read `next` first: the call may free the block. */
		next = __atomic_load_n(&block->next, __ATOMIC_ACQUIRE);
		result = block->notifier_call(block, action, data);
	}
	return result;
}

/*
 * Defines a kind of chain. lock and unlock surround a change, before and after surround the calls;
 * gone runs after a removal.
 */
#define USERMM_NOTIFIER_CHAIN(kind, lock, unlock, gone, before, after)	\
	static inline int kind##_notifier_chain_register(		\
		struct kind##_notifier_head *chain, struct notifier_block *block) \
	{								\
		int error;						\
									\
		lock;							\
		error = raw_notifier_chain_register(			\
			(struct raw_notifier_head *)&chain->head, block); \
		unlock;							\
		return error;						\
	}								\
	static inline int kind##_notifier_chain_unregister(		\
		struct kind##_notifier_head *chain, struct notifier_block *block) \
	{								\
		int error;						\
									\
		lock;							\
		error = raw_notifier_chain_unregister(			\
			(struct raw_notifier_head *)&chain->head, block); \
		unlock;							\
		gone;							\
		return error;						\
	}								\
	static inline int kind##_notifier_call_chain(			\
		struct kind##_notifier_head *chain, unsigned long action, void *data) \
	{								\
		int result;						\
									\
		before;							\
		result = raw_notifier_call_chain(			\
			(struct raw_notifier_head *)&chain->head, action, data); \
		after;							\
		return result;						\
	}

USERMM_NOTIFIER_CHAIN(blocking, down_write(&chain->rwsem), up_write(&chain->rwsem), (void)0,
		      down_read(&chain->rwsem), up_read(&chain->rwsem))
USERMM_NOTIFIER_CHAIN(atomic, spin_lock(&chain->lock),
		      spin_unlock(&chain->lock), synchronize_rcu(),
		      rcu_read_lock(), rcu_read_unlock())

#endif
