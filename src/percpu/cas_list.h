/* SPDX-License-Identifier: MIT */
/*
 * Lists of both kinds without restartable sequences. One compare-and-swap of 16 bytes changes the
 * head and a transaction number, as in Linux's SLUB. Where the processor has no such instruction,
 * both words are compared and changed under the slot's lock.
 *
 * An operation works on the slot of the CPU that the thread is on when it looks. The thread may
 * move meanwhile, and a signal handler may use the same list: every change of the head also changes
 * the number, so the same head with the same number is the same list, and otherwise the swap fails.
 *
 * Arrays cannot work in this way. A push stores its item before its compare-and-swap. If it were
 * preempted in between and went on later, its store could overwrite another thread's item.
 */
#ifndef PERCPU_CAS_LIST_H
#define PERCPU_CAS_LIST_H

#include "percpu/percpu.h"
#include "percpu/tagged_list.h"

void *cas_list_pop(struct percpu_list *list);
bool cas_list_push(struct percpu_list *list, void *item);

void *cas_tagged_pop(struct percpu_tagged_list *list, unsigned long link_offset);
bool cas_tagged_push(struct percpu_tagged_list *list, void *item, unsigned long link_offset,
		     unsigned long mask);
bool cas_tagged_cas(struct percpu_tagged_list *list, unsigned long expected, unsigned long new);

/*
 * For remote.c: exchanges the head of a list of either kind, whatever it is; the number follows the
 * head in memory. *former is the old head. If the swap needs the slot's lock, and the caller is a
 * signal handler that interrupted a holder of a slot's lock, it does nothing and returns false.
 */
bool cas_head_exchange(unsigned long *head, unsigned long new, unsigned long *former);

#endif
