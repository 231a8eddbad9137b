/* SPDX-License-Identifier: MIT */
/* What the runtime's files know of one another's threads and CPUs. */
#ifndef KERNEL_CONTEXT_H
#define KERNEL_CONTEXT_H

#include <asm/current.h>
#include <linux/smp.h>

struct task_struct;
struct timer_list;

/* On its caller's stack, until done. */
struct usermm_cpu_call {
	struct usermm_cpu_call *next;
	smp_call_func_t function;
	void *info;
	bool done;		/* Sync: atomic */
};

/* Until the timer's function has ended, if it is under way in another thread. */
void usermm_timer_wait(const struct timer_list *timer);

/* While this thread waits: what others want of the CPU that it holds. */
void usermm_poll_calls(void);

/* The CPUs are dealt out to the nodes anew. */
void usermm_nodes_set_cpus(void);

/* The processor that a thread of this CPU alone runs on. */
int usermm_cpu_processor(unsigned int cpu);
/* thread is a pthread_t. */
void usermm_pin_thread(unsigned long thread, unsigned int cpu);
void usermm_unpin_thread(unsigned long thread);

/* A task with one reference, for a thread that is to be; NULL without memory. */
struct task_struct *usermm_task_new(const char *comm, unsigned int flags);
/* The calling thread is this task from now on, and owns the reference. */
void usermm_task_enter(struct task_struct *task);

/* The registry of threads: every one that is a task. */
void usermm_registry_lock(void);
void usermm_registry_unlock(void);
extern struct usermm_context *usermm_registry;	/* Sync: the registry's lock */

/* The thread belongs to this CPU until it is told otherwise; it must hold none. */
void usermm_cpu_switch(unsigned int cpu);

/*
 * Nothing of this thread holds a CPU while it sleeps, as a CPU would run others: says so
 * if it does, and lets go. What usermm_cpu_hold() takes back afterwards, or 0.
 */
unsigned int usermm_let_go_of_cpu(const char *what);

#endif
