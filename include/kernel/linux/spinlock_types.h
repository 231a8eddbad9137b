/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SPINLOCK_TYPES_H
#define KERNEL_LINUX_SPINLOCK_TYPES_H

#include <asm/current.h>
#include <linux/lockdep.h>
#include <linux/types.h>

typedef struct raw_spinlock {
	struct usermm_lock raw_lock;
} raw_spinlock_t;

typedef struct spinlock {
	struct raw_spinlock rlock;
} spinlock_t;

/* A waiting writer keeps new readers out. Sync: lock. */
struct usermm_rwlock {
	struct usermm_lock lock;
	int readers;		/* -1: a writer */
	int writers_waiting;
	/* futex of waiters: odd if there are any; changes when one may go on. Sync: atomic */
	unsigned int turn;
};

typedef struct {
	struct usermm_rwlock raw_lock;
} rwlock_t;

#define __RAW_SPIN_LOCK_UNLOCKED(name) { { 0 } }
#define __SPIN_LOCK_UNLOCKED(name) { { { 0 } } }
#define __RW_LOCK_UNLOCKED(name) { { { 0 }, 0, 0, 0 } }
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = { { 0 } }
#define DEFINE_SPINLOCK(name) spinlock_t name = { { { 0 } } }
#define DEFINE_RWLOCK(name) rwlock_t name = { { { 0 }, 0, 0, 0 } }

#endif
