/* SPDX-License-Identifier: MIT */
/* The rights of the library's own thread. */
#ifndef OS_RIGHTS_H
#define OS_RIGHTS_H

#include "base/compiler.h"

/*
 * Gives up, for good, what the calling thread may do beyond the library's work. To be called by the
 * library's thread before it does anything. As far as the system permits; errno stays.
 */
void rights_give_up(void);

/*
 * Says that the library's thread ends before libc's setuid() and its like run, and before the
 * process sets no_new_privs. To be called before there is such a thread.
 */
void rights_changes_are_seen(void);

#endif
