/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_FORK_H
#define PERCPU_FORK_H

/* Makes fork() safe at any time; called once, when the library is loaded. */
void percpu_register_fork_handlers(void);

#endif
