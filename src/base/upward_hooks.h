/* SPDX-License-Identifier: MIT */
/*
 * Upward hooks: all places where a layer calls code of a layer above it, or of the runtime for
 * kernel sources (kernel/), which is above all layers. Everything else calls downwards
 * (src/LAYERS). The upper side registers when it comes up; where it is missing, the hook is NULL
 * and not called.
 *
 *	hook				called by		set by
 *	background_set_work()		os/background.c		page/page_alloc.c
 *	background_stay()		os/background.c		api/control_requests.c
 *	os_fault_watch()		os/signal/segv_handler.c slab/kfence/kfence.c
 *	os_describe_hook		os/report/symbolize.c	kernel/memory/slab_report.c
 *	percpu_set_fork_child()		percpu/fork.c		malloc/mapped/mapped.c,
 *								slab/kmalloc/kvmalloc.c
 *	numa_set_node_id_hook()		page/zone.c		kernel/memory/zone_counts.c
 *	scopes_set_keeper()		page/scopes.c		kernel/memory/allocator_hooks.c
 *	release_set_keeper()		page/reclaim/release.c	slab/shrink.c
 *	release_set_mappings()		page/reclaim/release.c	malloc/mapped/mapped.c
 *	slab_rcu_hooks			slab/slab.c and others	kernel/memory/slab_calls.c
 *	slab_debug_hooks		slab/debug/		kernel/memory/slab_report.c,
 *								kernel/kunit/kunit_slab.c
 *	kv_hooks			slab/kmalloc/kvmalloc.c	kernel/memory/vmalloc.c
 *
 * Not here: what users of the library register through include/usermm/ (shrinkers, OOM notifiers,
 * constructors). tools/check_layers.py asks every file with a pointer to a function at file scope
 * to include this header.
 *
 * Kernel sources see this header: it has no macros, and the types of include/usermm/ alone.
 */
#ifndef BASE_UPWARD_HOOKS_H
#define BASE_UPWARD_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "usermm/compiler.h"
#include "usermm/gfp.h"

/* --- os ------------------------------------------------------------------------------ */

/*
 * Sets what the background thread does when it is woken. work() returns after how many milliseconds
 * it should run again, or 0 if not again. forget() drops work that was under way and will not be
 * finished. It runs in a fork child before the child has its locks back, and in the thread when it
 * has to end (background_suspend()). To be called before the first background_wake().
 */
void background_set_work(unsigned int (*work)(void), void (*forget)(void));

/*
 * From now on the background thread stays when it has nothing to do, and calls at_wake() each time
 * it wakes, before work(). It is made again after background_suspend() and in fork children. For
 * requests from outside the process (stats/control_request.h). To be called once, by a constructor,
 * after background_set_work().
 */
void background_stay(void (*at_wake)(void));

struct os_fault;
/*
 * Calls look() for every access to inaccessible memory, in the thread that made the access. If
 * look() returns true, the access is made once more. If not, the program gets the signal, as if
 * nobody had looked.
 *
 * May be called again. It must be called again after the program has set a handler: then the
 * library's handler comes first and the program's second. In a program with threads this happens
 * only after some dozens of calls in a row found the same handler. If a thread sets another handler
 * at that very moment, the one before it may be in force for as long as a system call takes.
 */
void os_fault_watch(bool (*look)(const struct os_fault *fault));

/*
 * If set, it describes addresses instead of os_describe_address() and os_describe_in_files().
 * kernel/ sets it: kernel sources become a program whose file is deleted at once, so offsets in it
 * tell nothing, and functions' names are needed. It is called under any lock, and in signal
 * handlers. Sync: written before there are threads
 */
extern void (*os_describe_hook)(const void *address, char *text, size_t size);

/* --- percpu -------------------------------------------------------------------------- */

/*
 * For one higher layer that counts what threads are about to do. Other threads of the parent are
 * missing in a fork child, so mend() corrects the counts there; locks are free then. If a signal
 * handler forks between percpu_fork_change_begin() and _end(), mend() is not called, because in the
 * child the interrupted change goes on.
 */
void percpu_set_fork_child(void (*mend)(void));
/*
 * As percpu_set_fork_child(), for a lower layer, in a library that may lack the higher one. Does
 * nothing if a function is set.
 */
void percpu_set_fork_child_if_none(void (*mend)(void));

/* --- page ---------------------------------------------------------------------------- */

/* For a runtime with CPUs of its own: hook() returns the node of the calling thread's CPU. */
void numa_set_node_id_hook(unsigned int (*hook)(void));

/*
 * The page layer keeps a thread's scopes (page/scopes.h) in a word of its own. The runtime for
 * kernel sources keeps more of them in the flags of `current`. This function reads and changes
 * these: it returns the thread's scopes, and afterwards adds some and takes others away.
 */
typedef unsigned int (*scopes_keeper)(unsigned int add, unsigned int take_away);
void scopes_set_keeper(scopes_keeper keeper);

/*
 * For one layer above that keeps free memory of its own. Both functions are called with no lock
 * held. give_back() gives all of it back to the page layer, when memory is trimmed or the budget is
 * used up. It returns the number of pages that it gave back to the system itself. decay() gives
 * back part of what nobody has used since the last call; repeated calls give back all of it. The
 * background thread calls decay() about once a second. decay() returns the bytes that are still
 * kept, without those that it cannot give back.
 */
void release_set_keeper(unsigned long (*give_back)(void), size_t (*decay)(void));
/*
 * For one layer above that keeps free mappings of its own. unmap() gives this many bytes back to
 * the system, or all if there are fewer. It is called when the window is about to grow, under
 * page_grow_lock, with the number of bytes by which it grows; and with SIZE_MAX when give_back()
 * above is called. decay() unmaps what nobody has needed since the last call, and returns how many
 * bytes are left. It is called about once a second with no lock held, by the background thread or
 * by a thread that allocates.
 */
void release_set_mappings(void (*unmap)(size_t bytes), size_t (*decay)(void));

/* --- slab ---------------------------------------------------------------------------- */

/*
 * How slabs of SLAB_TYPESAFE_BY_RCU go back. call() calls the function when all present readers are
 * done; it may use the 16 bytes at head until then. barrier() waits for all such calls. Without
 * these hooks such caches keep their slabs. call() may run with RANK_BARNS held, so it takes no
 * lock and allocates nothing. has() is asked before an object of `bytes` bytes is freed: is
 * kfree_rcu() already going to free it? Sync: set by constructors, before caches are made.
 */
struct slab_rcu_hooks {
	void (*call)(void *head, void (*function)(void *head));
	void (*barrier)(void);
	bool (*has)(const void *object, size_t bytes);
};
extern struct slab_rcu_hooks slab_rcu_hooks USERMM_API(slab_rcu_hooks);

/*
 * What a program around the library adds to reports. Sync: set before caches are used, by
 * constructors. Called under a cache's lock, so none of them may allocate from here.
 */
struct slab_debug_hooks {
	/* True if a test counts this error; then nothing is said. */
	bool (*count_error)(void);
	/* True if errors are being counted. */
	bool (*counts_errors)(void);
	/* Prints one line of a report. Without this hook the line goes to stderr. */
	void (*line)(const char *text);
	/*
	 * Prints the rest of a line whose beginning another part of the program has printed.
	 * Without this hook the text goes to stderr as a line of its own.
	 */
	void (*rest)(const char *text);
	/* What lies at an address in no slab; false if that is not known. */
	bool (*other)(const void *address, char *text, size_t size);
	/* Prints the stack after a report. */
	void (*stack)(void);
	/*
	 * Ends the process with this reason. Without this hook the reason goes to stderr as one
	 * line, and abort() follows.
	 */
	void (*panic)(const char *text);
};
extern struct slab_debug_hooks slab_debug_hooks USERMM_API(slab_debug_hooks);

/*
 * The vmalloc() of the layer for kernel sources (kernel/): memory that these sources take for not
 * physically contiguous. owns() may be asked about any address; free() and resize() get only
 * addresses that it owns. Sync: set by constructors.
 */
struct kv_hooks {
	void *(*alloc)(size_t bytes, gfp_t gfp, int nid, const void *caller);
	bool (*owns)(const void *object);
	void (*free)(const void *object);
	void *(*resize)(const void *object, size_t bytes, gfp_t gfp);
};
extern struct kv_hooks kv_hooks USERMM_API(kv_hooks);

#endif
