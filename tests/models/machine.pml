/* SPDX-License-Identifier: MIT */
/*
 * The machine that the models run on: one slot, the threads that take turns on
 * it, and the kernel.
 *
 * A model defines OWNERS (threads that run sequences on the slot) and WORDS (of
 * memory that is shared) and includes this file.
 *
 * - One thread is on the slot. A switch puts any thread there, the same one again
 *   too (it was interrupted), on either of two CPUs, as the kernel does with
 *   mm_cid. A sequence that is under way in the thread that leaves is aborted.
 * - A sequence is one STEP() or STORE() after another. Each runs only while its
 *   thread is on the slot and the sequence has not been aborted; so there is a
 *   place for an abort, a switch and everybody else's steps in front of each.
 * - Stores of the thread on the slot pass through its CPU's store buffer, as on
 *   x86: they arrive in order, some time; that thread's own loads see them at
 *   once. A switch and membarrier's interrupt empty the buffer. A thread that is
 *   not on the slot stores directly: waiting in a buffer elsewhere is the same
 *   as storing later.
 * - membarrier visits one CPU after the other and aborts the sequence that is
 *   under way there. It does not look at a thread that is not on a CPU.
 */
#define DEPTH 2			/* of the store buffer */
#define NR_CPUS 2

byte word[WORDS];
byte buffer_word[DEPTH];
byte buffer_value[DEPTH];
byte buffered;
byte on;			/* the thread that is on the slot */
byte cpu;			/* where the slot is */
bool in_sequence[OWNERS];
chan to_abort[OWNERS] = [0] of { bit };	/* the kernel sends the thread to its abort label */
bool aborting;			/* not visible to other processes: an abort is one event */

#define buffer_has(i, w) (buffered > i && buffer_word[i] == w)

/* The value that the thread on the slot reads. */
#define load(w)								\
	(buffer_has(1, w) -> buffer_value[1] :				\
	(buffer_has(0, w) -> buffer_value[0] : word[w]))

#define store(w, value)							\
	buffer_word[buffered] = w;					\
	buffer_value[buffered] = value;					\
	buffered++

/* A word's value after a store. A model may define stores to a part of a word. */
#ifndef STORED
#define STORED(w, value) value
#endif

/* The oldest store arrives. */
inline arrive()
{
	word[buffer_word[0]] = STORED(buffer_word[0], buffer_value[0]);
	buffer_word[0] = buffer_word[1];
	buffer_value[0] = buffer_value[1];
	buffer_word[1] = 0;
	buffer_value[1] = 0;
	buffered--
}

inline empty_buffer()
{
	do
	:: buffered > 0 -> arrive()
	:: else -> break
	od
}

/* The end of an atomic statement: the thread goes on at its label. */
inline abort_sequence(thread)
{
	if
	:: in_sequence[thread] -> aborting = true; to_abort[thread] ! 0
	:: else
	fi
}

/*
 * The steps of a sequence. The process has its number in me, a label `again`, and
 * END: out of the sequence and of all that it knew. Between two steps there is no
 * statement, since a thread can be sent to its abort label only from a step.
 */
#define FIRST_STEP_IF(condition, ...)					\
	atomic { on == me && condition -> in_sequence[me] = true; __VA_ARGS__ }
#define FIRST_STEP(...) FIRST_STEP_IF(true, __VA_ARGS__)

#define STEP_IF(condition, ...)						\
	if								\
	:: atomic { on == me && condition -> __VA_ARGS__ } \
	:: atomic { to_abort[me] ? _ -> aborting = false; END; goto again } \
	fi
#define STEP(...) STEP_IF(true, __VA_ARGS__)
#define STORE(...) STEP_IF(buffered < DEPTH, __VA_ARGS__)

/* The last store: one event with whatever it hands over. */
#define COMMIT(w, value, ...)						\
	if								\
	:: d_step {							\
		on == me && buffered < DEPTH ->				\
		assert(!aborting);					\
		store(w, value);					\
		__VA_ARGS__;						\
		END							\
	   }								\
	:: atomic { to_abort[me] ? _ -> aborting = false; END; goto again } \
	fi

inline membarrier_visit(c)
{
	atomic {
		if
		:: cpu == c ->
#ifndef CONTROL_NO_FLUSH
			d_step { empty_buffer() };
#endif
			abort_sequence(on)
		:: else
		fi
	}
}

/* May return when each CPU has been visited. */
inline membarrier()
{
#ifndef CONTROL_NO_MEMBARRIER
	membarrier_visit(0);
	membarrier_visit(1)
#else
	skip
#endif
}

#define SWITCH(from, to, new_cpu)					\
	atomic {							\
		d_step { on == from -> empty_buffer(); on = to; cpu = new_cpu }; \
		abort_sequence(from)					\
	}

proctype kernel()
{
	do
	:: d_step { buffered > 0 -> arrive() }
	:: SWITCH(0, 0, 0)
	:: SWITCH(0, 0, 1)
	:: SWITCH(0, 1, 0)
	:: SWITCH(0, 1, 1)
	:: SWITCH(1, 0, 0)
	:: SWITCH(1, 0, 1)
	:: SWITCH(1, 1, 0)
	:: SWITCH(1, 1, 1)
	od
}
