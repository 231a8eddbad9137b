/* SPDX-License-Identifier: MIT */
/*
 * Keeps track of who owns each object. Every object has a number and two bits:
 *
 * held	for the time of the test. Whoever pops the object sets the bit, whoever pushes it clears
 *	the bit, by compare-and-swap. If the bit has the new value already, the object was handed
 *	out twice, or pushed by somebody who did not own it.
 * seen	for the end of the test. The bit is set where the object is found. An object found twice
 *	is duplicated; an object not found is lost.
 */
#ifndef SELFTEST_ORACLE_H
#define SELFTEST_ORACLE_H

#include "base/compiler.h"

#define ORACLE_OBJECTS (65536 + 1024)

/* The objects that are pushed and popped. The first word is the list's link. */
struct oracle_object {
	unsigned long link;
	unsigned long other;	/* makes addresses multiples of 16 */
};

struct oracle {
	unsigned long held[ORACLE_OBJECTS / 64];	/* Sync: atomic relaxed */
	unsigned long seen[ORACLE_OBJECTS / 64];	/* Sync: one thread */
	unsigned long duplicated;			/* Sync: atomic relaxed */
	struct oracle_object objects[ORACLE_OBJECTS];
};

/* Clears all bits. */
void oracle_reset(struct oracle *oracle);

static inline void *oracle_object(struct oracle *oracle, unsigned int number)
{
	return &oracle->objects[number];
}

/* The object's number; -1 if the address is no object's. */
int oracle_number(const struct oracle *oracle, const void *object);

/*
 * oracle_take(): the caller has popped the object. oracle_give(): the caller is about to push it.
 * False if that contradicts the bit `held`.
 */
bool oracle_take(struct oracle *oracle, const void *object);
bool oracle_give(struct oracle *oracle, const void *object);

/* The object was found. False if it was found before, or is no object. */
bool oracle_see(struct oracle *oracle, const void *object);
/* How many of the nr objects from the given number on were not seen. */
unsigned int oracle_lost(const struct oracle *oracle, unsigned int first, unsigned int nr);

#endif
