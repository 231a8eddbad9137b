/* SPDX-License-Identifier: MIT */
/*
 * The pages of the tables of caches and of marks that a pageblock has go back to the system while
 * slabs come and go (src/slab/mixed/mixed_table.h).
 *
 * - The pageblock has PAGES slabs of one page. A page is on the free list; on a CPU's list;
 *   somebody's, without a name in the table yet, or any more; a slab of a cache, named in the
 *   table; or a mixed slab, with one block.
 * - The releaser names the pageblock, looks at all pages under the locks of the map and the zone,
 *   and clears what the tables have for all of them at once, if they are free or mixed.
 * - A thread with pages for a new slab waits while the pageblock is named, and then writes the
 * table.
 * - A long block of a mixed slab has a mark in the other table. While one is in use, or the former
 *   cache may still mark it, marks stay. Who takes a long block later has the map's lock then; if
 *   its free is deferred, it waits as a new slab does, and writes the mark.
 *
 * Here each step is seen by all at once. On a real machine the locks see to that: a page of a CPU's
 * list leaves it without one, and so it keeps the tables' pages where they are.
 *
 * A lost name shows when the slab's object is freed, a lost mark when the deferred free is done.
 */
#define PAGES 2

#define FREE 0
#define ON_CPU 1
#define OWNED 2
#define NAMED 3
#define MIXED 4

byte state[PAGES];
bool name[PAGES];		/* the table of caches */
bool mark[PAGES];		/* the table of marks: "free" */
bool is_long[PAGES];		/* the mixed slab has a long block in use */
bool is_former[PAGES];		/* it is of the former cache */
bool is_claimed[PAGES];		/* a worker is at it */
bool is_leaving, map_locked, zone_locked;

#define lock_map atomic { !map_locked -> map_locked = true }
#define lock_zone atomic { !zone_locked -> zone_locked = true }

#define says_nothing(page) (state[page] == FREE || state[page] == MIXED)

proctype releaser()
{
	bool goes, marks_go;

again:
#ifndef CONTROL_NAMED_LATE
	is_leaving = true;
#endif
	lock_map;
	lock_zone;
	goes = says_nothing(0) && says_nothing(1);
#ifdef CONTROL_LONG_BLOCKS
	marks_go = goes;
#else
	marks_go = goes && !is_long[0] && !is_long[1];
#endif
	zone_locked = false;
	map_locked = false;
#ifdef CONTROL_NAMED_LATE
	is_leaving = true;
#endif
	if
	:: goes -> d_step { name[0] = false; name[1] = false }
	:: else
	fi;
	if
	:: marks_go -> d_step { mark[0] = false; mark[1] = false }
	:: else
	fi;
	is_leaving = false;
	goto again
}

#define CLAIM(page) is_claimed[page] = true; at = page

proctype worker()
{
	byte at;

again:	atomic {
		if
		:: !is_claimed[0] -> CLAIM(0)
		:: !is_claimed[1] -> CLAIM(1)
		fi
	};
	if
	:: state[at] == FREE ->		/* a batch for this CPU, or a slab */
		lock_zone;
		if
		:: state[at] = ON_CPU
		:: state[at] = OWNED
		fi;
		zone_locked = false
	:: state[at] == ON_CPU ->
		if
		:: state[at] = OWNED
		:: lock_zone; state[at] = FREE; zone_locked = false
		fi
	:: state[at] == OWNED ->
		if
		:: 		/* a new slab */
#ifndef CONTROL_NO_WAIT
			!is_leaving;
#endif
			name[at] = true;
			state[at] = NAMED
		:: state[at] = ON_CPU
		:: lock_zone; state[at] = FREE; zone_locked = false
		fi
	:: state[at] == NAMED ->
		assert(name[at]);
		if
		:: name[at] = false; state[at] = OWNED
		:: 		/* becomes a mixed one, whose object is short or long */
			lock_map;
			name[at] = false;
			if
			:: is_long[at] = true; is_former[at] = true
			:: skip
			fi;
			state[at] = MIXED;
			map_locked = false
		fi
	:: state[at] == MIXED && is_long[at] && is_former[at] ->
		/* The former cache's free marks the object, which comes back some time later. */
		mark[at] = true;
		lock_map;
		assert(mark[at]);
		mark[at] = false;
		is_long[at] = false;
		is_former[at] = false;
		map_locked = false
	:: state[at] == MIXED && is_long[at] && !is_former[at] ->
		/* A free that is deferred. */
#ifndef CONTROL_NO_WAIT_TO_DEFER
		!is_leaving;
#endif
		mark[at] = true;
		lock_map;
		assert(mark[at]);
		mark[at] = false;
		is_long[at] = false;
		map_locked = false
	:: state[at] == MIXED && !is_long[at] ->
		lock_map;
		if
		:: is_long[at] = true
		:: state[at] = OWNED	/* the last block was freed */
		fi;
		map_locked = false
	fi;
	atomic { is_claimed[at] = false; at = 0 };
	goto again
}

init {
	atomic {
		run worker();
		run worker();
		run releaser()
	}
}
