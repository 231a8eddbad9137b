/* SPDX-License-Identifier: MIT */
/* Functions to be called at a time, as soft interrupts of the CPU that asked. */
#ifndef KERNEL_LINUX_TIMER_H
#define KERNEL_LINUX_TIMER_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/timer_types.h>
#include <usermm/compiler.h>

#define TIMER_DEFERRABLE 0x00080000
#define TIMER_PINNED 0x00100000
#define TIMER_IRQSAFE 0x00200000

#define __TIMER_INITIALIZER(callback, timer_flags) \
	{ .function = (callback), .flags = (timer_flags) }
#define DEFINE_TIMER(name, callback) \
	struct timer_list name = __TIMER_INITIALIZER(callback, 0)
#define timer_setup(timer, callback, timer_flags) \
	((void)(*(timer) = (struct timer_list)__TIMER_INITIALIZER(callback, timer_flags)))
#define timer_setup_on_stack(timer, callback, flags) timer_setup(timer, callback, flags)
#define destroy_timer_on_stack(timer) ((void)(timer))
#define from_timer(var, callback_timer, field) \
	container_of(callback_timer, __typeof__(*(var)), field)
#define timer_container_of(var, callback_timer, field) from_timer(var, callback_timer, field)

/* A name of libc, for another kind of timer. */
#undef timer_delete
#define timer_delete usermm_kernel_timer_delete

USERMM_BEGIN_DECLS

int timer_pending(const struct timer_list *timer) USERMM_API(timer_pending);
/* 1 if it was pending. */
int mod_timer(struct timer_list *timer, unsigned long expires) USERMM_API(mod_timer);
/* The same for a timer that is pending; nothing, and 0, for another. */
int mod_timer_pending(struct timer_list *timer, unsigned long expires)
	USERMM_API(mod_timer_pending);
int timer_reduce(struct timer_list *timer, unsigned long expires) USERMM_API(timer_reduce);
void add_timer(struct timer_list *timer) USERMM_API(add_timer);
void add_timer_on(struct timer_list *timer, int cpu) USERMM_API(add_timer_on);
int timer_delete(struct timer_list *timer) __attribute__((visibility("default")));
/* And waits for the function if it runs. */
int timer_delete_sync(struct timer_list *timer) USERMM_API(timer_delete_sync);
/* -1 if the function runs. */
int try_to_del_timer_sync(struct timer_list *timer) USERMM_API(try_to_del_timer_sync);
/* For good: it cannot be started again. */
int timer_shutdown(struct timer_list *timer) USERMM_API(timer_shutdown);
int timer_shutdown_sync(struct timer_list *timer) USERMM_API(timer_shutdown_sync);

USERMM_END_DECLS

#define del_timer(timer) timer_delete(timer)
#define del_timer_sync(timer) timer_delete_sync(timer)
#define round_jiffies(j) (j)
#define round_jiffies_relative(j) (j)

#endif
