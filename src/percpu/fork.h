/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_FORK_H
#define PERCPU_FORK_H

/*
 * Registers the handlers that make children of fork() usable. Called once, when the library is
 * loaded. The shared libraries are linked so that they are initialised first: handlers registered
 * before these run while locks are held, so such handlers must not allocate.
 */
void percpu_register_fork_handlers(void);

/*
 * Tells the library that it now runs in a child with memory of its own. A child for which no fork
 * handlers run (clone()) calls only this; there the locks that other threads of its parent held
 * stay locked.
 */
void percpu_fork_child_begin(void);

/*
 * For one higher layer that counts what threads are about to do. Other threads of the parent are
 * missing in a fork child, so mend() corrects the counts there; locks are free then. A thread
 * brackets its own changes by begin and end. If a signal handler forks between the two, mend() is
 * not called, because in the child the interrupted change goes on.
 */
void percpu_set_fork_child(void (*mend)(void));
/*
 * As percpu_set_fork_child(), for a lower layer, in a library that may lack the higher one. Does
 * nothing if a function is set.
 */
void percpu_set_fork_child_if_none(void (*mend)(void));
void percpu_fork_change_begin(void);
void percpu_fork_change_end(void);

#endif
