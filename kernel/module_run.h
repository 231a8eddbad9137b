/* SPDX-License-Identifier: MIT */
/*
 * Running a program that is a module: main(), and the parts that it is made of.
 *
 * Module sources link with this library to an ordinary program. Constructors register
 * what module_init(), module_exit(), module_param() and kunit_test_suite() name; then
 * main() sets the parameters from its arguments, runs the initcalls in the order of the
 * link, the KUnit suites, the exits in reverse, and reports what memory is left.
 *
 * Exit status: 0 if every init returned 0 or -EAGAIN, which a module answers that has
 * done its work in init and does not want to stay; the errno of the init that failed;
 * 1 if a test failed; 2 for a parameter that does not exist or does not parse.
 */
#ifndef KERNEL_MODULE_RUN_H
#define KERNEL_MODULE_RUN_H

#include <stdbool.h>
#include <stddef.h>

enum { MODULE_EXIT_FAILED = 1, MODULE_EXIT_USAGE = 2 };

/* What the parent sends to have a thread's stack printed. */
#define MODULE_STACK_SIGNAL SIGQUIT

/*
 * The variable with a file's name, to which the addresses of a stack that is printed are
 * written: those of the program, as offsets in it, one a line. An empty line follows when a thread
 * has said all that it was asked for.
 */
#define MODULE_TRACE_FILE "USERMM_MODULE_TRACE"

struct kmem_cache;

int module_run(int argc, char **argv);

/* moduleparam.c: "name=value" or "name"; false after a line that says what is wrong. */
bool module_set_param(char *argument);

/* crash.c: the function and stack of whatever ends the process by a signal. */
void module_watch_crashes(void);
/*
 * For each thread: its handlers have a stack of their own, since its own may be what
 * has overflowed. Nothing is done where crashes are not watched.
 */
void crash_stack_make(void);
void crash_stack_drop(void);

/*
 * symbols.c: "function+0x12/0x80"; also for functions that are static. Else "FILE+0x12" in a
 * library, "0x1234" elsewhere.
 */
void symbol_text(const void *address, char *text, size_t size);
/* Is it in the program itself, which is the module, and not in a library? */
bool symbol_is_program(const void *address);
/* Where it stands in its file, as in the file's tables. */
unsigned long symbol_offset(const void *address);
/* Is it in the program or a library at all? */
bool symbol_is_known(const void *address);
/* A function of the program that is not static; NULL if there is none. */
void *symbol_find(const char *name);

/* sched.c: in_interrupt(), for what sees the core's headers. */
bool is_in_interrupt(void);

/* trace_console.c: a piece of the log for those who listen. */
void trace_console_text(const char *text, size_t length);

/* kfence.c: from now on the pool is seen, if there is one. */
void kfence_begin(void);

/* leaks.c: remembers what is in use; says what is used more since, if anything. */
void module_leaks_begin(void);
void module_leaks_report(void);
/* A cache that was asked for by that name is this one, of another name. */
void module_leaks_note_merged(const struct kmem_cache *cache, const char *name);

/* vmalloc.c: areas that have not been freed. */
size_t vmalloc_areas(unsigned long *bytes);
/* What mem_dump_obj() says of an address in an area; false if it is in none. */
bool vmalloc_describe(const void *address, char *text, size_t size);

/* percpu.c: bytes handed out for each CPU. */
size_t usermm_percpu_in_use(void);

/* rcupdate.c: rcu_barrier(), for files that see the core's headers. */
void module_rcu_barrier(void);

/*
 * slab_calls.c: kfree_rcu() of an object that is free already, or that waits for its turn as it
 * is, is told like any second free, and does not return; false: in a cache with consistency checks
 * it was told, and nothing is to be done. Else its mark says from here on that it waits, if that
 * is no byte of its own. caller: NULL if it is not known.
 */
bool usermm_kfree_rcu_begin(void *object, bool waits, const void *caller);
/* Its turn has come. */
void usermm_kfree_rcu_end(void *object);
/* Is it free already, in a cache without debugging? That is told, as above. */
void usermm_kfree_rcu_check_mark(const void *object, const void *caller);
/*
 * What the address in an object's second word is combined with where that is the mark of an object
 * that waits; 0: there is no memory to come up. The same ever after.
 */
unsigned long usermm_kfree_rcu_key(void);

/* rcupdate.c: does the object, of so many bytes, wait for its turn? */
bool usermm_kfree_rcu_has(const void *object, size_t bytes);

/*
 * What a module has left behind that would run when its code is gone: a line for each.
 * Threads that are on their way out are waited for; how many of them stay.
 */
unsigned int module_threads_report(void);
void module_timers_report(void);
void module_works_report(void);

/* printk.c: what is left of a line, unless the crash was in the middle of writing it. */
void usermm_printk_flush_crashed(void);

#endif
