// SPDX-License-Identifier: MIT
/* Programs for bench_heavy.py: numbers and sets of bits. */
#include <string.h>

#include "heavy.h"

/* --- bignum: arithmetic that allocates each result ------------------------------------ */

struct number {
	uint32_t words;
	uint32_t word[];
};

static struct number *new_number(uint32_t words)
{
	struct number *number = allocate(sizeof(*number) + words * sizeof(uint32_t));

	number->words = words;
	return number;
}

static struct number *times_small(const struct number *a, uint32_t factor, uint32_t add)
{
	struct number *result = new_number(a->words + 1);
	uint64_t carry = add;

	for (uint32_t i = 0; i < a->words; i++) {
		carry += (uint64_t)a->word[i] * factor;
		result->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	result->word[a->words] = (uint32_t)carry;
	result->words -= !carry;
	return result;
}

static struct number *sum_of(const struct number *a, const struct number *b)
{
	const struct number *longer = a->words > b->words ? a : b;
	const struct number *other = longer == a ? b : a;
	struct number *result = new_number(longer->words + 1);
	uint64_t carry = 0;

	for (uint32_t i = 0; i < longer->words; i++) {
		carry += longer->word[i];
		carry += i < other->words ? other->word[i] : 0;
		result->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	result->word[longer->words] = (uint32_t)carry;
	result->words -= !carry;
	return result;
}

static uint32_t rest_of(const struct number *a, uint32_t by)
{
	uint64_t rest = 0;

	for (uint32_t i = a->words; i-- > 0;)
		rest = (rest << 32 | a->word[i]) % by;
	return (uint32_t)rest;
}

/* The numerators and denominators of a continued fraction, to 2 to 12 words. */
uint64_t heavy_bignum(void)
{
	uint64_t sum = 0, seed = 1234567;

	for (unsigned long i = scaled(700000); i-- > 0;) {
		struct number *before = new_number(1), *now = new_number(1);

		before->word[0] = 1;
		now->word[0] = 1 + below(&seed, 9);
		for (int term = 0; term < 40; term++) {
			struct number *scaled_up = times_small(now, 1 + below(&seed, 200), 0);
			struct number *next = sum_of(scaled_up, before);

			free(scaled_up);
			free(before);
			before = now;
			now = next;
		}
		sum += rest_of(now, 1000003);
		free(now);
		free(before);
	}
	return sum;
}

/* --- cubes: sets of bit sets that are merged, as logic minimisers do ------------------ */

struct cover {
	uint32_t count, room, words;
	uint64_t **cube;
};

static struct cover *new_cover(uint32_t words)
{
	struct cover *cover = allocate(sizeof(*cover));

	*cover = (struct cover){ .room = 4, .words = words, .cube = allocate(4 * sizeof(void *)) };
	return cover;
}

static void add_cube(struct cover *cover, uint64_t *cube)
{
	if (cover->count == cover->room)
		cover->cube = must(realloc(cover->cube, (cover->room *= 2) * sizeof(void *)));
	cover->cube[cover->count++] = cube;
}

static void drop_cover(struct cover *cover)
{
	for (uint32_t i = 0; i < cover->count; i++)
		free(cover->cube[i]);
	free(cover->cube);
	free(cover);
}

/* The cubes of both that meet, each as a new cube. */
static struct cover *meet(const struct cover *a, const struct cover *b)
{
	struct cover *result = new_cover(a->words);

	for (uint32_t i = 0; i < a->count; i++) {
		for (uint32_t j = 0; j < b->count; j++) {
			uint64_t *cube = allocate(a->words * sizeof(uint64_t)), any = 0;

			for (uint32_t k = 0; k < a->words; k++)
				any |= cube[k] = a->cube[i][k] & b->cube[j][k];
			if (any & 255)
				free(cube);
			else
				add_cube(result, cube);
		}
	}
	return result;
}

static struct cover *random_cover(uint64_t *seed, uint32_t words, uint32_t count)
{
	struct cover *cover = new_cover(words);

	while (count-- > 0) {
		uint64_t *cube = allocate(words * sizeof(uint64_t));

		for (uint32_t k = 0; k < words; k++)
			cube[k] = (uint64_t)next_random(seed) << 32 | next_random(seed);
		add_cube(cover, cube);
	}
	return cover;
}

uint64_t heavy_cubes(void)
{
	uint64_t sum = 0, seed = 424242;

	for (unsigned long i = scaled(90000); i-- > 0;) {
		uint32_t words = 1 + below(&seed, 8);
		struct cover *a = random_cover(&seed, words, 8 + below(&seed, 32));
		struct cover *b = random_cover(&seed, words, 8 + below(&seed, 32));
		struct cover *both = meet(a, b);

		sum += both->count;
		drop_cover(a);
		drop_cover(both);
		drop_cover(b);
	}
	return sum;
}
