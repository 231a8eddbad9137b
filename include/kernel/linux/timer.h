/* SPDX-License-Identifier: MIT */
/* Timers: their functions run as soft interrupts of the CPU that started the timer. */
#ifndef KERNEL_LINUX_TIMER_H
#define KERNEL_LINUX_TIMER_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/timekeeping.h>
#include <linux/timer_types.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define TIMER_DEFERRABLE 0x00080000
#define TIMER_PINNED 0x00100000
#define TIMER_IRQSAFE 0x00200000

/* The function takes `data`, as all did up to Linux 4.14. */
#define USERMM_TIMER_OF_DATA 0x80000000u

#define __TIMER_INITIALIZER(callback, timer_flags) \
	{ .function = (usermm_timer_function_t)(callback), .flags = (timer_flags) }
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
#define TIMER_INITIALIZER(callback, when, argument)			\
	{ .function = (callback), .expires = (when), .data = (argument), \
	  .flags = USERMM_TIMER_OF_DATA }
#define DEFINE_TIMER(name, callback, when, argument) \
	struct timer_list name = TIMER_INITIALIZER(callback, when, argument)
#define init_timer(timer) \
	((void)(*(timer) = (struct timer_list){ .flags = USERMM_TIMER_OF_DATA }))
#define init_timer_on_stack(timer) init_timer(timer)
#define init_timer_deferrable(timer) init_timer(timer)
#define init_timer_pinned(timer) init_timer(timer)
#define setup_timer(timer, callback, argument) \
	((void)(*(timer) = (struct timer_list)TIMER_INITIALIZER(callback, 0, argument)))
#define setup_timer_on_stack(timer, callback, argument) setup_timer(timer, callback, argument)
#define setup_deferrable_timer(timer, callback, argument) setup_timer(timer, callback, argument)
#define setup_pinned_timer(timer, callback, argument) setup_timer(timer, callback, argument)
#else
#define DEFINE_TIMER(name, callback) \
	struct timer_list name = __TIMER_INITIALIZER(callback, 0)
#endif
#define TIMER_DATA_TYPE unsigned long
#define TIMER_FUNC_TYPE usermm_timer_function_t
#define timer_setup(timer, callback, timer_flags) \
	((void)(*(timer) = (struct timer_list)__TIMER_INITIALIZER(callback, timer_flags)))
#define timer_setup_on_stack(timer, callback, flags) timer_setup(timer, callback, flags)
#define destroy_timer_on_stack(timer) ((void)(timer))
#define timer_destroy_on_stack(timer) ((void)(timer))
#define timer_container_of(var, callback_timer, field) \
	container_of(callback_timer, __typeof__(*(var)), field)
#define from_timer(var, callback_timer, field) timer_container_of(var, callback_timer, field)

/* libc has a function of this name, for another kind of timer. */
#undef timer_delete
#define timer_delete usermm_kernel_timer_delete

USERMM_BEGIN_DECLS

int timer_pending(const struct timer_list *timer) USERMM_API(timer_pending);
/* Starts or restarts the timer. Returns 1 if it was pending. */
int mod_timer(struct timer_list *timer, unsigned long expires) USERMM_API(mod_timer);
/* Restarts a pending timer and returns 1; no effect, and 0, if it is not pending. */
int mod_timer_pending(struct timer_list *timer, unsigned long expires)
	USERMM_API(mod_timer_pending);
int timer_reduce(struct timer_list *timer, unsigned long expires) USERMM_API(timer_reduce);
void add_timer(struct timer_list *timer) USERMM_API(add_timer);
void add_timer_on(struct timer_list *timer, int cpu) USERMM_API(add_timer_on);
int timer_delete(struct timer_list *timer) __attribute__((visibility("default")));
/* Also waits for the function if it is running. */
int timer_delete_sync(struct timer_list *timer) USERMM_API(timer_delete_sync);
/* -1, with no effect, if the function is running. */
int timer_delete_sync_try(struct timer_list *timer) USERMM_API(try_to_del_timer_sync);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define try_to_del_timer_sync timer_delete_sync_try
#else
USERMM_REMOVED(try_to_del_timer_sync, "6.16", "timer_delete_sync_try()")
#endif
/* Stop the timer for good: it cannot be started again. */
int timer_shutdown(struct timer_list *timer) USERMM_API(timer_shutdown);
int timer_shutdown_sync(struct timer_list *timer) USERMM_API(timer_shutdown_sync);

USERMM_END_DECLS

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
static inline int del_timer(struct timer_list *timer)
{
	return timer_delete(timer);
}

static inline int del_timer_sync(struct timer_list *timer)
{
	return timer_delete_sync(timer);
}
#else
USERMM_REMOVED(del_timer, "6.15", "timer_delete()")
USERMM_REMOVED(del_timer_sync, "6.15", "timer_delete_sync()")
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define del_singleshot_timer_sync(timer) del_timer_sync(timer)
#else
USERMM_REMOVED(del_singleshot_timer_sync, "6.2", "timer_delete_sync()")
#endif

/* No rounding: timers need not be grouped to save wake-ups. */
static inline unsigned long round_jiffies(unsigned long j)
{
	return j;
}

#define round_jiffies_relative(j) round_jiffies(j)
#define round_jiffies_up(j) round_jiffies(j)
#define round_jiffies_up_relative(j) round_jiffies(j)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define __round_jiffies(j, cpu) round_jiffies(j)
#else
USERMM_REMOVED(__round_jiffies, "6.16", "round_jiffies()")
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#undef from_timer
USERMM_REMOVED(from_timer, "6.16", "timer_container_of()")
#undef destroy_timer_on_stack
USERMM_REMOVED(destroy_timer_on_stack, "6.16", "timer_destroy_on_stack()")
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 15, 0)
USERMM_REMOVED(TIMER_INITIALIZER, "4.15", "DEFINE_TIMER()")
USERMM_REMOVED(init_timer, "4.15", "timer_setup()")
USERMM_REMOVED(init_timer_on_stack, "4.15", "timer_setup_on_stack()")
USERMM_REMOVED(init_timer_deferrable, "4.15", "timer_setup()")
USERMM_REMOVED(init_timer_pinned, "4.15", "timer_setup()")
USERMM_REMOVED(setup_timer, "4.15", "timer_setup()")
USERMM_REMOVED(setup_timer_on_stack, "4.15", "timer_setup_on_stack()")
USERMM_REMOVED(setup_deferrable_timer, "4.15", "timer_setup()")
USERMM_REMOVED(setup_pinned_timer, "4.15", "timer_setup()")
#endif

#endif
