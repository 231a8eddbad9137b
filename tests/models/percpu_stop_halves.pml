/* SPDX-License-Identifier: MIT */
/*
 * Stopping, emptying and starting another CPU's array by halves: src/percpu/remote.c with
 * rseq_push of src/percpu/rseq/x86_64.h, percpu_take_older() and percpu_generations_prepare().
 *
 * As percpu_stop.pml, but a half is one place and there are two, and count and limit are one
 * word here: a push stores the count, a take both. Owners push and take, the younger half's
 * objects or none behind the half that is taken, and prepare an array whose head is 0. The
 * drainer empties the array or leaves it. That whoever stops arrays may pop from one between two
 * stops is left out.
 */
#define OWNERS 2
#define HALF 1
#define OBJECTS 2
#define STOP_TRIES 2

#define HEAD 0
#define ITEM 1
#define WORDS (ITEM + 2 * HALF)

/* Above each limit; there is no sign here, since nobody pops. */
#define STOPPED 8
#define head(count, limit) ((count) + 16 * (limit))
#define count_of(head) ((head) % 16)
#define limit_of(head) ((head) / 16)

/* A store of the count alone says so; the limit stays what it is when that arrives. */
#define COUNT_ALONE 128
#define merge(old, value)						\
	(value >= COUNT_ALONE -> (old) - (old) % 16 + value - COUNT_ALONE : value)
#define STORED(w, value) (w == HEAD -> merge(word[HEAD], value) : value)

#include "machine.pml"

/* What the thread on the slot reads: both stores in the buffer may be the head's. */
#define load_one (buffer_has(0, HEAD) -> merge(word[HEAD], buffer_value[0]) : word[HEAD])
#define load_head							\
	(buffer_has(1, HEAD) -> merge(load_one, buffer_value[1]) : load_one)

/* Holders beyond the owners. */
#define SLOT OWNERS
#define DRAINER (OWNERS + 1)
#define POOL (OWNERS + 2)
#define NOBODY (OWNERS + 3)

byte holder[OBJECTS + 1];	/* object 0 is none */

inline hand_over(object, from, to)
{
	assert(object != 0 && holder[object] == from);
	holder[object] = to
}

/* What the head says is there is all that the slot has, each once. */
inline check_content(count, limit)
{
	d_step {
		in_slot = 0;
		i = 1;
		do
		:: i <= OBJECTS -> in_slot = in_slot + (holder[i] == SLOT); i++
		:: else -> break
		od;
		assert(in_slot == count + (limit == HALF));
		assert(limit == HALF || limit == 2 * HALF || limit == 0 && count == 0);
		assert(count == 0 || holder[word[ITEM]] == SLOT);
		assert(count < 2 && limit != HALF || holder[word[ITEM + 1]] == SLOT);
		assert(in_slot < 2 || word[ITEM] != word[ITEM + 1]);
		i = 0;
		in_slot = 0
	}
}

#define mine(object) (holder[object] == me)
#define END in_sequence[me] = false; seen = 0; a = 0; first = 0; left = 0

proctype owner(byte me)
{
	byte seen, a, first, left;

again:	if
	/* rseq_push */
	:: FIRST_STEP_IF((mine(1) || mine(2)),
		if
		:: mine(1) -> a = 1
		:: mine(2) -> a = 2
		fi;
		seen = count_of(load_head));
		STEP(if
		     :: seen >= limit_of(load_head) -> END; goto again
		     :: else
		     fi);
		STORE(store(ITEM + seen, a));
		COMMIT(HEAD, COUNT_ALONE + seen + 1, hand_over(a, me, SLOT))

	/* percpu_take_older(), with a count at least or without */
	:: FIRST_STEP(seen = load_head);
#ifdef CONTROL_TWO_LOADS
		STEP(seen = head(count_of(seen), limit_of(load_head)));
#endif
		STEP(if
		     :: limit_of(seen) == HALF ->
			first = HALF;
			left = head(count_of(seen), 2 * HALF);
			if
			:: count_of(seen) < HALF -> END; goto again
			:: true
			fi
		     :: limit_of(seen) != HALF && limit_of(seen) != 0 &&
			count_of(seen) == limit_of(seen) ->
			left = head(0, HALF)
		     :: else -> END; goto again
		     fi);
		STEP(a = load(ITEM + first));
		COMMIT(HEAD, left, hand_over(a, SLOT, me))

#ifdef CONTROL_OWNER_POPS
	/* rseq_pop, against the rule */
	:: FIRST_STEP(seen = count_of(load_head);
		     if
		     :: seen == 0 || seen >= STOPPED -> END; goto again
		     :: else
		     fi);
		STEP(a = load(ITEM + seen - 1));
		COMMIT(HEAD, COUNT_ALONE + seen - 1, hand_over(a, SLOT, me))
#endif

	/* percpu_generations_prepare(), perhaps of a slot that the thread has left meanwhile */
#ifdef CONTROL_PREPARES_WITHOUT_COUNT
	:: atomic {
		(on != me || buffered == 0) && limit_of(word[HEAD]) == 0 ->
		word[HEAD] = head(word[HEAD], 2 * HALF)
	   }
#else
	:: atomic {
		(on != me || buffered == 0) && word[HEAD] == 0 -> word[HEAD] = head(0, 2 * HALF)
	   }
#endif

	/* what was drained comes back */
	:: atomic { holder[1] == POOL -> holder[1] = me }
	:: atomic { holder[2] == POOL -> holder[2] = me }
	fi;
	goto again
}

#define FORGET count = 0; limit = 0; tries = 0; now = 0; a = 0; b = 0

proctype drainer()
{
	byte count, limit;		/* struct percpu_stopped_array */
	byte tries, now;
	byte a, b, i, in_slot;

	/* percpu_stop_array() */
again:	do
	:: d_step {
		tries < STOP_TRIES ->
		now = word[HEAD];
		word[HEAD] = head(STOPPED, 0);
		assert(count_of(now) != STOPPED);
		count = count_of(now);
		if
#ifdef CONTROL_FIRST_LIMIT
		:: limit == 0 -> limit = limit_of(now)
#else
		:: limit_of(now) != 0 -> limit = limit_of(now)
#endif
		:: else
		fi;
		now = 0;
		tries++
	   };
		if
		:: true -> membarrier()
		:: goto resume		/* refused */
		fi;
#ifndef CONTROL_NO_SECOND_LOOK
		if
		:: count_of(word[HEAD]) == STOPPED -> goto stopped
		:: else
		fi
#else
		goto stopped
#endif
	:: tries == STOP_TRIES -> goto resume
	od;

resume:	if
	:: atomic {			/* the compare-and-swap, until the head is another */
		count_of(word[HEAD]) == STOPPED -> word[HEAD] = head(count, limit);
		FORGET;
		goto again
	   }
	:: count_of(word[HEAD]) != STOPPED
	fi;
	atomic {
#ifdef CONTROL_LIMIT_STORED
		word[HEAD] = head(count_of(word[HEAD]), limit);
#else
		if			/* the compare-and-swap of the limit alone */
		:: limit_of(word[HEAD]) == 0 -> word[HEAD] = head(word[HEAD], limit)
		:: else
		fi;
#endif
		FORGET;
		goto again
	};

stopped:
	check_content(count, limit);
	if
	/* takes everything */
	:: d_step {
		if
		:: count > 0 -> a = word[ITEM]; hand_over(a, SLOT, DRAINER)
		:: else
		fi;
		if
		:: count > 1 || limit == HALF ->
			b = word[ITEM + 1];
			hand_over(b, SLOT, DRAINER)
		:: else
		fi;
		count = 0;
		if
		:: limit == HALF -> limit = 2 * HALF
		:: else
		fi
	   }
	:: true
	fi;

	/* percpu_start_array() */
	atomic { word[HEAD] = head(count, limit) };
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
		run drainer()
	}
}
