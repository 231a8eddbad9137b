/* SPDX-License-Identifier: MIT */
/* Threads and CPUs: functions that the runtime's files share. */
#ifndef KERNEL_CONTEXT_H
#define KERNEL_CONTEXT_H

#include <asm/current.h>
#include <linux/smp.h>

struct task_struct;
struct timer_list;

/* A function call on another CPU. It lies on its caller's stack until `done`. */
struct usermm_cpu_call {
	struct usermm_cpu_call *next;
	smp_call_func_t function;
	void *info;
	bool done;		/* Sync: atomic */
};

/*
 * The fence of the side that runs rarely; pairs with usermm_light_fence(), that of the side that
 * runs often (asm/current.h).
 */
void usermm_heavy_fence(void);

/* Waits until the timer's function has returned, if another thread is running it. */
void usermm_timer_wait(const struct timer_list *timer);

/* Runs the calls that other CPUs sent to this thread's CPU. A waiting thread calls it. */
void usermm_poll_calls(void);

/* Assigns the CPUs to the nodes again. */
void usermm_nodes_set_cpus(void);

/* The machine's processor for threads that are pinned to this CPU. */
int usermm_cpu_processor(unsigned int cpu);
/* thread is a pthread_t. */
void usermm_pin_thread(unsigned long thread, unsigned int cpu);
void usermm_unpin_thread(unsigned long thread);

/* A task with one reference, for a thread that does not exist yet; NULL without memory. */
struct task_struct *usermm_task_new(const char *comm, unsigned int flags);
/* memory/mmap.c: the memory that tasks other than kernel threads have. */
struct mm_struct *usermm_process_mm(void);
/* cred.c: gives the task root's credentials, which need no reference. */
void usermm_drop_creds(struct task_struct *task);
/* The task has ended, and has nothing more than its name, numbers and relatives. */
void usermm_task_strip(struct task_struct *task);

/* What /proc/PID/stat tells of a process. */
struct program_stat {
	char state;
	char comm[16];
	unsigned long fields[53];	/* from the fourth on, numbered as in proc(5) */
};
enum { STARTED = 22 };
/* pid 0: of this process. All is zero if it cannot be read. */
void usermm_program_stat(int pid, struct program_stat *stat);
/*
 * When the process or thread began, in the system's ticks: one that gets the same number later has
 * another start. 0: there is none, or it cannot be read.
 */
unsigned long usermm_program_started(int nr);
/*
 * The memory of a program that began then, and of which a thread's stat is this. It stays, and is
 * the same at each call until the program calls execve(). NULL without memory.
 */
struct mm_struct *usermm_program_mm(int pid, unsigned long started,
				    const struct program_stat *stat);
/* The task of the process that started this one. */
struct task_struct *usermm_process_parent(void);
/* kthreadd, whose children the kernel threads are. */
extern struct task_struct usermm_kthreadd;
extern struct sighand_struct usermm_sighand, usermm_kthread_sighand;
extern struct signal_struct usermm_signal_of_all;
/* Makes the calling thread this task. The thread takes over the reference. */
void usermm_task_enter(struct task_struct *task);

/* signal.c: the calling thread, which is no task yet, becomes the task of a program's thread. */
struct task_struct *usermm_program_enter(int tid, int pid, const char *comm);
/*
 * Gives a signal to the task itself, which is a thread of this process, even if the task stands for
 * a program of the machine. Returns 0.
 */
int usermm_raise(int signal, struct task_struct *task);

/* The registry of all threads that are tasks. */
void usermm_registry_lock(void);
void usermm_registry_unlock(void);
extern struct usermm_context *usermm_registry;	/* Sync: the registry's lock */

/* Moves the calling thread to this CPU, until the next call. The thread must hold no CPU. */
void usermm_cpu_switch(unsigned int cpu);

/*
 * Call it before the thread sleeps. A sleeping thread must not hold a CPU (docs/glossary.md), since
 * others could not run there. If it does, this is reported, and the CPU is released. Returns 0, or
 * the argument with which usermm_cpu_hold() holds a CPU again after the sleep.
 */
unsigned int usermm_let_go_of_cpu(const char *what);

#endif
