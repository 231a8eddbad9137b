/* SPDX-License-Identifier: MIT */
/*
 * What processes did to their address spaces, as record_mm_events.py has recorded it.
 *
 * A trace is one sequence of records about numbered address spaces:
 *
 *	space n			the records that follow are about address space n
 *	new n			n begins, empty, as by exec; and as by `space n`
 *	copy n			n begins as a copy of this one, as by fork
 *	exit			this one ends
 *	touch range		its pages are used, one by one from the first; a page
 *				that was touched before is now written to
 *	unmap range		munmap, brk, MADV_DONTNEED, or something else mapped there
 *	protect range rights	mprotect
 *	move range to		mremap: what is mapped there is at `to` from now on
 *
 * Ranges are whole pages of 4 KiB below 2^47. The file:
 *
 *	"usermm mm events 1\n"
 *	9 numbers: the records of each kind, in the order above; all pages touched
 *	the records
 *	CRC-32 (as in zlib) of all before, 4 bytes, the lowest first
 *
 * A number has 7 bits a byte, the lowest first, bit 7 set in all bytes but the last. A
 * record begins with a byte whose highest 3 bits are the kind (0 to 7 as above). In the
 * other 5 bits is n; 31 means that a number follows, to be added. Records with a range have
 * there, in 3 bits, the number of pages less one, 7 in the same way; above it, in 2 bits,
 * which of the last four ends of ranges of this address space the distance to the
 * start of the range counts from, 0 the latest. Then comes the distance in pages as a number:
 * twice itself, or if it is negative twice the bits' complement plus one. The end of this
 * range is the latest from now on; the one it was counted from gives way to it if it is less
 * than 1024 pages away, else the oldest. A new address space has four zeros, a copy its
 * parent's. `protect` has a number behind that, PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4;
 * `move` the distance of `to` from the latest end, with the same effect.
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

/* One record; those of the kind TRACE_SPACE are not handed out. */
struct trace_event {
	enum trace_kind kind;
	unsigned int space;
	unsigned int child;		/* TRACE_COPY */
	uint64_t address, bytes;	/* from TRACE_TOUCH on */
	uint64_t to;			/* TRACE_MOVE */
	unsigned int prot;		/* TRACE_PROTECT */
};

struct trace {
	uint64_t counts[NR_TRACE_KINDS];	/* as the head says */
	uint64_t pages;				/* touched, likewise */
	const char *error;			/* what is wrong with the trace; NULL: nothing */

	/* Private. */
	const uint8_t *start, *next, *end;
	uint64_t seen[NR_TRACE_KINDS], seen_pages;
	unsigned int space;
	bool live[TRACE_MAX_SPACES];
	uint64_t ends[TRACE_MAX_SPACES][TRACE_NR_ENDS];
};

/* Looks at head and checksum; the bytes stay the caller's. False: see error. */
bool trace_open(struct trace *trace, const void *bytes, size_t nr);

/*
 * The next event; false at the end, or where the trace is wrong: see error. No address
 * space is live at the end of a trace that is right.
 */
bool trace_next(struct trace *trace, struct trace_event *event);

/* From the start again. */
void trace_rewind(struct trace *trace);

/* Maps a file and opens the trace in it, for good. */
bool trace_open_file(struct trace *trace, const char *path);

#endif
