/* SPDX-License-Identifier: MIT */
/*
 * Free chunks leave the free lists with their struct pages, and come back (src/page/parked.h).
 *
 * - The parker takes a chunk off the list, gives its struct pages back, and sets its bit. Meanwhile
 *   the chunk is at no place where a request looks; page_drain_lock is held for it.
 * - A request looks at the list; then, if the zone has less online than it may have, it takes
 *   page_grow_lock, looks again, and unparks; last it looks at the list once more. If it finds
 *   nothing, it takes page_drain_lock and does all of that again, before it gives up.
 * - Bits, counts and lists change together under the zone's lock, so that is one event. A free
 *   goes to the list under the same lock.
 * - fork() takes all locks in their order, and then no chunk may be on its way.
 *
 * There is a chunk for each request. So one is always free, and no request may give up.
 */
#define CHUNKS 2

#define LISTED 0
#define TAKEN 1		/* a request's */
#define MOVING 2	/* held by the parker, or on its way back */
#define PARKED 3

byte state[CHUNKS];
bool has_links[CHUNKS];		/* the struct pages of a listed chunk have the list's links */
byte parked;			/* the zone's count: what is not online */
bool drain_locked, grow_locked;

#define is_one(kind) (state[0] == kind || state[1] == kind)

#define PICK(kind)							\
	if								\
	:: state[0] == kind -> chunk = 0				\
	:: state[1] == kind -> chunk = 1				\
	fi

/* Takes a listed chunk, if there is one. */
inline look_at_list()
{
	atomic {
		if
		:: is_one(LISTED) ->
			PICK(LISTED);
			assert(has_links[chunk]);
			state[chunk] = TAKEN;
			has = true
		:: else
		fi
	}
}

#define MOVE(chunk, from, to)						\
	if								\
	:: state[chunk] == from -> state[chunk] = to			\
	:: else								\
	fi

/* Chunks come back many at a time. */
inline unpark()
{
#ifdef CONTROL_TWO_LOCKS
	atomic { MOVE(0, PARKED, MOVING); MOVE(1, PARKED, MOVING); parked = 0 };
	atomic {
		has_links[0] = true;
		has_links[1] = true;
		MOVE(0, MOVING, LISTED);
		MOVE(1, MOVING, LISTED)
	}
#else
	atomic {
		if
		:: state[0] == PARKED -> has_links[0] = true; state[0] = LISTED
		:: else
		fi;
		if
		:: state[1] == PARKED -> has_links[1] = true; state[1] = LISTED
		:: else
		fi;
		parked = 0
	}
#endif
}

inline look()
{
	look_at_list();
	if
	:: !has && parked ->
		atomic { !grow_locked -> grow_locked = true };
		look_at_list();
		do
		:: !has && parked -> unpark(); look_at_list()
		:: else -> break
		od;
		grow_locked = false
	:: else
	fi;
#ifndef CONTROL_NO_LAST_LOOK
	if
	:: !has -> look_at_list()
	:: else
	fi
#endif
}

proctype request()
{
	byte chunk;
	bool has;

again:	look();
#ifndef CONTROL_LOOKS_ONCE
	if
	:: !has ->
		atomic { !drain_locked -> drain_locked = true };
		look();
		drain_locked = false
	:: else
	fi;
#endif
	assert(has);
	atomic {
		assert(state[chunk] == TAKEN);
		has_links[chunk] = true;
		state[chunk] = LISTED;
		has = false;
		chunk = 0
	};
	goto again
}

proctype parker()
{
	byte chunk;

again:
#ifndef CONTROL_NO_DRAIN_LOCK
	atomic { !drain_locked -> drain_locked = true };
#endif
	if
	:: atomic { is_one(LISTED) -> PICK(LISTED); state[chunk] = MOVING }
	:: atomic { else -> goto done }
	fi;
#ifdef CONTROL_BIT_FIRST
	atomic { state[chunk] = PARKED; parked++ };
	has_links[chunk] = false;
#else
	has_links[chunk] = false;
	atomic { state[chunk] = PARKED; parked++ };
#endif
done:	chunk = 0;
#ifndef CONTROL_NO_DRAIN_LOCK
	drain_locked = false;
#endif
	goto again
}

/* Locks in the order of their ranks. */
proctype forker()
{
again:	atomic { !drain_locked -> drain_locked = true };
	atomic { !grow_locked -> grow_locked = true };
	atomic {
		assert(!is_one(MOVING));
		assert(parked == (state[0] == PARKED) + (state[1] == PARKED));
		grow_locked = false
	};
	drain_locked = false;
	goto again
}

init {
	atomic {
		has_links[0] = true; has_links[1] = true;
		run request();
		run request();
		run parker();
		run forker()
	}
}
