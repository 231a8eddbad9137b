/* SPDX-License-Identifier: MIT */
/*
 * The places that a stepped run comes by: the addresses of the program's own instructions, each
 * once. A test runs a call once with stepping_run() and place_note(), then once for each place with
 * stepping_break_at(), and does something there.
 */
#ifndef SUPPORT_PLACES_H
#define SUPPORT_PLACES_H

#define NR_PLACES 4096U

static unsigned long places[NR_PLACES];
static unsigned int nr_places;

extern const char __executable_start[], etext[];

static inline void place_note(unsigned long address)
{
	if (address < (unsigned long)__executable_start || address >= (unsigned long)etext)
		return;
	for (unsigned int i = 0; i < nr_places; i++)
		if (places[i] == address)
			return;
	if (nr_places < NR_PLACES)
		places[nr_places++] = address;
}

#endif
