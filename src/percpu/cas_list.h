/* SPDX-License-Identifier: MIT */
/*
 * Lists of both kinds without restartable sequences: head and a transaction number
 * are changed by one compare-and-swap of 16 bytes, as Linux's SLUB does it; or, where the
 * processor has none, compared and changed under the slot's lock. It is the slot of the
 * CPU that the thread is on when it looks; moving on meanwhile does no harm, nor does a
 * signal handler that does the same: every change of the head makes the number another, so
 * the same head with the same number is the same list.
 *
 * An array cannot be had that way: a push that was preempted before its
 * compare-and-swap has already written its item where another's may be.
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
 * For remote.c, on the head of a list of either kind, which the number is behind:
 * exchanges the head whatever it is; *former is the old head. False, and nothing done, for a
 * signal handler above the holder of a slot's lock, where the swap needs that.
 */
bool cas_head_exchange(unsigned long *head, unsigned long new, unsigned long *former);

#endif
