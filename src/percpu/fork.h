/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_FORK_H
#define PERCPU_FORK_H

/*
 * Makes a child of fork() usable; called once, when the library is loaded. The
 * shared libraries are linked to be initialised first, since handlers that were
 * registered before these run while the locks are held and must not allocate.
 */
void percpu_register_fork_handlers(void);

/*
 * What such a child is told that has memory of its own. For one for which no handlers run it is
 * all, and the locks of its parent's other threads stay locked.
 */
void percpu_fork_child_begin(void);

/*
 * A change of what the mend() of a fork child counts (percpu_set_fork_child()) stands between
 * these two.
 */
void percpu_fork_change_begin(void);
void percpu_fork_change_end(void);

#endif
