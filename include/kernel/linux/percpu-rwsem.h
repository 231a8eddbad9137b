/* SPDX-License-Identifier: MIT */
/* The same as rwsem: readers are not cheaper here, as they are in the kernel. */
#ifndef KERNEL_LINUX_PERCPU_RWSEM_H
#define KERNEL_LINUX_PERCPU_RWSEM_H

#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/sysctl.h>

struct percpu_rw_semaphore {
	struct rw_semaphore sem;
};

#define DEFINE_PERCPU_RWSEM(name) \
	struct percpu_rw_semaphore name = { __RWSEM_INITIALIZER(name) }
#define DEFINE_STATIC_PERCPU_RWSEM(name) static DEFINE_PERCPU_RWSEM(name)
#define percpu_init_rwsem(s) ({ init_rwsem(&(s)->sem); 0; })
#define percpu_free_rwsem(s) ((void)(s))
#define percpu_down_read(s) down_read(&(s)->sem)
#define percpu_down_read_trylock(s) down_read_trylock(&(s)->sem)
#define percpu_up_read(s) up_read(&(s)->sem)
#define percpu_down_write(s) down_write(&(s)->sem)
#define percpu_up_write(s) up_write(&(s)->sem)

#endif
