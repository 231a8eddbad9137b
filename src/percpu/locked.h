/* SPDX-License-Identifier: MIT */
/*
 * The operations on arrays without restartable sequences: the slot of the CPU that
 * the thread is on when it looks, under that slot's lock. (Lists: cas_list.h.)
 *
 * The lock is only tried. A failure (another thread was preempted inside, or
 * this is a signal handler above the holder) counts as empty or full, and the
 * owner of the array goes its slow way. It does not matter that the thread may
 * move on to another CPU meanwhile: the lock, not the CPU, protects the slot.
 */
#ifndef PERCPU_LOCKED_H
#define PERCPU_LOCKED_H

#include "percpu/percpu.h"

void *locked_pop(struct percpu_array *array);
bool locked_push(struct percpu_array *array, void *item);
unsigned int locked_pop_n(struct percpu_array *array, void **out, unsigned int n);
unsigned int locked_push_n(struct percpu_array *array, void *const *in, unsigned int n);
/* The slot of the calling thread; perhaps there is none of that number. */
unsigned int locked_current_slot(void);
/* Is there one? If there may be, it is made. */
bool locked_slot_exists(unsigned int slot);
bool locked_prepare(struct percpu_array *array, uint32_t limit);

/*
 * One slot's lock, if it is free at once; waiting; its release. It has the highest
 * rank (os/lock.h): false for a signal handler above any slot's holder.
 */
bool locked_slot_try(unsigned int slot);
bool locked_slot_acquire(unsigned int slot);
void locked_slot_release(unsigned int slot);
/* Takes every slot's lock, waiting, and gives them back: around fork(). How many they are. */
unsigned int locked_all_acquire(void);
void locked_all_release(unsigned int nr);

#endif
