/* SPDX-License-Identifier: MIT */
/* Semaphores: down() waits until the count is positive. */
#ifndef KERNEL_LINUX_SEMAPHORE_H
#define KERNEL_LINUX_SEMAPHORE_H

#include <asm/smp.h>
#include <asm/spinlock.h>
#include <linux/list.h>
#include <linux/rwlock.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>
#include <linux/wait.h>
#include <usermm/compiler.h>

struct semaphore {
	unsigned int count;	/* Sync: wait.lock */
	wait_queue_head_t wait;
};

#define __SEMAPHORE_INITIALIZER(name, n) \
	{ .count = (n), .wait = __WAIT_QUEUE_HEAD_INITIALIZER((name).wait) }
#define DEFINE_SEMAPHORE_2(name, n) struct semaphore name = __SEMAPHORE_INITIALIZER(name, n)
#define DEFINE_SEMAPHORE_1(name) DEFINE_SEMAPHORE_2(name, 1)
#define DEFINE_SEMAPHORE_PICK(a, b, pick, ...) pick
/* Since Linux 6.4 the count is a second argument. */
#define DEFINE_SEMAPHORE(args...) \
	DEFINE_SEMAPHORE_PICK(args, DEFINE_SEMAPHORE_2, DEFINE_SEMAPHORE_1, )(args)

USERMM_BEGIN_DECLS

void sema_init(struct semaphore *sem, int count) USERMM_API(sema_init);
void down(struct semaphore *sem) USERMM_API(down);
int down_interruptible(struct semaphore *sem) USERMM_API(down_interruptible) __must_check;
int down_killable(struct semaphore *sem) USERMM_API(down_killable) __must_check;
/* Returns 0 if taken, unlike other trylocks. */
int down_trylock(struct semaphore *sem) USERMM_API(down_trylock) __must_check;
/* Waits at most so many jiffies. 0 or -ETIME. */
int down_timeout(struct semaphore *sem, long jiffies_left) USERMM_API(down_timeout) __must_check;
void up(struct semaphore *sem) USERMM_API(up);

USERMM_END_DECLS

#endif
