/* SPDX-License-Identifier: MIT */
/*
 * The word of a slab, {freelist, counters}, and who may change it: a CPU's freelist that
 * ends in a token, frees from elsewhere, the node's partial list. See src/slab/slab.h.
 *
 * - A CPU's head is none (0), a free object, or a token: the slab is this CPU's, and no
 *   object of it is left in the list. Pop and push on a head are one event each here;
 *   that they are is what percpu_stop_list.pml shows. A thread may be on another CPU at
 *   each of its steps: every step on a head picks any CPU.
 * - A slab's word is changed by a compare-and-swap of all of it. A loop around one is one
 *   event, the swap that succeeds, unless it reads more than the word; so pop has two.
 *   Anyone pushes. Who froze the slab takes its freelist, carves and unfreezes; while
 *   it is not frozen that belongs to the lock of the node.
 * - Every slab's freelist ends in the slab's token, so that a freelist that is taken is a
 *   CPU's list at once.
 * - The partial list is the set of slabs with on_partial; any of them may be the first.
 *   min_partial is 0, so that an empty slab has no right to stay.
 *
 * Two rules make each slab with free objects be on the list once:
 *
 *	Who makes a slab that is not frozen not full, by freeing to a full one or by
 *	unfreezing, owes it to the list. Nobody else can get at it until it is there,
 *	also not to discard it; so who puts it there looks whether it is empty by now.
 *
 *	Who would make a slab that is not frozen empty takes the lock first. While its
 *	object is out the slab is one of this cache; behind the swap it may be anything.
 *	Under the lock it may go without a swap: the last object is this thread's, and
 *	nobody else can take from the slab or freeze it.
 *
 * When nobody is under way a watcher looks at all objects, heads, slabs and the list. Pages
 * that no slab has may be another cache's, with an on_partial of its own.
 *
 * TOKEN_IS_NO_SLAB and OBJECT_0 are what the first version of the seed did: it put a new slab
 * where a CPU had a token, and sent the first object of a CPU's own slab the slow way.
 */
#define CPUS 2
#define SLABS 2
#define PER_SLAB 2
#define OBJECTS (SLABS * PER_SLAB)

/* Object numbers are 1..OBJECTS; 0 is none. */
#define TOKEN(slab) (OBJECTS + 1 + (slab))
#define is_object(link) ((link) >= 1 && (link) <= OBJECTS)
#define is_token(link) ((link) > OBJECTS)
#define slab_of_object(object) (((object) - 1) / PER_SLAB)
#define slab_of(link) (is_token(link) -> (link) - OBJECTS - 1 : slab_of_object(link))
#define object_at(slab, index) ((slab) * PER_SLAB + (index) + 1)
#ifdef CONTROL_OBJECT_0
#define CPU_REFUSES(object) (((object) - 1) % PER_SLAB == 0)
#else
#define CPU_REFUSES(object) false
#endif

/* Counters: how many objects are out, how many ever were, frozen. */
#define make(nr_inuse, nr_carved, is_frozen) ((nr_inuse) + 4 * (nr_carved) + 16 * (is_frozen))
#define inuse(counters) ((counters) & 3)
#define carved(counters) (((counters) >> 2) & 3)
#define frozen(counters) ((counters) >> 4)
#define is_full(counters) (inuse(counters) == PER_SLAB)

#define NOBODYS 0
#define OURS 1
#define ANOTHERS 2
#define NO_SLAB SLABS

byte head[CPUS];
byte freelist[SLABS];		/* with counters: the slab's word */
byte counters[SLABS];
byte owner[SLABS];
bool on_partial[SLABS];
byte link[OBJECTS + 1];
bool is_out[OBJECTS + 1];	/* the user's */
bool locked;
byte busy;			/* threads that are in a call */

/* One compare-and-swap that succeeds, and the reads before it. */
#define SWAP(slab, new_list, new_counters)				\
	assert(owner[slab] == OURS);					\
	seen = counters[slab];						\
	freelist[slab] = new_list;					\
	counters[slab] = new_counters

#define hand_out(object)						\
	assert(is_object(object) && !is_out[object]);			\
	is_out[object] = true;						\
	link[object] = 0

#define BEGIN busy++
#define END								\
	busy--;								\
	cpu = 0; slab = NO_SLAB; list = 0; tail = 0; nr = 0; object = 0; \
	seen = 0; owes = false; holds = false

/* Any CPU. */
#define PICK_CPU if :: cpu = 0 :: cpu = 1 fi

/* The lock is held. The pages go when it is not; nr objects are out that this thread has. */
inline discard(nr_ours)
{
	d_step {
		assert(locked && owner[slab] == OURS && on_partial[slab]);
		assert(!frozen(counters[slab]) && inuse(counters[slab]) == nr_ours);
		on_partial[slab] = false;
		locked = false
	};
	d_step {
		owner[slab] = NOBODYS;
		freelist[slab] = 0;
		counters[slab] = 0;
		link[object_at(slab, 0)] = 0;
		link[object_at(slab, 1)] = 0
	}
}

#define is_empty(counters) (!frozen(counters) && inuse(counters) == 0)

/* Pays what is owed: the slab is not full, not frozen, and on no list. */
inline add_partial()
{
	atomic {
		!locked || holds ->
		locked = true;
		assert(owner[slab] == OURS && !on_partial[slab]);
		assert(!frozen(counters[slab]) && !is_full(counters[slab]));
		on_partial[slab] = true
	};
#ifndef CONTROL_EMPTY_IS_ADDED
	if
	:: is_empty(counters[slab]) -> discard(0)
	:: atomic { else -> locked = false }
	fi
#else
	locked = false
#endif
}

/*
 * A slab that a CPU had, and is nobody's but this thread's, with `list` of it: what
 * is in the list goes back, and the slab is unfrozen.
 */
inline deactivate()
{
	d_step {
		nr = 0;
		tail = list;
		do
		:: is_object(tail) ->
			nr++;
			if
			:: is_object(link[tail]) -> tail = link[tail]
			:: else -> break
			fi
		:: else -> break
		od
	};
#ifdef CONTROL_UNFREEZE_STORES
	atomic {
		seen = counters[slab];
		if
		:: nr -> link[tail] = freelist[slab]
		:: else -> list = freelist[slab]
		fi
	};
	d_step { freelist[slab] = list; counters[slab] = make(inuse(seen) - nr, carved(seen), 0) };
#else
	d_step {
		assert(frozen(counters[slab]));
		if
		:: nr -> assert(link[tail] == TOKEN(slab)); link[tail] = freelist[slab]
		:: else -> assert(list == TOKEN(slab)); list = freelist[slab]
		fi;
		SWAP(slab, list, make(inuse(seen) - nr, carved(seen), 0));
		tail = 0;
		list = 0
	};
#endif
#ifndef CONTROL_FREER_ADDS
	if
	:: inuse(seen) - nr < PER_SLAB -> seen = 0; nr = 0; add_partial()
	:: else
	fi
#endif
}

proctype worker()
{
	byte cpu, slab = NO_SLAB, list, tail, nr, object, seen;
	bool owes, holds;

	/* What to do, and its fast path. */
again:	atomic {
		if
		:: skip
		:: BEGIN; goto take_one
		:: is_out[1] -> object = 1
		:: is_out[2] -> object = 2
		:: is_out[3] -> object = 3
		:: is_out[4] -> object = 4
		fi;
		BEGIN;
		PICK_CPU;
		if
		:: object == 0 && is_object(head[cpu]) ->
			object = head[cpu];
			head[cpu] = link[object];
			hand_out(object);
			END;
			goto again
		:: object == 0 && !is_object(head[cpu]) ->
			cpu = 0;
			goto allocate
		:: object != 0 && head[cpu] != 0 && slab_of(head[cpu]) == slab_of_object(object) &&
		   !CPU_REFUSES(object) ->
			is_out[object] = false;
			link[object] = head[cpu];
			head[cpu] = object;
			END;
			goto again
		:: else ->
			/* A CPU's own slab is never left to the slow path. */
			assert(head[cpu] == 0 || slab_of(head[cpu]) != slab_of_object(object));
			is_out[object] = false;
			slab = slab_of_object(object);
			cpu = 0;
			goto free
		fi
	};

	/* --- Allocation. Detach: what was the CPU's becomes the thread's. */
allocate:
	atomic {
		PICK_CPU;
		if
		:: is_object(head[cpu]) -> END; goto again
		:: is_token(head[cpu]) ->
#ifndef CONTROL_TOKEN_IS_NO_SLAB
			slab = slab_of(head[cpu]);
#ifndef CONTROL_NO_DETACH
			head[cpu] = 0;
#endif
			cpu = 0;
			goto refill
#endif
		:: else
		fi;
		cpu = 0
	};

next_slab:
	atomic {
		!locked ->
		if
		:: on_partial[0] && owner[0] == OURS -> slab = 0; locked = true
		:: on_partial[1] && owner[1] == OURS -> slab = 1; locked = true
		:: else ->
			if
			:: owner[0] == NOBODYS -> slab = 0
			:: owner[1] == NOBODYS -> slab = 1
			:: else -> END; goto again
			fi;
			owner[slab] = OURS;
			freelist[slab] = TOKEN(slab);
			counters[slab] = make(0, 0, 1);
			goto refill
		fi;
		on_partial[slab] = false
	};
	d_step {
		assert(!frozen(counters[slab]) && !is_full(counters[slab]));
		SWAP(slab, freelist[slab], make(inuse(seen), carved(seen), 1));
		seen = 0;
		locked = false
	};

	/* Frozen, and this thread's alone. */
refill:	atomic {
		assert(frozen(counters[slab]));
		if
		:: is_object(freelist[slab]) ->
			list = freelist[slab];
			SWAP(slab, TOKEN(slab), make(carved(seen), carved(seen), 1))
		:: is_token(freelist[slab]) && carved(counters[slab]) < PER_SLAB ->
			SWAP(slab, freelist[slab], make(inuse(seen) + 1, carved(seen) + 1, 1));
			list = object_at(slab, carved(seen));
			link[list] = TOKEN(slab)
		:: else ->
			assert(is_full(counters[slab]));
			SWAP(slab, freelist[slab], make(inuse(seen), carved(seen), 0));
			slab = NO_SLAB;
			seen = 0;
			goto next_slab
		fi;
		seen = 0;
		/* The first object is the caller's. */
		object = list;
		list = link[object];
		hand_out(object);
		object = 0
	};
	/* The rest becomes a CPU's if that has none. */
	atomic {
		PICK_CPU;
		if
#ifdef CONTROL_TOKEN_IS_NO_SLAB
		:: !is_object(head[cpu]) ->
#else
		:: head[cpu] == 0 ->
#endif
			head[cpu] = list;
			END;
			goto again
		:: else -> cpu = 0
		fi
	};
	deactivate();
	atomic { END };
	goto again;

	/* --- One object of a partial slab, under the lock: slab_take_objects() */
take_one:
	atomic {
		!locked ->
		if
		:: on_partial[0] && owner[0] == OURS -> slab = 0
		:: on_partial[1] && owner[1] == OURS -> slab = 1
		:: else -> goto new_slab
		fi;
		locked = true
	};
	goto pop;
new_slab:
	atomic {
		if
		:: owner[0] == NOBODYS -> slab = 0
		:: owner[1] == NOBODYS -> slab = 1
		:: else -> END; goto again
		fi;
		owner[slab] = OURS;
		freelist[slab] = TOKEN(slab);
		counters[slab] = make(0, 0, 0)
	};
	atomic {
		!locked ->
		locked = true;
		assert(!on_partial[slab]);
		on_partial[slab] = true
	};
	/* The link is read before the swap: the top must be the same object still, unpopped. */
pop:	atomic {
		seen = counters[slab];
		assert(!frozen(seen) && !is_full(seen));
		object = freelist[slab];
		list = (is_object(object) -> link[object] : 0)
	};
	atomic {
		if
		:: counters[slab] == seen && freelist[slab] == object && is_object(object) ->
			SWAP(slab, list, make(inuse(seen) + 1, carved(seen), 0))
		:: counters[slab] == seen && freelist[slab] == object && is_token(object) ->
			object = object_at(slab, carved(seen));
			SWAP(slab, freelist[slab], make(inuse(seen) + 1, carved(seen) + 1, 0))
		:: else -> goto pop
		fi;
		hand_out(object);
		object = 0;
		list = 0
	};
	/* It may be owed again by now. */
	atomic {
		if
		:: inuse(seen) + 1 == PER_SLAB -> on_partial[slab] = false
		:: else
		fi;
		locked = false;
		END
	};
	goto again;

	/* --- Free */
free:	atomic {
#ifndef CONTROL_EMPTY_WITHOUT_LOCK
		if
#ifdef CONTROL_DROP_WITHOUT_LOCK
		:: !frozen(counters[slab]) && inuse(counters[slab]) == 1 && on_partial[slab] ->
			goto drop
#endif
		:: !frozen(counters[slab]) && inuse(counters[slab]) == 1 && !holds ->
			holds = true;
			goto free_locked
		:: else
		fi;
#endif
		/* All that is out of a slab which nobody can take from or freeze. */
		if
		:: holds && !frozen(counters[slab]) && inuse(counters[slab]) == 1 &&
		   on_partial[slab] ->
			goto drop
		:: true
		fi;
		link[object] = freelist[slab];
		SWAP(slab, object, make(inuse(seen) - 1, carved(seen), frozen(seen)));
		object = 0;
#ifdef CONTROL_FROZEN_IS_OWED
		owes = is_full(seen);
#else
		owes = is_full(seen) && !frozen(seen);
#endif
		seen = 0
	};
	if
	:: owes ->
#ifndef CONTROL_FREE_OWES_NOTHING
		add_partial()
#endif
	:: !owes && holds && is_empty(counters[slab]) && on_partial[slab] -> discard(0)
	:: atomic {
		!owes && holds && !(is_empty(counters[slab]) && on_partial[slab]) ->
		locked = false
	   }
#ifdef CONTROL_EMPTY_WITHOUT_LOCK
	:: !owes && is_empty(counters[slab]) ->
		atomic { !locked -> locked = true };
		holds = on_partial[slab];
		holds = holds && owner[slab] == OURS;
		if
		:: holds && is_empty(counters[slab]) -> discard(0)
		:: atomic { !(holds && is_empty(counters[slab])) -> locked = false }
		fi
#endif
	:: else
	fi;
	atomic { END };
	goto again;
free_locked:
	atomic { !locked -> locked = true };
	goto free;

	/* Not linked, and no swap: the object is nobody's but this thread's. */
drop:	discard(1);
	atomic { END };
	goto again
}

/* kmem_cache_shrink(): each CPU's list goes back, and what is empty is discarded. */
proctype shrinker()
{
	byte cpu, slab = NO_SLAB, list, tail, nr, object, seen;
	bool owes, holds;

again:	atomic {
		BEGIN;
		PICK_CPU;
		if
		:: head[cpu] == 0 -> END; goto again
		:: else
		fi;
		list = head[cpu];
		head[cpu] = 0;
		cpu = 0;
		slab = slab_of(list)
	};
	deactivate();
	atomic { END };
	goto again
}

/* Each object is at one place: with its user, in a CPU's list, in its slab's, or not carved. */
inline look_along(start)
{
	at = start;
	do
	:: is_object(at) ->
		assert(slab_of_object(at) == slab && !met[at] && !is_out[at]);
		met[at] = true;
		nr++;
		at = link[at]
	:: else -> break
	od
}

inline look_at_slab()
{
	nr_heads = 0;
	nr = 0;
	cpu = 0;
	do
	:: cpu < CPUS ->
		if
		:: head[cpu] != 0 && slab_of(head[cpu]) == slab ->
			nr_heads++;
			look_along(head[cpu]);
			assert(at == TOKEN(slab))
		:: else
		fi;
		cpu++
	:: else -> break
	od;
	object = object_at(slab, 0);
	do
	:: object < object_at(slab, PER_SLAB) ->
		nr = nr + is_out[object];
		assert(!is_out[object] || owner[slab] == OURS);
		object++
	:: else -> break
	od;
	assert(nr == 0 || owner[slab] == OURS);
	assert(nr_heads == 0 || owner[slab] == OURS);
	if
	:: owner[slab] == OURS ->
		assert(nr == inuse(counters[slab]));
		assert(nr_heads == frozen(counters[slab]));
		nr = 0;
		look_along(freelist[slab]);
		assert(at == TOKEN(slab));
		assert(nr == carved(counters[slab]) - inuse(counters[slab]));
		assert(on_partial[slab] ==
		       (!frozen(counters[slab]) && !is_full(counters[slab])));
		assert(frozen(counters[slab]) || inuse(counters[slab]) != 0)
	:: else
	fi
}

proctype watcher()
{
	byte slab, cpu, object, nr, nr_heads, at;
	bool met[OBJECTS + 1];

	do
	:: d_step {
		busy == 0 ->
		assert(!locked);
		slab = 0;
		do
		:: slab < SLABS -> look_at_slab(); slab++
		:: else -> break
		od;
		object = 0;
		do
		:: object <= OBJECTS -> met[object] = false; object++
		:: else -> break
		od;
		slab = 0; cpu = 0; object = 0; nr = 0; nr_heads = 0; at = 0
	   }
	/* another cache's slab, and its end */
	:: d_step { owner[0] == NOBODYS -> owner[0] = ANOTHERS; on_partial[0] = true }
	:: d_step { owner[0] == ANOTHERS -> owner[0] = NOBODYS; on_partial[0] = false }
	od
}

init {
	atomic {
		run worker();
		run worker();
		run shrinker();
		run watcher()
	}
}
