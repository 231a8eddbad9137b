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
 * A thread calls these before and after it changes data that mend() corrects in a fork child
 * (percpu_set_fork_child(), base/upward_hooks.h).
 */
void percpu_fork_change_begin(void);
void percpu_fork_change_end(void);

#endif
