/* SPDX-License-Identifier: MIT */
/*
 * Stopping, emptying and starting another CPU's linked list: src/percpu/remote.c
 * with rseq_list_push and rseq_list_pop of src/percpu/rseq/x86_64.h.
 *
 * As percpu_stop.pml, with this difference: the head has the top item and the number in one word,
 * and pop commits the value that it has read from the item's first word. Whoever holds an item
 * writes to that word, so a pop that commits a word it read too late (ABA) makes a list that
 * check_content() sees.
 */
#define OWNERS 2
#define OBJECTS 2
#define STOP_TRIES 2
#define MAX 2			/* items in a list */

/* Words: the head, each object's first word. */
#define HEAD 0
#define WORDS (OBJECTS + 1)

#include "machine.pml"

#define make_head(item, nr) ((item) * 4 + (nr))
#define top(head) ((head) / 4)
#define number(head) ((head) % 4)

#ifdef CONTROL_STOPPED_IS_EMPTY
#define STOPPED make_head(0, 0)
#define stopped_before(head) false
#else
#define STOPPED make_head(0, MAX)
#define stopped_before(head) (head == STOPPED)
#endif
#define USERS_OWN make_head(OBJECTS + 1, 1)	/* no object */

/* Who may hold an object, besides the owners. */
#define SLOT OWNERS
#define DRAINER (OWNERS + 1)
#define POOL (OWNERS + 2)
#define NOBODY (OWNERS + 3)

byte holder[OBJECTS + 2];	/* of the objects; 0 and OBJECTS + 1 are none */

inline hand_over(object, from, to)
{
	assert(holder[object] == from);
	holder[object] = to
}

/* The list has the slot's objects, all of them and each once; its numbers are right. */
inline check_content(head)
{
	d_step {
		item = head;
		in_slot = number(head);
		do
		:: top(item) != 0 ->
			assert(holder[top(item)] == SLOT && number(item) == in_slot);
			in_slot--;
			item = word[top(item)]
		:: else -> break
		od;
		assert(item == 0 && in_slot == 0);
		assert(number(head) == (holder[1] == SLOT) + (holder[2] == SLOT));
		item = 0;
		in_slot = 0
	}
}

#define END in_sequence[me] = false; head = 0; item = 0

/* The holder of an object writes to it. */
#define WRITE(object)							\
	:: d_step { holder[object] == me && on == me && buffered < DEPTH -> \
		    store(object, USERS_OWN) }				\
	:: d_step { holder[object] == me && on != me -> word[object] = USERS_OWN }

proctype owner(byte me)
{
	byte head, item;

again:	if
	/* rseq_list_push */
	:: FIRST_STEP_IF((holder[1] == me || holder[2] == me),
		if
		:: holder[1] == me -> item = 1
		:: holder[2] == me -> item = 2
		fi;
		head = load(HEAD));
#ifndef CONTROL_COMMIT_FIRST
		STEP(if
		     :: number(head) == MAX -> END; goto again
		     :: else
		     fi);
		STORE(store(item, head));
		COMMIT(HEAD, make_head(item, number(head) + 1), hand_over(item, me, SLOT))
#else
		STORE(if
		      :: number(head) == MAX -> END; goto again
		      :: else
		      fi;
		      store(HEAD, make_head(item, number(head) + 1)); hand_over(item, me, SLOT));
		COMMIT(item, head, skip)
#endif

	/* rseq_list_pop */
	:: FIRST_STEP(head = load(HEAD);
		      item = top(head);
		      if
		      :: item == 0 -> END; goto again
		      :: else
		      fi);
		STEP(head = load(item));
		COMMIT(HEAD, head, hand_over(item, SLOT, me))

	WRITE(1)
	WRITE(2)

	/* what was drained comes back */
	:: atomic { holder[1] == POOL -> holder[1] = me }
	:: atomic { holder[2] == POOL -> holder[2] = me }
	fi;
	goto again
}

inline exchange_head(head)
{
	head = word[HEAD];
	word[HEAD] = STOPPED
}

proctype drainer()
{
	byte head;			/* struct percpu_stopped_list */
	byte tries, taken, item, in_slot;

	/* percpu_stop_list(). It meets no stopped head: the caller sees to that. */
again:	do
	:: d_step {
		tries < STOP_TRIES ->
		exchange_head(head);
		assert(!stopped_before(head));
		tries++
	   };
		if
		:: true -> membarrier()
		:: goto resume		/* refused */
		fi;
#ifndef CONTROL_NO_SECOND_LOOK
		if
		:: word[HEAD] == STOPPED -> goto stopped
		:: else
		fi
#else
		goto stopped
#endif
	:: tries == STOP_TRIES -> goto resume
	od;

	/* It gives up: one compare-and-swap. */
resume:	atomic {
		if
		:: word[HEAD] == STOPPED -> word[HEAD] = head
		:: else
		fi;
		head = 0;
		tries = 0
	};
	goto again;

stopped:
	check_content(head);
	if
	/* another stopper, against the rule: it is refused and has changed nothing */
	:: d_step { exchange_head(taken); assert(taken == STOPPED); taken = 0 }
	:: true
	fi;
	if
	/* takes the items, one after another */
	:: do
	   :: d_step {
		top(head) != 0 ->
		item = top(head);
		head = word[item];
		hand_over(item, SLOT, DRAINER);
		item = 0
	      }
	   :: top(head) == 0 -> break
	   od
	:: true
	fi;

	/* percpu_start_list(); what was taken goes where owners get it from */
	atomic { word[HEAD] = head };
	d_step {
		item = 1;
		do
		:: item <= OBJECTS ->
			if
			:: holder[item] == DRAINER -> holder[item] = POOL
			:: else
			fi;
			item++
		:: else -> break
		od;
		item = 0;
		head = 0;
		tries = 0
	};
	goto again
}

init {
	atomic {
		holder[0] = NOBODY;
		holder[1] = 0;
		holder[2] = 1;
		holder[OBJECTS + 1] = NOBODY;
		run kernel();
		run owner(0);
		run owner(1);
		run drainer()
	}
}
