/* SPDX-License-Identifier: MIT */
/*
 * A child of vfork(2) in its parent's memory: src/percpu/vfork.c. The kernel does
 * not restart the child's sequences, and the slot index that it sees is its parent's,
 * which stands still. So before it vforks a thread makes every index look out of range
 * (percpu.bound.limit = 0): then the child's sequences leave at the comparison.
 * Sequences of other threads that have compared before go on under the kernel's
 * protection. The limit and the number of children are one word, which each
 * beginning and each end of a child changes with a compare-and-swap.
 *
 * Once, any thread or child may fork(2). The model then goes on with the new process:
 * all others are gone, wherever they were, and start again as threads of the new one,
 * with what they held. The bound counts children that are not there.
 *
 * The array is one of the slot's, as in percpu_stop.pml, but with one object at
 * a time; it has room for all there are, and nobody stops it. OWNERS counts the
 * threads with protection.
 */
#define OWNERS 2
#define CHILDREN 2
#define OBJECTS 2
#define LIMIT 2

#define BOUND 0			/* struct percpu_bound */
#define COUNT 1
#define ITEM 2
#define WORDS (ITEM + LIMIT)

/* In the bound's word: the limit, which is 0 or 1 here, below the children. */
#define make_bound(limit, children) ((limit) + 2 * (children))
#define limit_of(bound) ((bound) & 1)
#define children_of(bound) ((bound) >> 1)
#define OPEN make_bound(1, 0)

#include "machine.pml"

#define SLOT (OWNERS + CHILDREN)
#define NOBODY (SLOT + 1)

byte holder[OBJECTS + 1];
byte sharing;			/* from before a child is announced until its end is */
#ifdef CONTROL_TWO_WORDS
byte children;
bool forked = true;		/* it goes wrong without */
#else
bool forked;
#endif
bool gone[CHILDREN];		/* the thread was the old process's */

inline hand_over(object, from, to)
{
	assert(object != 0 && holder[object] == from);
	holder[object] = to
}

/*
 * A store that never arrives in the copy was not made in time, and a sequence that
 * is under way there is one that was aborted before.
 */
#define may_fork (!forked && buffered == 0 && !in_sequence[0] && !in_sequence[1])

/* percpu_share_fork_child(); the new process has no other thread yet. */
inline share_fork_child(may_have_slot)
{
#ifndef CONTROL_KEEPS_CHILDREN
	if
	:: children_of(word[BOUND]) && may_have_slot -> word[BOUND] = OPEN
	:: else
	fi
#else
	skip
#endif
}

#ifdef CONTROL_NO_RENEWAL
#define RENEWED true
#else
#define RENEWED false
#endif

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
		     :: limit_of(load(BOUND)) == 0 -> END; goto again
		     :: else
		     fi);
		STEP(count = load(COUNT));
		STORE(store(ITEM + count, a));
		COMMIT(COUNT, count + 1, hand_over(a, me, SLOT))

	:: FIRST_STEP(skip);
		STEP(if
		     :: limit_of(load(BOUND)) == 0 -> END; goto again
		     :: else
		     fi);
		STEP(count = load(COUNT);
		     if
		     :: count == 0 -> END; goto again
		     :: else
		     fi);
		STEP(a = load(ITEM + count - 1));
		COMMIT(COUNT, count - 1, hand_over(a, SLOT, me))

	:: atomic {
		on == me && may_fork ->
		forked = true;
		share_fork_child(true);
		sharing = 0;
		gone[0] = true;
		gone[1] = true
	   }
	fi;
	goto again
}

/* change_children() */
inline change_children(by)
{
#ifdef CONTROL_TWO_WORDS
	d_step { children = children + by; old = children };
	word[BOUND] = (old == 0);
	old = 0
#else
	old = word[BOUND];
	do
	:: atomic {
		word[BOUND] == old ->
#ifdef CONTROL_NO_BOUND
		word[BOUND] = make_bound(1, children_of(old) + by);
#else
		word[BOUND] = make_bound(children_of(old) + by == 0, children_of(old) + by);
#endif
		old = 0;
		break
	   }
	:: atomic { word[BOUND] != old -> old = word[BOUND] }
	od
#endif
}

/*
 * A parent, which waits, and its child, one after another. The child runs the
 * same sequences, on a CPU of its own. (Its store buffer is left out: without the
 * bound it is wrong as it is.) Whatever it holds when it ends is its parent's,
 * and that of the next child.
 *
 * If the child forks, the new process's thread is one that the kernel keeps
 * sequences for again, such as an owner, or it was refused: then it stays what the
 * child was and the slots stay closed.
 */
proctype parent_and_child(byte me)
{
	byte count, a, old;
	bool refused;

again:	{
	sharing++;
	change_children(1);

	do
	:: limit_of(word[BOUND]) != 0 && holds_one ->
		if
		:: holder[1] == me -> a = 1
		:: holder[2] == me -> a = 2
		fi;
		count = word[COUNT];
		word[ITEM + count] = a;
		d_step { word[COUNT] = count + 1; hand_over(a, me, SLOT); count = 0; a = 0 }
	:: limit_of(word[BOUND]) != 0 ->
		count = word[COUNT];
		if
		:: count > 0 ->
			a = word[ITEM + count - 1];
			d_step { word[COUNT] = count - 1; hand_over(a, SLOT, me); a = 0 }
		:: else
		fi;
		count = 0
	:: atomic {
		may_fork ->
		forked = true;
		gone[OWNERS + 1 - me] = true;
		if
		:: share_fork_child(true);
			sharing = 0;
			gone[me - OWNERS] = true	/* from here it is an owner */
		:: refused = true;
			sharing = 1;
			share_fork_child(RENEWED)
		fi
	   }
	:: !refused -> break
	od;

	change_children(-1);
	sharing--
	} unless {
		d_step { gone[me - OWNERS] -> gone[me - OWNERS] = false; count = 0; a = 0; old = 0 }
	};
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
		assert(word[COUNT] < 2 || word[ITEM] != word[ITEM + 1]);
		assert(sharing != 0 || word[BOUND] == OPEN)
	   }
	od
}

init {
	atomic {
		word[BOUND] = OPEN;
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
