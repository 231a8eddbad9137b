/* SPDX-License-Identifier: MIT */
/*
 * The record of a mixed slab moves while its blocks' owners read it without the lock
 * (src/slab/mixed/mixed_record.h).
 *
 * - A reader counts itself, reads the slab's word, reads the record that the word names, and counts
 *   itself out. Both counts are locked operations.
 * - The mover, under the lock, fills another page with the copy, writes the word, and looks at the
 *   count. If somebody reads, the old page waits until it sees the count at 0. Then the page is
 *   used again, for other records.
 *
 * There are two places for the record, and two readers.
 */
#define PLACES 2

bool is_record[PLACES];		/* the place has the record, complete */
byte word;			/* the place that the slab's word names */
byte readers;
bool is_left[PLACES];		/* an old page that waits */

proctype reader()
{
	byte seen;

again:
#ifdef CONTROL_COUNTS_LATE
	seen = word;
	readers++;
#else
	readers++;
	seen = word;
#endif
	assert(is_record[seen]);
	atomic { seen = 0; readers-- };
	goto again
}

#define other (1 - word)

/* One thread at a time, which holds the lock. */
proctype mover()
{
	bool is_free;

again:	if
	:: is_left[other] ->
#ifdef CONTROL_USES_LEFT
		atomic { is_left[other] = false; is_record[other] = false }
#else
		if
		:: atomic { readers == 0 -> is_left[other] = false }; is_record[other] = false
		:: atomic { readers != 0 -> skip }
		fi
#endif
	:: else ->
#ifdef CONTROL_COPIES_LATE
		word = other;
		is_record[word] = true;
#else
		is_record[other] = true;
		word = other;
#endif
		is_free = readers == 0;
		if
		:: is_free -> is_record[other] = false
		:: else -> is_left[other] = true
		fi;
		is_free = false
	fi;
	goto again
}

init {
	atomic {
		is_record[0] = true;
		run reader();
		run reader();
		run mover()
	}
}
