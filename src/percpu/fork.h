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
 * For one layer above, which may have a count of what other threads were about to do: in a
 * child that has fewer of them than its parent, when locks are free. Not if the thread that is
 * there is between the other two: a handler has forked, above what goes on in the child.
 */
void percpu_set_fork_child(void (*mend)(void));
/* For a layer below that one, in a library that may be without it. */
void percpu_set_fork_child_if_none(void (*mend)(void));
void percpu_fork_change_begin(void);
void percpu_fork_change_end(void);

#endif
