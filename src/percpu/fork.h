/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_FORK_H
#define PERCPU_FORK_H

/*
 * Makes a child of fork() usable; called once, when the library is loaded. The
 * shared libraries are linked to be initialised first, since handlers that were
 * registered before these run while the locks are held and must not allocate.
 */
void percpu_register_fork_handlers(void);

#endif
