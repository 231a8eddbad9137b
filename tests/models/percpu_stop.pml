/* SPDX-License-Identifier: MIT */
/*
 * Stopping, emptying and starting another CPU's array: src/percpu/remote.c with
 * the sequences of src/percpu/rseq/x86_64.h.
 *
 * Owners push and pop one or two objects at a time, prepare the array, and take
 * objects that the drainer has given back. The drainer stops the array, empties
 * it or reverses the order of the objects, starts it again; membarrier may be refused, and an
 * owner may be faster STOP_TRIES times. Only the numbers of threads, objects, entries and delayed
 * stores are bounded: no process ever ends, and the checker visits every state. (The write to an
 * entry in percpu_array_prepare() is left out: it is atomic and puts back what it found.)
 *
 * holder[] says who has each object. It changes with the instruction that
 * changes hands: the commit, or the drainer's taking. So an object that is
 * handed out twice is a failed assertion at that moment, and one that is lost
 * makes the next stop fail: then the array's content is compared with holder[].
 * There is one drainer, as the callers' lock sees to.
 */
#define OWNERS 2
#define LIMIT 2
#define OBJECTS 2
#define STOP_TRIES 2

/* Words: the head's two halves, the entries. */
#define COUNT 0
#define ROOM 1			/* the array's limit */
#define ITEM 2
#define WORDS (ITEM + LIMIT)

#include "machine.pml"

#ifdef CONTROL_STOPPED_IS_EMPTY
#define STOPPED 0
#else
/* Below 0 as a signed number, above each limit as an unsigned one. */
#define STOPPED 128
#endif
#define nothing_in(count) (count == 0 || count > 127)

/* Holders beyond the owners. */
#define SLOT OWNERS
#define DRAINER (OWNERS + 1)
#define POOL (OWNERS + 2)
#define NOBODY (OWNERS + 3)

byte holder[OBJECTS + 1];	/* 0 stands for no object */


inline hand_over(object, from, to)
{
	assert(object != 0 && holder[object] == from);
	holder[object] = to
}

/* The entries below count are the slot's objects, all of them and each once. */
inline check_content(count)
{
	d_step {
		i = 0;
		in_slot = 0;
		do
		:: i < count ->
			assert(word[ITEM + i] != 0 && holder[word[ITEM + i]] == SLOT);
			assert(i == 0 || word[ITEM] != word[ITEM + 1]);
			i++
		:: else -> break
		od;
		i = 1;
		do
		:: i <= OBJECTS -> in_slot = in_slot + (holder[i] == SLOT); i++
		:: else -> break
		od;
		assert(in_slot == count);
		i = 0;
		in_slot = 0
	}
}

#define mine(object) (holder[object] == me)

#define HAND_OVER_BOTH(from, to)					\
	hand_over(a, from, to);						\
	if								\
	:: b != 0 -> hand_over(b, from, to)				\
	:: else								\
	fi

#define END in_sequence[me] = false; count = 0; a = 0; b = 0

proctype owner(byte me)
{
	byte count, a, b;	/* b == 0: the operations on one object */

again:	if
	/* rseq_push and rseq_push_n */
	:: FIRST_STEP_IF((mine(1) || mine(2)),
		if
		:: mine(1) -> a = 1
		:: mine(2) -> a = 2
		:: mine(1) && mine(2) -> a = 1; b = 2
		fi;
		count = load(COUNT));
		STEP(if
		     :: count >= load(ROOM) -> END; goto again
		     :: count + 1 == load(ROOM) -> b = 0
		     :: else
		     fi);
#ifdef CONTROL_COMMIT_FIRST
		STORE(store(COUNT, count + 1 + (b != 0)); HAND_OVER_BOTH(me, SLOT));
#endif
		STORE(store(ITEM + count, a);
		      if
		      :: b == 0 -> goto push
		      :: else
		      fi);
		STORE(store(ITEM + count + 1, b));
#ifdef CONTROL_COMMIT_FIRST
push:		STEP(END)
#else
push:		COMMIT(COUNT, count + 1 + (b != 0), HAND_OVER_BOTH(me, SLOT))
#endif

	/* rseq_pop and rseq_pop_n */
	:: FIRST_STEP(count = load(COUNT);
		     if
		     :: nothing_in(count) -> END; goto again
		     :: else
		     fi);
		STEP(a = load(ITEM + count - 1);
		     if
		     :: goto pop
		     :: count > 1
		     fi);
		STEP(b = load(ITEM + count - 2));
pop:		COMMIT(COUNT, count - 1 - (b != 0), HAND_OVER_BOTH(SLOT, me))

	/* percpu_array_prepare(), perhaps of a slot that the thread has left meanwhile */
	:: atomic { on == me && buffered < DEPTH -> store(ROOM, LIMIT) }
	:: atomic { on != me -> word[ROOM] = LIMIT }

	/* a refill: what was drained comes back */
	:: atomic { holder[1] == POOL -> holder[1] = me }
	:: atomic { holder[2] == POOL -> holder[2] = me }
	fi;
	goto again
}

/* The exchange in percpu_stop_array(). */
inline exchange_head(count, room)
{
	count = word[COUNT];
	room = word[ROOM];
	word[COUNT] = STOPPED;
	word[ROOM] = 0
}

#ifdef CONTROL_WHOLE_WORD
#define head_stopped(count, room) (count == STOPPED && room == 0)
#else
#define head_stopped(count, room) (count == STOPPED)
#endif

#if defined(CONTROL_STOPPED_IS_EMPTY) || defined(CONTROL_NO_LOCK)
#define stopped_before(count) false
#else
#define stopped_before(count) (count == STOPPED)
#endif

#define FORGET count = 0; room = 0; tries = 0; now = 0; now_room = 0; a = 0; b = 0

proctype drainer()
{
	byte count, room;		/* struct percpu_stopped_array */
	byte tries, now, now_room;
	byte a, b, i, in_slot;

	/* percpu_stop_array(). It meets no stopped head: the caller sees to that. */
again:	do
	:: d_step {
		tries < STOP_TRIES ->
		exchange_head(count, now_room);
		assert(!stopped_before(count));
		if
		:: now_room != 0 -> room = now_room
		:: else
		fi;
		now_room = 0;
		tries++
	   };
#ifdef CONTROL_NO_LOCK
		if
		:: count == STOPPED -> FORGET; goto again	/* -EBUSY */
		:: else
		fi;
#endif
		if
		:: true -> membarrier()
		:: goto resume		/* refused */
		fi;
#ifndef CONTROL_NO_SECOND_LOOK
		if
		:: head_stopped(word[COUNT], word[ROOM]) -> goto stopped
		:: else
		fi
#else
		goto stopped
#endif
	:: tries == STOP_TRIES -> goto resume
	od;

resume:	atomic { now = word[COUNT]; now_room = word[ROOM] };
	do
	:: atomic {
		head_stopped(now, now_room) ->
		if			/* the compare-and-swap */
		:: word[COUNT] == now && word[ROOM] == now_room ->
			word[COUNT] = count;
			word[ROOM] = room;
			FORGET;
			goto again
		:: else -> now = word[COUNT]; now_room = word[ROOM]
		fi
	   }
	:: atomic {
		!head_stopped(now, now_room) ->
		if			/* the compare-and-swap of the limit alone */
		:: word[ROOM] == 0 -> word[ROOM] = room
		:: else
		fi;
		FORGET;
		goto again
	   }
	od;

stopped:
	check_content(count);
	if
	/* a second stopper, against the rule: it is refused, and changes nothing */
	:: d_step {
		exchange_head(now, now_room);
		assert(now == STOPPED);
		now = 0;
		now_room = 0
	   }
	:: true
	fi;
	if
	/* takes everything */
	:: d_step {
		count > 0 ->
		a = word[ITEM];
		hand_over(a, SLOT, DRAINER);
		if
		:: count > 1 -> b = word[ITEM + 1]; hand_over(b, SLOT, DRAINER)
		:: else
		fi;
		count = 0
	   }
	/* reverses the order of the objects */
	:: d_step {
		count == 2 ->
		a = word[ITEM];
		word[ITEM] = word[ITEM + 1];
		word[ITEM + 1] = a;
		a = 0
	   }
	:: true
	fi;

	/* percpu_start_array(); what was taken goes where owners refill from */
	atomic { word[COUNT] = count; word[ROOM] = room };
	d_step {
		if
		:: a != 0 -> hand_over(a, DRAINER, POOL)
		:: else
		fi;
		if
		:: b != 0 -> hand_over(b, DRAINER, POOL)
		:: else
		fi;
		FORGET
	};
	goto again
}

init {
	atomic {
		holder[0] = NOBODY;
		holder[1] = 0;
		holder[2] = 1;
		run kernel();
		run owner(0);
		run owner(1);
		run drainer();
#ifdef CONTROL_NO_LOCK
		run drainer()
#endif
	}
}
