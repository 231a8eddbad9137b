/* SPDX-License-Identifier: MIT */
/*
 * A child of vfork(2) in its parent's memory. The kernel does not restart the
 * child's sequences, and the slot index that it sees is its parent's, which
 * stands still. So before it vforks a thread makes every index look out of range
 * (percpu.index_limit = 0): then the child's sequences leave at the comparison.
 * Sequences of other threads that have compared before go on under the kernel's
 * protection. Once the child has ended, the parent puts the bound back; a counter
 * under a lock lets several vforks overlap.
 *
 * The array is one of the slot's, as in percpu_stop.pml, but with one object at
 * a time; it has room for all there are, and nobody stops it. OWNERS counts the
 * threads with protection.
 */
#define OWNERS 2
#define CHILDREN 2
#define OBJECTS 2
#define LIMIT 2

#define BOUND 0
#define COUNT 1
#define ITEM 2
#define WORDS (ITEM + LIMIT)

#include "machine.pml"

#define SLOT (OWNERS + CHILDREN)
#define NOBODY (SLOT + 1)

byte holder[OBJECTS + 1];
byte vforks;			/* children that have not ended */
bool vfork_lock;

inline hand_over(object, from, to)
{
	assert(object != 0 && holder[object] == from);
	holder[object] = to
}

#define END in_sequence[me] = false; count = 0; a = 0
#define holds_one (holder[1] == me || holder[2] == me)

proctype owner(byte me)
{
	byte count, a;

again:	if
	:: FIRST_STEP_IF(holds_one,
		if
		:: holder[1] == me -> a = 1
		:: holder[2] == me -> a = 2
		fi);
		STEP(if
		     :: load(BOUND) == 0 -> END; goto again
		     :: else
		     fi);
		STEP(count = load(COUNT));
		STORE(store(ITEM + count, a));
		COMMIT(COUNT, count + 1, hand_over(a, me, SLOT))

	:: FIRST_STEP(skip);
		STEP(if
		     :: load(BOUND) == 0 -> END; goto again
		     :: else
		     fi);
		STEP(count = load(COUNT);
		     if
		     :: count == 0 -> END; goto again
		     :: else
		     fi);
		STEP(a = load(ITEM + count - 1));
		COMMIT(COUNT, count - 1, hand_over(a, SLOT, me))
	fi;
	goto again
}

/*
 * A parent, which waits, and its child, one after another. The child runs the
 * same sequences, on a CPU of its own. (Its store buffer is left out: without the
 * bound it is wrong as it is.) Whatever it holds when it ends is its parent's,
 * and that of the next child.
 */
proctype parent_and_child(byte me)
{
	byte count, a;

again:
#ifdef CONTROL_NO_COUNTER
	word[BOUND] = 0;
#else
	atomic { !vfork_lock -> vfork_lock = true };
	vforks++;
#ifndef CONTROL_NO_BOUND
	if
	:: vforks == 1 -> word[BOUND] = 0
	:: else
	fi;
#endif
	vfork_lock = false;
#endif

	do
	:: word[BOUND] != 0 && holds_one ->
		if
		:: holder[1] == me -> a = 1
		:: holder[2] == me -> a = 2
		fi;
		count = word[COUNT];
		word[ITEM + count] = a;
		d_step { word[COUNT] = count + 1; hand_over(a, me, SLOT); count = 0; a = 0 }
	:: word[BOUND] != 0 ->
		count = word[COUNT];
		if
		:: count > 0 ->
			a = word[ITEM + count - 1];
			d_step { word[COUNT] = count - 1; hand_over(a, SLOT, me); a = 0 }
		:: else
		fi;
		count = 0
	:: break
	od;

#ifdef CONTROL_NO_COUNTER
	word[BOUND] = 1;
#else
	atomic { !vfork_lock -> vfork_lock = true };
	vforks--;
	if
	:: vforks == 0 -> word[BOUND] = 1
	:: else
	fi;
	vfork_lock = false;
#endif
	goto again
}

/* With nothing on its way to memory, the slot's objects are there, and each once. */
proctype watcher()
{
	do
	:: d_step {
		buffered == 0 ->
		assert(word[COUNT] == (holder[1] == SLOT) + (holder[2] == SLOT));
		assert(word[COUNT] < 1 || holder[word[ITEM]] == SLOT);
		assert(word[COUNT] < 2 || word[ITEM] != word[ITEM + 1])
	   }
	od
}

init {
	atomic {
		word[BOUND] = 1;
		holder[0] = NOBODY;
		holder[1] = 0;
		holder[2] = 1;
		run kernel();
		run owner(0);
		run owner(1);
		run parent_and_child(OWNERS);
		run parent_and_child(OWNERS + 1);
		run watcher()
	}
}
