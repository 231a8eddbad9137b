/* SPDX-License-Identifier: MIT */
/* A mutex; the system decides about priorities. */
#ifndef __LINUX_RT_MUTEX_H
#define __LINUX_RT_MUTEX_H

#include <linux/compiler.h>
#include <linux/linkage.h>
#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/spinlock_types.h>

struct rt_mutex {
	struct mutex usermm_mutex;
};

#define DEFINE_RT_MUTEX(name) \
	struct rt_mutex name = { __MUTEX_INITIALIZER(name.usermm_mutex) }
#define rt_mutex_init(lock) mutex_init(&(lock)->usermm_mutex)
#define rt_mutex_lock(lock) mutex_lock(&(lock)->usermm_mutex)
#define rt_mutex_lock_interruptible(lock) mutex_lock_interruptible(&(lock)->usermm_mutex)
#define rt_mutex_trylock(lock) mutex_trylock(&(lock)->usermm_mutex)
#define rt_mutex_unlock(lock) mutex_unlock(&(lock)->usermm_mutex)
#define rt_mutex_is_locked(lock) mutex_is_locked(&(lock)->usermm_mutex)
#define rt_mutex_destroy(lock) ((void)(lock))

#endif
