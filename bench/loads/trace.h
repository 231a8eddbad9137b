/* SPDX-License-Identifier: MIT */
/*
 * A trace of what processes did to their address spaces; record_mm_events.py records one.
 *
 * A trace is one sequence of records about numbered address spaces:
 *
 *	space n			the following records are about address space n
 *	new n			n begins, empty, as by exec; then as `space n`
 *	copy n			n begins as a copy of the current one, as by fork
 *	exit			the current one ends
 *	touch range		its pages are used, one by one from the first; a page
 *				that was touched before is now written to
 *	unmap range		munmap, brk, MADV_DONTNEED, or something else mapped there
 *	protect range rights	mprotect
 *	move range to		mremap: pages mapped in the range are at `to` from now on
 *
 * Ranges are whole pages of 4 KiB below 2^47. The file:
 *
 *	"usermm mm events 1\n"
 *	9 numbers: the count of records of each kind, in the order above; all pages touched
 *	the records
 *	CRC-32 (as in zlib) of everything before, 4 bytes, the lowest first
 *
 * A number has 7 bits in each byte, the lowest first; bit 7 is set in all bytes but the last. A
 * record begins with a byte, whose highest 3 bits are the kind (0 to 7 as above).
 *
 * Without a range, the other 5 bits are n; 31 means that a number follows, to be added.
 *
 * With a range, the lowest 3 bits are the number of pages minus one; 7 means that a number follows,
 * to be added. The 2 bits above select one of the last four ends of ranges of this address space, 0
 * being the latest. Then a number follows: the distance in pages from the selected end to the start
 * of the range, encoded as twice the distance or, if it is negative, as twice its bitwise
 * complement plus one. The end of this range then becomes the latest of the four ends. It replaces
 * the selected end if the distance is less than 1024 pages, else the oldest end. The four ends are
 * zeros in a new address space, the parent's in a copy.
 *
 * In `protect` a number follows: PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4. In `move` the distance of
 * `to` from the latest end follows, with the same effect on the ends.
 */
#ifndef BENCH_LOADS_TRACE_H
#define BENCH_LOADS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAX_SPACES 1024
#define TRACE_NR_ENDS 4
#define TRACE_NEAR_PAGES 1024

enum trace_kind {
	TRACE_SPACE, TRACE_NEW, TRACE_COPY, TRACE_EXIT,
	TRACE_TOUCH, TRACE_UNMAP, TRACE_PROTECT, TRACE_MOVE,
	NR_TRACE_KINDS
};

#define TRACE_PROT_WRITE 2
#define TRACE_PROT_EXEC 4

/* One record. Records of the kind TRACE_SPACE are not returned. */
struct trace_event {
	enum trace_kind kind;
	unsigned int space;
	unsigned int child;		/* TRACE_COPY */
	uint64_t address, bytes;	/* TRACE_TOUCH and later kinds */
	uint64_t to;			/* TRACE_MOVE */
	unsigned int prot;		/* TRACE_PROTECT */
};

struct trace {
	uint64_t counts[NR_TRACE_KINDS];	/* records of each kind, from the head */
	uint64_t pages;				/* pages touched, from the head */
	const char *error;			/* what is wrong with the trace, or NULL */

	/* Private. */
	const uint8_t *start, *next, *end;
	uint64_t seen[NR_TRACE_KINDS], seen_pages;
	unsigned int space;
	bool live[TRACE_MAX_SPACES];
	uint64_t ends[TRACE_MAX_SPACES][TRACE_NR_ENDS];
};

/* Checks head and checksum. The caller keeps owning the bytes. False: see error. */
bool trace_open(struct trace *trace, const void *bytes, size_t nr);

/*
 * Reads the next event. False at the end, or if the trace is wrong: see error. At the end of a
 * correct trace no address space is live.
 */
bool trace_next(struct trace *trace, struct trace_event *event);

/* Starts again from the first event. */
void trace_rewind(struct trace *trace);

/* Maps a file and opens the trace in it. The file stays mapped. */
bool trace_open_file(struct trace *trace, const char *path);

#endif
