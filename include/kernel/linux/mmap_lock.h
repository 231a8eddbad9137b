/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MMAP_LOCK_H
#define KERNEL_LINUX_MMAP_LOCK_H

#include <linux/mm_types.h>
#include <linux/page-flags-layout.h>
#include <linux/percpu_counter.h>
#include <linux/rwsem.h>

#define mmap_read_lock(mm) down_read(&(mm)->mmap_lock)
#define mmap_read_lock_killable(mm) (down_read(&(mm)->mmap_lock), 0)
#define mmap_read_trylock(mm) down_read_trylock(&(mm)->mmap_lock)
#define mmap_read_unlock(mm) up_read(&(mm)->mmap_lock)
#define mmap_write_lock(mm) down_write(&(mm)->mmap_lock)
#define mmap_write_unlock(mm) up_write(&(mm)->mmap_lock)
#define mmap_write_downgrade(mm) downgrade_write(&(mm)->mmap_lock)
#define mmap_assert_locked(mm) ((void)(mm))

#endif
