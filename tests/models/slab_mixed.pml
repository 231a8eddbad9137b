/* SPDX-License-Identifier: MIT */
/*
 * A slab of a cache becomes a mixed slab (src/slab/mixed/mixed.h) while its objects are in use, in
 * sheaves, and on their way back.
 *
 * - free() looks up the cache of the object's page. It may act long after it read the cache: it
 * then pushes the object to the cache's sheaf, although the slab is mixed by now.
 * - An object that leaves the sheaf goes back to the slab's word: by a swap of both of its parts,
 * which are
 *   read one after the other; or under the node's lock, if the word says that the slab is full or
 *   that this is its last object. slab_word.pml has the rules of that, and CPUs that have slabs of
 *   their own; they are left out here.
 * - The converter takes a slab off the partial list under the node's lock, and swaps its word for
 *   one that looks full and names the map. So whoever pushes later comes for the lock, and sees
 *   that the slab is mixed. The converter then knows all free objects: they are in the list that
 *   it swapped out. All others count as used, wherever they are.
 * - Under the map's lock blocks are taken from the map and put back, and the last one that comes
 *   back ends the slab.
 *
 * When nobody is under way a watcher looks whether each object is at one place. The pages of a slab
 * that has ended become another slab, all of whose objects are handed out at once.
 */
#define OBJECTS 3

/* A freelist is an object, or one of these. */
#define TOKEN 0
#define MIXED (OBJECTS + 1)
#define is_object(link) ((link) >= 1 && (link) <= OBJECTS)

/* The slab's word. */
byte freelist = TOKEN;
byte inuse = OBJECTS;
byte link[OBJECTS + 1];

bool is_ours = true;		/* the pages are a slab of the cache, or a mixed one */
bool on_partial;
bool says_mixed;		/* the table from which free() learns the page's cache */
bool used[OBJECTS + 1];		/* the map */
bool is_out[OBJECTS + 1];	/* the user's */
bool in_sheaf[OBJECTS + 1];
bool node_locked, map_locked;
byte busy;			/* threads that are in a call */

#define looks_full(count) ((count) == OBJECTS)
#define nobody_used (!used[1] && !used[2] && !used[3])

#define BEGIN busy++
#define END busy--; object = 0; seen_list = 0; seen_inuse = 0; was_mixed = false

#define PICK(set)							\
	if								\
	:: set[1] -> object = 1						\
	:: set[2] -> object = 2						\
	:: set[3] -> object = 3						\
	fi

#define lock_map atomic { !map_locked -> map_locked = true }

/* The pages leave; every object of them was given back. */
#define end_of_slab							\
	assert(is_ours);						\
	assert(!is_out[1] && !is_out[2] && !is_out[3]);			\
	assert(!in_sheaf[1] && !in_sheaf[2] && !in_sheaf[3]);		\
	is_ours = false;						\
	says_mixed = false;						\
	freelist = TOKEN;						\
	inuse = 0;							\
	link[1] = 0; link[2] = 0; link[3] = 0

/* Puts the object back into the map. The map's lock is held, and released here. */
inline put_back()
{
	d_step {
		assert(is_ours && freelist == MIXED);
		assert(used[object]);
		used[object] = false;
		was_mixed = nobody_used;
#ifndef CONTROL_ENDS_UNLOCKED
		if
		:: was_mixed -> end_of_slab
		:: else
		fi;
		was_mixed = false;
#endif
		map_locked = false
	};
#ifdef CONTROL_ENDS_UNLOCKED
	if
	:: was_mixed -> d_step { end_of_slab }
	:: else
	fi
#endif
}

proctype worker()
{
	byte object, seen_list, seen_inuse;
	bool was_mixed;

again:	atomic {
		if
		:: is_out[1] || is_out[2] || is_out[3] ->
			BEGIN;
			PICK(is_out);
			is_out[object] = false;
			was_mixed = says_mixed;
			goto free
		/* the fast path of malloc() */
		:: in_sheaf[1] || in_sheaf[2] || in_sheaf[3] ->
			PICK(in_sheaf);
			in_sheaf[object] = false;
			is_out[object] = true;
			object = 0;
			goto again
		/* the sheaf is full */
		:: in_sheaf[1] || in_sheaf[2] || in_sheaf[3] ->
			BEGIN;
			PICK(in_sheaf);
			in_sheaf[object] = false;
			goto give
		:: on_partial -> BEGIN; goto take
		:: says_mixed -> BEGIN; goto take_mixed
		:: !is_ours && busy == 0 ->
			is_ours = true;
			inuse = OBJECTS;
			is_out[1] = true; is_out[2] = true; is_out[3] = true;
			goto again
		fi
	};

	/* --- free(), with what it read in the table */
free:	if
	:: atomic { !was_mixed -> in_sheaf[object] = true; END; goto again }
	:: was_mixed -> lock_map
	fi;
	put_back();
	atomic { END };
	goto again;

	/* --- One object goes back to its slab. */
give:	seen_list = freelist;
	atomic {
		assert(is_ours);
		seen_inuse = inuse;
		if
		:: looks_full(seen_inuse) || seen_inuse == 1 -> goto give_locked
		:: else -> link[object] = seen_list
		fi
	};
	atomic {
		assert(is_ours);
		if
		:: freelist == seen_list && inuse == seen_inuse ->
			freelist = object;
			inuse = seen_inuse - 1;
			END;
			goto again
		:: else -> goto give
		fi
	};
give_locked:
	atomic { !node_locked -> node_locked = true };
	atomic {
		assert(is_ours);
		if
#ifndef CONTROL_NOT_DIVERTED
		:: freelist == MIXED -> skip
#endif
		:: freelist != MIXED && inuse == 1 ->
			/* all that is out of a slab which nobody can take from */
			assert(on_partial);
			on_partial = false;
			end_of_slab;
			node_locked = false;
			END;
			goto again
		:: else ->
			link[object] = freelist;
			on_partial = true;
			freelist = object;
			inuse = inuse - 1;
			node_locked = false;
			END;
			goto again
		fi
	};
	lock_map;
	put_back();
	atomic { node_locked = false; END };
	goto again;

	/* --- One object of the partial slab. The link is read before the swap. */
take:	atomic { !node_locked -> node_locked = true };
take_again:
	atomic {
		if
		:: !on_partial -> node_locked = false; END; goto again
		:: else
		fi;
		seen_list = freelist;
		seen_inuse = inuse;
		assert(is_object(seen_list));
		was_mixed = false
	};
	atomic {
		if
		:: freelist == seen_list && inuse == seen_inuse ->
			freelist = link[seen_list];
			inuse = seen_inuse + 1;
			on_partial = !looks_full(inuse);
			is_out[seen_list] = true;
			node_locked = false;
			END;
			goto again
		:: else -> goto take_again
		fi
	};

	/* --- A block of the mixed slab */
take_mixed:
	lock_map;
	atomic {
		if
		:: says_mixed && !used[1] -> used[1] = true; is_out[1] = true
		:: says_mixed && !used[2] -> used[2] = true; is_out[2] = true
		:: says_mixed && !used[3] -> used[3] = true; is_out[3] = true
		:: !says_mixed || (used[1] && used[2] && used[3])
		fi;
		map_locked = false;
		END
	};
	goto again
}

/* An old, sparse slab becomes a mixed one. */
proctype converter()
{
	byte list, seen_inuse;

again:	atomic {
		!node_locked && on_partial ->
		assert(is_ours && freelist != MIXED);
		busy++;
		node_locked = true;
		on_partial = false
	};
#ifdef CONTROL_TABLE_FIRST
	says_mixed = true;
#endif
#if defined(CONTROL_STORES)
	list = freelist;
	atomic { freelist = MIXED; inuse = OBJECTS };
#elif defined(CONTROL_LOOKS_PARTIAL)
	atomic { list = freelist; freelist = MIXED };
#else
	/* The swap that succeeds: both parts were still those that were read. */
	atomic { list = freelist; freelist = MIXED; inuse = OBJECTS };
#endif
	d_step {
#ifdef CONTROL_CACHED_IS_FREE
		used[1] = is_out[1]; used[2] = is_out[2]; used[3] = is_out[3];
#else
		used[1] = true; used[2] = true; used[3] = true;
#endif
		do
		:: is_object(list) -> used[list] = false; list = link[list]
		:: else -> break
		od;
		list = 0
	};
	atomic { !map_locked -> map_locked = true };
	atomic {
		says_mixed = true;
		map_locked = false;
		node_locked = false;
		busy--
	};
	goto again
}

#define places(object) (is_out[object] + in_sheaf[object] + is_listed[object])

proctype watcher()
{
	byte at;
	bool is_listed[OBJECTS + 1];

	do
	:: d_step {
		busy == 0 ->
		assert(!node_locked && !map_locked);
		is_listed[1] = false; is_listed[2] = false; is_listed[3] = false;
		at = freelist;
		do
		:: is_object(at) -> assert(!is_listed[at]); is_listed[at] = true; at = link[at]
		:: else -> break
		od;
		if
		:: is_ours && freelist == MIXED ->
			assert(says_mixed && !on_partial && looks_full(inuse));
			assert(used[1] == places(1) && used[2] == places(2));
			assert(used[3] == places(3));
			assert(!nobody_used)
		:: is_ours && freelist != MIXED ->
			assert(at == TOKEN && !says_mixed);
			assert(places(1) == 1 && places(2) == 1 && places(3) == 1);
			assert(inuse == OBJECTS - is_listed[1] - is_listed[2] - is_listed[3]);
			assert(on_partial == !looks_full(inuse) && inuse != 0)
		:: else ->
			assert(!places(1) && !places(2) && !places(3) && !on_partial)
		fi;
		is_listed[1] = false; is_listed[2] = false; is_listed[3] = false;
		at = 0
	   }
	od
}

init {
	atomic {
		is_out[1] = true; is_out[2] = true; is_out[3] = true;
		run worker();
		run worker();
		run converter();
		run watcher()
	}
}
