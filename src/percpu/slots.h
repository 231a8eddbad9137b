/* SPDX-License-Identifier: MIT */
/*
 * Where the slots are, and how many there are.
 *
 * There may be as many slots as possible CPUs. On a large machine these are hundreds of MiB: most
 * of what RLIMIT_AS or RLIMIT_DATA allow a process, charged to each process where memory is not
 * overcommitted, and resident under mlockall(2). Few slots are used, since mm_cid is mostly below
 * the number of threads. So a process begins with a few slots. When a thread has a slot index
 * without a slot, all slots up to this one are made.
 *
 * The addresses behind the first slots are reserved for later ones. Under RLIMIT_AS they are not,
 * because reserved addresses count for that limit. Then the slots are placed where the addresses
 * behind them will probably stay free.
 *
 * A slot that was made stays.
 */
#ifndef PERCPU_SLOTS_H
#define PERCPU_SLOTS_H

#include "base/compiler.h"

/* How many slots a process begins with. Sync: written before percpu_init(), by tests. */
extern unsigned int percpu_first_slots;

/*
 * Maps the first slots and prepares for `wanted` slots in all, or for fewer if the system grants no
 * more. Sets percpu.slots, and *nr to the number of first slots. Returns 0 or a negative errno.
 */
int percpu_slots_init(unsigned int wanted, unsigned int *nr);
/* Makes the slots up to this one. False if that is impossible, or not allowed in this context. */
bool percpu_slot_make(unsigned int slot) slow_path;
/*
 * Gives back the reserved addresses behind the slots, for a program that now runs under RLIMIT_AS.
 * False if it gave back nothing.
 */
bool percpu_slots_give_up_reservation(void);

#endif
