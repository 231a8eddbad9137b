/* SPDX-License-Identifier: MIT */
/*
 * Stopping and starting another CPU's tagged list while its owners pop, push, attach a
 * block and detach it: src/percpu/remote.c with rseq_tagged_pop, rseq_tagged_push and
 * rseq_tagged_cas of src/percpu/rseq/x86_64.h, as src/percpu/tagged_list.h has it.
 *
 * As percpu_stop_list.pml, with two differences: a head has only an item, a token or 0, and there
 * is one block, which has a holder as each item has. A swap may expect any head, since the value
 * that was read may be out of date; the list behind the head must then be the list that the slot
 * had.
 */
#define OWNERS 2
#define OBJECTS 2
#define STOP_TRIES 2

/* Words: the head, each object's link. */
#define HEAD 0
#define WORDS (OBJECTS + 1)

#include "machine.pml"

/* Heads and links: 0, an object, or one of these. */
#define BLOCK (OBJECTS + 1)	/* also the block's place in holder[] */
#define TOKEN (OBJECTS + 1)
#define USERS_OWN (OBJECTS + 3)
#define is_object(head) ((head) >= 1 && (head) <= OBJECTS)
#define in_block(head) ((head) >= 1 && (head) <= TOKEN)

#if defined(CONTROL_STOPPED_IS_EMPTY)
#define STOPPED 0
#define stopped_before(head) false
#elif defined(CONTROL_STOPPED_IS_TOKEN)
#define STOPPED TOKEN
#define stopped_before(head) false
#else
#define STOPPED (OBJECTS + 2)
#define stopped_before(head) (head == STOPPED)
#endif

/* Holders beyond the owners. */
#define SLOT OWNERS
#define DRAINER (OWNERS + 1)
#define POOL (OWNERS + 2)
#define NOBODY (OWNERS + 3)

byte holder[BLOCK + 1];		/* of the objects and of the block; 0 is none */

inline hand_over(what, from, to)
{
	assert(holder[what] == from);
	holder[what] = to
}

/* The same for all that the slot has. */
inline hand_over_all(to)
{
	item = 1;
	do
	:: item <= BLOCK ->
		if
		:: holder[item] == SLOT -> holder[item] = to
		:: else
		fi;
		item++
	:: else -> break
	od;
	item = 0
}

#define nr_in_slot ((holder[1] == SLOT) + (holder[2] == SLOT))

/* On the head hang the slot's objects, all of them and each once, and then its token. */
#define CHECK_CHAIN(head, next_of)					\
	item = head;							\
	in_slot = nr_in_slot;						\
	do								\
	:: is_object(item) ->						\
		assert(holder[item] == SLOT && in_slot > 0);		\
		in_slot--;						\
		item = next_of(item)					\
	:: else -> break						\
	od;								\
	assert(in_slot == 0 && item == (holder[BLOCK] == SLOT -> TOKEN : 0)); \
	item = 0

#define in_memory(w) word[w]

#define END in_sequence[me] = false; head = 0; item = 0

/* The holder of an object writes to it. */
#define WRITE(object)							\
	:: d_step { holder[object] == me && on == me && buffered < DEPTH -> \
		    store(object, USERS_OWN) }				\
	:: d_step { holder[object] == me && on != me -> word[object] = USERS_OWN }

/* percpu_tagged_cas() of a head that was read at any time before: after it the list behind the head
 * is the caller's. */
#define DETACH(old)							\
	:: FIRST_STEP(head = load(HEAD);				\
		      if						\
		      :: head != old -> END; goto again			\
		      :: else						\
		      fi);						\
		COMMIT(HEAD, 0, CHECK_CHAIN(head, load); hand_over_all(me))

proctype owner(byte me)
{
	byte head, item, in_slot;
#ifdef CONTROL_READ_BEHIND
	byte old, next;
#endif

again:	if
	/* rseq_tagged_push */
	:: FIRST_STEP_IF((holder[1] == me || holder[2] == me),
		if
		:: holder[1] == me -> item = 1
		:: holder[2] == me -> item = 2
		fi;
		head = load(HEAD);
		if
		:: !in_block(head) -> END; goto again
		:: else
		fi);
#ifndef CONTROL_COMMIT_FIRST
		STORE(store(item, head));
		COMMIT(HEAD, item, hand_over(item, me, SLOT))
#else
		STORE(store(HEAD, item); hand_over(item, me, SLOT));
		COMMIT(item, head, skip)
#endif

	/* rseq_tagged_pop */
	:: FIRST_STEP(head = load(HEAD);
		      item = head;
		      if
		      :: !is_object(head) -> END; goto again
		      :: else
		      fi);
		STEP(head = load(item));
		COMMIT(HEAD, head, hand_over(item, SLOT, me))

	/* rseq_tagged_cas */
	DETACH(1)
	DETACH(2)
	DETACH(TOKEN)

	/* The block, used up or with an object whose link was written before. */
	:: FIRST_STEP_IF(holder[BLOCK] == me,
		head = load(HEAD);
		if
		:: head != 0 -> END; goto again
		:: else
		fi);
		COMMIT(HEAD, TOKEN, hand_over(BLOCK, me, SLOT))
	:: FIRST_STEP_IF(holder[BLOCK] == me && (holder[1] == me || holder[2] == me),
		if
		:: holder[1] == me -> item = 1
		:: holder[2] == me -> item = 2
		fi;
		head = load(HEAD);
		if
		:: head != 0 -> END; goto again
		:: else
		fi);
		STORE(store(item, TOKEN));
		COMMIT(HEAD, item, hand_over(item, me, SLOT); hand_over(BLOCK, me, SLOT))

#ifdef CONTROL_READ_BEHIND
	/* A pop as a swap: its new head was read when the old one was. */
	:: d_step { on == me && is_object(load(HEAD)) -> old = load(HEAD); next = load(old) }
	:: FIRST_STEP_IF(old != 0,
		head = load(HEAD);
		if
		:: head != old -> END; goto again
		:: else
		fi);
		COMMIT(HEAD, next, hand_over(old, SLOT, me); old = 0; next = 0)
#endif

	WRITE(1)
	WRITE(2)

	/* what was drained, or never attached, comes back */
	:: atomic { holder[1] == POOL -> holder[1] = me }
	:: atomic { holder[2] == POOL -> holder[2] = me }
	:: atomic { holder[BLOCK] == POOL -> holder[BLOCK] = me }
	:: atomic { holder[BLOCK] == me -> holder[BLOCK] = POOL }
	fi;
	goto again
}

inline exchange_head(head)
{
	head = word[HEAD];
	word[HEAD] = STOPPED
}

inline check_content(head)
{
	d_step {
		CHECK_CHAIN(head, in_memory)
	}
}

proctype drainer()
{
	byte head;			/* struct percpu_stopped_tagged */
	byte tries, taken, item, in_slot;

	/* percpu_stop_tagged(). It meets no stopped head: the caller sees to that. */
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
		is_object(head) ->
		item = head;
		head = word[item];
		hand_over(item, SLOT, DRAINER);
		item = 0
	      }
	   :: !is_object(head) -> break
	   od
	/* or all of it, with the block */
	:: d_step { head != 0 -> hand_over_all(DRAINER); head = 0 }
	/* or leaves an object there that was freed elsewhere */
	:: d_step {
		head == TOKEN && holder[1] == POOL ->
		hand_over(1, POOL, SLOT);
		word[1] = TOKEN;
		head = 1
	   }
	:: true
	fi;

	/* percpu_start_tagged(); what was taken goes where owners get it from */
	atomic { word[HEAD] = head };
	d_step {
		item = 1;
		do
		:: item <= BLOCK ->
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
		holder[BLOCK] = POOL;
		run kernel();
		run owner(0);
		run owner(1);
		run drainer()
	}
}
