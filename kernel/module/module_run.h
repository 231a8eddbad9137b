/* SPDX-License-Identifier: MIT */
/*
 * Runs a module as a program: main() and its parts.
 *
 * Module sources are linked with this library to an ordinary program. Constructors register
 * everything that module_init(), module_exit(), module_param() and kunit_test_suite() name. Then
 * main() sets the parameters from its arguments, runs the initcalls in link order, the KUnit suites
 * and the exits in reverse order, and reports memory that is still in use.
 *
 * Exit status: 0 if every init returned 0 or -EAGAIN (a module returns -EAGAIN if it did all its
 * work in init and need not stay loaded); the errno of the init that failed; 1 if a test failed; 2
 * for an unknown or malformed parameter. If all is well so far and a program ran (`--`), its exit
 * status, or 128 and the signal that ended it.
 */
#ifndef KERNEL_MODULE_RUN_H
#define KERNEL_MODULE_RUN_H

#include <stdbool.h>
#include <stddef.h>

enum { MODULE_EXIT_FAILED = 1, MODULE_EXIT_USAGE = 2 };

/* The parent sends this signal to have a thread's stack printed. */
#define MODULE_STACK_SIGNAL SIGQUIT

/*
 * Environment variable with the name of a file. Whenever a stack is printed, its addresses within
 * the program are written to this file, as offsets in the program, one a line. An empty line ends
 * each thread's answer.
 */
#define MODULE_TRACE_FILE "USERMM_MODULE_TRACE"

struct kmem_cache;
struct module;

/*
 * The arguments are parameters. A `--` ends them; then a program follows that runs between init and
 * exit, and may open the module's files (files/script.c).
 */
int module_run(int argc, char **argv);

/* moduleparam.c: sets "name=value" or "name". False after a one-line message. */
bool module_set_param(char *argument);

/* The modules' parameters, a list in the order of the sources. */
struct kernel_param;
const struct kernel_param *module_params(void);

/*
 * modules.c: the modules of the run. _join() comes first: with only one module all sources are its.
 * _state() notes and tells what a module of that name does now: an enum module_state.
 */
void modules_join(const char *only);
void modules_state(const char *name, int state);
/* Before the exit: reports who still uses the module; nobody gets it any more. */
void modules_leave(const char *name);
/* The loaded module behind this one; NULL: the first. */
struct module *module_next(const struct module *module);

/* crash.c: if a signal ends the process, prints the function and the stack. */
void module_watch_crashes(void);
/*
 * Give the calling thread a signal stack, and free it: a handler cannot run on a stack that has
 * overflowed. No effect if crashes are not watched.
 */
void crash_stack_make(void);
void crash_stack_drop(void);

/*
 * printk/symbols.c: describes a code address as "function+0x12/0x80", also for static functions of
 * the program; as "FILE+0x12" in a library; as "0x1234" elsewhere.
 */
void symbol_text(const void *address, char *text, size_t size);
/* Is the address in the program itself (the module), not in a library? */
bool symbol_is_program(const void *address);
/* The address minus the load address of its file: the number that the file's tables have. */
unsigned long symbol_offset(const void *address);
/* Is the address in the program or in a library? */
bool symbol_is_known(const void *address);
/* The program's non-static function of that name; NULL if there is none. */
void *symbol_find(const char *name);

/* sched/sched.c: in_interrupt(), for files that include the core's headers. */
bool is_in_interrupt(void);

/* printk/trace_console.c: passes a piece of the log to the probes. */
void trace_console_text(const char *text, size_t length);

/* memory/kfence.c: sets __kfence_pool, if there is a pool. */
void kfence_begin(void);

/* leaks.c: _begin() records what is in use, _report() reports what is used more since then. */
void module_leaks_begin(void);
void module_leaks_report(void);
/* A cache of that name was merged into this cache, which has another name. */
void module_leaks_note_merged(const struct kmem_cache *cache, const char *name);

/* memory/vmalloc.c: number and bytes of the areas that were not freed. */
size_t vmalloc_areas(unsigned long *bytes);
/* Describes an address in an area for mem_dump_obj(); false if it is in none. */
bool vmalloc_describe(const void *address, char *text, size_t size);

/* memory/percpu.c: bytes of per-CPU memory in use, for one CPU. */
size_t usermm_percpu_in_use(void);

/* locking/rcupdate.c: rcu_barrier(), for files that include the core's headers. */
void module_rcu_barrier(void);

/*
 * memory/slab_calls.c: the beginning of kfree_rcu(). waits: the object waits for a grace period
 * already. Returns true if the object may be freed later. From then on the object's mark
 * (docs/glossary.md) says that the object waits, if the mark is outside of the object.
 *
 * If the object waits or is free already, that is reported like any second free, and the process
 * ends. In a cache with consistency checks the process does not end; the result is false, and the
 * caller frees nothing. caller may be NULL.
 */
bool usermm_kfree_rcu_begin(void *object, bool waits, const void *caller);
/* The grace period is over: the object no longer waits. */
void usermm_kfree_rcu_end(void *object);
/* If the object is free already and its cache has no debugging: reports it, ends the process. */
void usermm_kfree_rcu_check_mark(const void *object, const void *caller);
/*
 * The key for the marks of waiting objects. Such a mark is an address combined with this key, in
 * the object's second word. Constant; 0 if there was no memory to initialise the library.
 */
unsigned long usermm_kfree_rcu_key(void);

/* locking/rcupdate.c: does this object, of so many bytes, wait for its grace period? */
bool usermm_kfree_rcu_has(const void *object, size_t bytes);

/*
 * Report, one line each, what a module has left behind that would run after its code is gone.
 * module_threads_report() waits for threads that are about to end, and returns how many stay.
 */
unsigned int module_threads_report(void);
void module_timers_report(void);
void module_works_report(void);

/* printk/printk.c: after a crash, writes an unfinished line, unless the crash was in writing it. */
void usermm_printk_flush_crashed(void);

#endif
