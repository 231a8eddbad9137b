/* SPDX-License-Identifier: MIT */
#include "selftest/oracle.h"

#include <string.h>

#include "base/atomic.h"

void oracle_reset(struct oracle *oracle)
{
	memset(oracle->held, 0, sizeof(oracle->held));
	memset(oracle->seen, 0, sizeof(oracle->seen));
	oracle->duplicated = 0;
}

int oracle_number(const struct oracle *oracle, const void *object)
{
	unsigned long offset = (unsigned long)object - (unsigned long)oracle->objects;

	if (offset >= sizeof(oracle->objects) || offset % sizeof(struct oracle_object))
		return -1;
	return (int)(offset / sizeof(struct oracle_object));
}

/* Sets the object's bit `held` to `to`; false if it had this value already. */
static bool flip(struct oracle *oracle, const void *object, bool to)
{
	int number = oracle_number(oracle, object);
	unsigned long *word, bit, old;

	if (number >= 0) {
		word = &oracle->held[number / 64];
		bit = 1UL << (number % 64);
		old = atomic_load_relaxed(word);
		while (!(old & bit) == to)
			if (atomic_cas_relaxed(word, &old, old ^ bit))
				return true;
	}
	atomic_add_relaxed(&oracle->duplicated, 1);
	return false;
}

bool oracle_take(struct oracle *oracle, const void *object)
{
	return flip(oracle, object, true);
}

bool oracle_give(struct oracle *oracle, const void *object)
{
	return flip(oracle, object, false);
}

bool oracle_see(struct oracle *oracle, const void *object)
{
	int number = oracle_number(oracle, object);

	if (number >= 0 && !(oracle->seen[number / 64] >> (number % 64) & 1)) {
		oracle->seen[number / 64] |= 1UL << (number % 64);
		return true;
	}
	atomic_add_relaxed(&oracle->duplicated, 1);
	return false;
}

unsigned int oracle_lost(const struct oracle *oracle, unsigned int first, unsigned int nr)
{
	unsigned int lost = 0;

	for (unsigned int i = first; i < first + nr; i++)
		lost += !(oracle->seen[i / 64] >> (i % 64) & 1);
	return lost;
}
