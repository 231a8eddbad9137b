/* SPDX-License-Identifier: MIT */
/* The order of locks is not recorded. Only assertions about interrupts and preemption work. */
#ifndef KERNEL_LINUX_LOCKDEP_H
#define KERNEL_LINUX_LOCKDEP_H

#include <asm/irqflags.h>
#include <asm/preempt.h>
#include <asm/processor.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

struct lock_class_key {
	char unused;
};

struct lockdep_map {
	char unused;
};

#define STATIC_LOCKDEP_MAP_INIT(name, key) { 0 }
#define lockdep_init_map(map, name, key, subclass) ((void)(key))
#define lockdep_set_class(lock, key) ((void)(key))
#define lockdep_set_class_and_name(lock, key, name) ((void)(key))
#define lockdep_set_subclass(lock, subclass) ((void)(lock))
#define lockdep_set_novalidate_class(lock) ((void)(lock))
#define lockdep_register_key(key) ((void)(key))
#define lockdep_unregister_key(key) ((void)(key))
#define lockdep_assert(condition) ((void)sizeof(condition))
#define lockdep_assert_once(condition) ((void)sizeof(condition))
#define lockdep_assert_held(lock) ((void)(lock))
#define lockdep_assert_held_write(lock) ((void)(lock))
#define lockdep_assert_held_read(lock) ((void)(lock))
#define lockdep_assert_held_once(lock) ((void)(lock))
#define lockdep_assert_not_held(lock) ((void)(lock))
#define lockdep_assert_none_held_once() ((void)0)
#define lockdep_is_held(lock) 1
#define lockdep_assert_irqs_enabled() WARN_ON_ONCE(irqs_disabled())
#define lockdep_assert_irqs_disabled() WARN_ON_ONCE(!irqs_disabled())
#define lockdep_assert_in_irq() WARN_ON_ONCE(!in_hardirq())
#define lockdep_assert_preemption_enabled() WARN_ON_ONCE(!preemptible())
#define lockdep_assert_preemption_disabled() WARN_ON_ONCE(preemptible())
#define lockdep_off() ((void)0)
#define lockdep_on() ((void)0)
/* As in a kernel without lockdep, the arguments are not evaluated. */
#define lock_acquire(map, subclass, try, read, check, nest, ip) do { } while (0)
#define lock_release(map, ip) do { } while (0)
#define lock_downgrade(map, ip) do { } while (0)
#define lock_acquire_exclusive(map, subclass, try, nest, ip) do { } while (0)
#define lock_acquire_shared(map, subclass, try, nest, ip) do { } while (0)
#define lock_acquire_shared_recursive(map, subclass, try, nest, ip) do { } while (0)
#define lock_map_acquire(map) ((void)(map))
#define lock_map_acquire_read(map) ((void)(map))
#define lock_map_acquire_try(map) ((void)(map))
#define lock_map_release(map) ((void)(map))
#define spin_acquire(map, subclass, try, ip) do { } while (0)
#define spin_release(map, ip) do { } while (0)
#define rwlock_acquire(map, subclass, try, ip) do { } while (0)
#define rwlock_acquire_read(map, subclass, try, ip) ((void)0)
#define rwlock_release(map, ip) do { } while (0)
#define mutex_acquire(map, subclass, try, ip) do { } while (0)
#define mutex_acquire_nest(map, subclass, try, nest, ip) do { } while (0)
#define mutex_release(map, ip) do { } while (0)
#define rwsem_acquire(map, subclass, try, ip) do { } while (0)
#define rwsem_acquire_read(map, subclass, try, ip) do { } while (0)
#define rwsem_release(map, ip) do { } while (0)
#define might_lock(lock) do { } while (0)
#define might_lock_read(lock) do { } while (0)
#define might_lock_nested(lock, subclass) do { } while (0)
#define debug_check_no_locks_freed(from, length) ((void)0)
#define debug_locks 0
#define debug_locks_off() 0
#define SINGLE_DEPTH_NESTING 1

#endif
