/* SPDX-License-Identifier: MIT */
/*
 * Where the slots are.
 *
 * There may be as many as CPUs are possible, and on a large machine these are hundreds of MiB:
 * most of what a process may have by RLIMIT_AS or RLIMIT_DATA, charged to each process where
 * memory is not overcommitted, and resident under mlockall(2). Few of them are used, since mm_cid
 * is less than the number of threads. So there are a few at first, and the others, up to the one
 * that is wanted, are made when a thread comes that would use it and finds none. What comes behind
 * them is reserved; or chosen, as the window is, where addresses count.
 *
 * A slot that was made stays.
 */
#ifndef PERCPU_SLOTS_H
#define PERCPU_SLOTS_H

#include "base/compiler.h"

/* How many there are at first. Sync: written before percpu_init(), by tests. */
extern unsigned int percpu_first_slots;

/*
 * The first slots, of so many that there may be, or of fewer if the system grants no more. 0, with
 * percpu.slots and their number, or an error.
 */
int percpu_slots_init(unsigned int wanted, unsigned int *nr);
/* There is that one from now on. False if there cannot be, or not in this context. */
bool percpu_slot_make(unsigned int slot) slow_path;
/* For a program that has come to live under RLIMIT_AS. False if nothing was to be had. */
bool percpu_slots_give_up_reservation(void);

#endif
