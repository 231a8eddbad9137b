/* SPDX-License-Identifier: MIT */
/*
 * Who owns what. Every object has a number; the oracle has two bits for it.
 *
 * held	while the test runs: set by whoever pops the object, cleared by whoever
 *	pushes it, each by compare-and-swap. A bit that is as it should become is an
 *	object that was handed out twice, or given back by somebody without it.
 * seen	when the test has ended: set once for every place where the object is found.
 *	Found twice is duplicated, not found is lost.
 */
#ifndef SELFTEST_ORACLE_H
#define SELFTEST_ORACLE_H

#include "base/compiler.h"

#define ORACLE_OBJECTS (65536 + 1024)

/* What is pushed and popped; the list's link is its first word. */
struct oracle_object {
	unsigned long link;
	unsigned long other;	/* so that an address is a multiple of 16 */
};

struct oracle {
	unsigned long held[ORACLE_OBJECTS / 64];	/* Sync: atomic relaxed */
	unsigned long seen[ORACLE_OBJECTS / 64];	/* Sync: one thread */
	unsigned long duplicated;			/* Sync: atomic relaxed */
	struct oracle_object objects[ORACLE_OBJECTS];
};

/* Nobody holds anything, nothing was seen. */
void oracle_reset(struct oracle *oracle);

static inline void *oracle_object(struct oracle *oracle, unsigned int number)
{
	return &oracle->objects[number];
}

/* -1 for what is no object. */
int oracle_number(const struct oracle *oracle, const void *object);

/* The caller has popped it, or is about to push it. False: it cannot have been. */
bool oracle_take(struct oracle *oracle, const void *object);
bool oracle_give(struct oracle *oracle, const void *object);

/* Found it. False if it had been found before, or is no object. */
bool oracle_see(struct oracle *oracle, const void *object);
/* How many of the nr objects from the given number on were not seen. */
unsigned int oracle_lost(const struct oracle *oracle, unsigned int first, unsigned int nr);

#endif
