// SPDX-License-Identifier: MIT
/*
 * Programs that do little but allocate, for bench_heavy.py:
 *
 *	programs NAME [DIVISOR]
 *
 * Each does the same work in each run, calls malloc() and its kin alone, writes to what it gets,
 * and prints a sum of what it computed, which is the same under every allocator, and its peak in
 * KiB. With a DIVISOR it does that much less, for tests.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peak.h"

#define MIB (1UL << 20)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static unsigned long divisor = 1;

/* A number of rounds, for the divisor. */
static unsigned long scaled(unsigned long number)
{
	return number / divisor ? number / divisor : 1;
}

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state * 2685821657736338717U >> 32);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)next_random(state) * n >> 32);
}

static void *must(void *memory)
{
	if (!memory) {
		fputs("programs: no memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void *allocate(size_t size)
{
	return must(malloc(size));
}

/* --- replace: a table whose blocks are replaced at random ----------------------------- */

static uint64_t replace_rounds(uint64_t seed, unsigned char **table, uint32_t slots,
			       uint32_t low, uint32_t high, unsigned long rounds)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned char **slot = &table[below(&seed, slots)];
		uint32_t size = low + below(&seed, high - low + 1);

		if (*slot)
			sum += **slot;
		free(*slot);
		*slot = allocate(size);
		(*slot)[0] = (unsigned char)i;
		(*slot)[size - 1] = (unsigned char)i;
	}
	return sum;
}

static uint64_t replace(uint32_t slots, uint32_t low, uint32_t high, unsigned long rounds)
{
	unsigned char **table = must(calloc(slots, sizeof(*table)));
	uint64_t sum = replace_rounds(88172645463325252, table, slots, low, high, rounds);

	for (uint32_t i = 0; i < slots; i++)
		free(table[i]);
	free(table);
	return sum;
}

static uint64_t run_replace_small(void)
{
	return replace(1000, 8, 1024, scaled(20000000));
}

static uint64_t run_replace_many(void)
{
	return replace(400000, 16, 256, scaled(6000000));
}

/* --- rounds: a few blocks of mixed sizes, freed in the order they came ---------------- */

static uint64_t run_rounds(void)
{
	static const uint16_t sizes[] = { 24, 80, 16, 200, 40, 128, 520, 32, 8, 64, 1040, 48, 16,
					  96, 24, 2500, 56, 40, 300, 16, 72, 24, 160, 32, 400 };
	unsigned char *blocks[ARRAY_SIZE(sizes)];
	uint64_t sum = 0;

	for (unsigned long i = scaled(1600000); i-- > 0;) {
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
			blocks[j] = allocate(sizes[j]);
			*blocks[j] = (unsigned char)(i + j);
		}
		for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
			sum += *blocks[j];
			free(blocks[j]);
		}
	}
	return sum;
}

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
static uint64_t run_bignum(void)
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

static uint64_t run_cubes(void)
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

/* --- trees: binary trees come and go, one stays --------------------------------------- */

struct tree {
	struct tree *left, *right;
};

static struct tree *new_tree(int depth)
{
	struct tree *tree = allocate(sizeof(*tree));

	tree->left = depth ? new_tree(depth - 1) : NULL;
	tree->right = depth ? new_tree(depth - 1) : NULL;
	return tree;
}

static uint64_t drop_tree(struct tree *tree)
{
	uint64_t count = tree ? 1 : 0;

	if (tree) {
		count += drop_tree(tree->left);
		count += drop_tree(tree->right);
	}
	free(tree);
	return count;
}

static uint64_t run_trees(void)
{
	struct tree *stays = new_tree(17);
	uint64_t sum = 0;

	for (int depth = 4; depth <= 16; depth += 4)
		for (unsigned long i = scaled(6000000UL >> depth); i-- > 0;)
			sum += drop_tree(new_tree(depth));
	return sum + drop_tree(stays);
}

/* --- words: a table of strings with counts -------------------------------------------- */

struct word {
	struct word *next;
	char *text;
	unsigned long count;
};

#define BUCKETS 65536

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 16777619;
	return hash;
}

static void count_word(struct word **table, const char *text)
{
	struct word **place = &table[hash_of(text) % BUCKETS];

	for (struct word *word = *place; word; word = word->next) {
		if (!strcmp(word->text, text)) {
			word->count++;
			return;
		}
	}
	struct word *word = allocate(sizeof(*word));

	*word = (struct word){ .next = *place, .text = must(strdup(text)), .count = 1 };
	*place = word;
}

static uint64_t drop_words(struct word **table)
{
	uint64_t sum = 0;

	for (int i = 0; i < BUCKETS; i++) {
		for (struct word *word = table[i], *next; word; word = next) {
			next = word->next;
			sum += word->count * strlen(word->text);
			free(word->text);
			free(word);
		}
	}
	return sum;
}

static uint64_t run_words(void)
{
	uint64_t sum = 0, seed = 99;

	for (unsigned long i = scaled(28); i-- > 0;) {
		struct word **table = must(calloc(BUCKETS, sizeof(*table)));

		for (int j = 0; j < 150000; j++) {
			char text[64];

			snprintf(text, sizeof(text), "%.*s%x", (int)below(&seed, 30),
				 "a-word-that-has-many-letters-in-it", below(&seed, 60000));
			count_word(table, text);
		}
		sum += drop_words(table);
		free(table);
	}
	return sum;
}

/* --- json: documents are parsed into trees, printed and dropped ----------------------- */

enum json_kind { JSON_NUMBER, JSON_STRING, JSON_LIST };

struct json {
	enum json_kind kind;
	uint32_t count, room;
	char *text;			/* name or string */
	struct json **item;
};

static struct json *new_json(uint64_t *seed, int depth)
{
	struct json *json = must(calloc(1, sizeof(*json)));
	uint32_t letters = 3 + below(seed, below(seed, 8) ? 16 : 200);

	json->text = allocate(letters + 1);
	memset(json->text, 'a' + (int)below(seed, 26), letters);
	json->text[letters] = '\0';
	json->kind = depth ? JSON_LIST : below(seed, 2) ? JSON_STRING : JSON_NUMBER;
	if (!depth)
		return json;
	for (uint32_t i = 2 + below(seed, 9); i-- > 0;) {
		if (json->count == json->room) {
			json->room = json->room ? 2 * json->room : 2;
			json->item = must(realloc(json->item, json->room * sizeof(void *)));
		}
		json->item[json->count++] = new_json(seed, depth - 1);
	}
	return json;
}

struct text {
	size_t length, room;
	char *bytes;
};

static void add_text(struct text *text, const char *bytes)
{
	size_t length = strlen(bytes);

	if (text->length + length >= text->room) {
		text->room = 2 * text->room + length + 16;
		text->bytes = must(realloc(text->bytes, text->room));
	}
	memcpy(text->bytes + text->length, bytes, length + 1);
	text->length += length;
}

static void print_json(struct text *text, const struct json *json)
{
	add_text(text, json->text);
	add_text(text, json->kind == JSON_LIST ? "[" : ",");
	for (uint32_t i = 0; i < json->count; i++)
		print_json(text, json->item[i]);
}

static void drop_json(struct json *json)
{
	for (uint32_t i = 0; i < json->count; i++)
		drop_json(json->item[i]);
	free(json->item);
	free(json->text);
	free(json);
}

static uint64_t run_json(void)
{
	uint64_t sum = 0, seed = 7;

	for (unsigned long i = scaled(1500); i-- > 0;) {
		struct json *json = new_json(&seed, 5 - (int)below(&seed, 3));
		struct text text = { 0 };

		print_json(&text, json);
		sum += text.length;
		free(text.bytes);
		drop_json(json);
	}
	return sum;
}

/* --- lisp: an interpreter's cells with reference counts ------------------------------- */

struct cell {
	uint32_t references;
	bool is_number;
	union {
		int64_t number;
		struct {
			struct cell *head, *tail;
		};
	};
};

static struct cell *number_cell(int64_t number)
{
	struct cell *cell = allocate(sizeof(*cell));

	*cell = (struct cell){ .references = 1, .is_number = true, .number = number };
	return cell;
}

/* Takes both references. */
static struct cell *pair_cell(struct cell *head, struct cell *tail)
{
	struct cell *cell = allocate(sizeof(*cell));

	*cell = (struct cell){ .references = 1, .head = head, .tail = tail };
	return cell;
}

static struct cell *get_cell(struct cell *cell)
{
	if (cell)
		cell->references++;
	return cell;
}

static void put_cell(struct cell *cell)
{
	while (cell && !--cell->references) {
		struct cell *tail = cell->is_number ? NULL : cell->tail;

		if (!cell->is_number)
			put_cell(cell->head);
		free(cell);
		cell = tail;
	}
}

static struct cell *mapped(const struct cell *list, int64_t factor)
{
	if (!list)
		return NULL;
	return pair_cell(number_cell(list->head->number * factor % 1000003),
			 mapped(list->tail, factor));
}

static struct cell *reversed(const struct cell *list)
{
	struct cell *result = NULL;

	for (; list; list = list->tail)
		result = pair_cell(get_cell(list->head), result);
	return result;
}

static uint64_t run_lisp(void)
{
	uint64_t sum = 0;

	for (unsigned long i = scaled(5000); i-- > 0;) {
		struct cell *list = NULL;

		for (int j = 0; j < 200; j++)
			list = pair_cell(number_cell(j), list);
		for (int j = 0; j < 30; j++) {
			struct cell *other = mapped(list, j + 2), *turned = reversed(other);

			put_cell(list);
			put_cell(other);
			list = turned;
		}
		sum += (uint64_t)list->head->number;
		put_cell(list);
	}
	return sum;
}

/* --- strings: text that grows by realloc() -------------------------------------------- */

static uint64_t run_strings(void)
{
	struct text texts[64] = { 0 };
	uint64_t sum = 0, seed = 5;

	for (unsigned long i = scaled(40000000); i-- > 0;) {
		struct text *text = &texts[below(&seed, ARRAY_SIZE(texts))];

		add_text(text, "some words of a line, ");
		if (text->length > 40000 || !below(&seed, 40)) {
			sum += text->length;
			free(text->bytes);
			*text = (struct text){ 0 };
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i].bytes);
	return sum;
}

/* --- stages: many blocks of one size, freed in several orders ------------------------- */

static uint64_t run_stages(void)
{
	static unsigned char *blocks[20000];
	uint64_t sum = 0;

	for (unsigned long i = scaled(250); i-- > 0;) {
		for (size_t size = 8; size <= 1000; size += size / 2) {
			size_t count = 200000 / size < ARRAY_SIZE(blocks) ? 200000 / size
									   : ARRAY_SIZE(blocks);

			for (int order = 0; order < 3; order++) {
				for (size_t j = 0; j < count; j++) {
					blocks[j] = allocate(size);
					blocks[j][0] = (unsigned char)j;
				}
				for (size_t j = 0; j < count; j++) {
					size_t which = order == 0 ? j : order == 1 ? count - 1 - j
						: j % 2 ? j : (count - 1 - j) & ~(size_t)1;

					if (order == 2 && j % 2 == 0 && (count % 2))
						which = j;
					sum += *blocks[which];
					free(blocks[which]);
				}
			}
		}
	}
	return sum;
}

/* --- large: blocks of 5 to 25 MiB, written -------------------------------------------- */

static uint64_t run_large(void)
{
	unsigned char *blocks[20] = { NULL };
	uint64_t sum = 0, seed = 11;

	for (unsigned long i = scaled(2000); i-- > 0;) {
		unsigned char **slot = &blocks[below(&seed, ARRAY_SIZE(blocks))];
		size_t size = 5 * MIB + below(&seed, 20 * MIB);

		free(*slot);
		*slot = allocate(size);
		for (size_t at = 0; at < size; at += 4096)
			(*slot)[at] = (unsigned char)i;
		sum += (*slot)[size / 2 & ~4095UL];
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		free(blocks[i]);
	return sum;
}

/* --- server: two threads replace blocks; each goes on with the other's table ---------- */

#define SERVER_SLOTS 1000

struct server {
	unsigned char **table;
	uint64_t seed, sum;
};

static void *serve(void *argument)
{
	struct server *server = argument;

	server->sum += replace_rounds(server->seed, server->table, SERVER_SLOTS, 10, 500,
				      scaled(200000));
	return NULL;
}

static uint64_t run_server(void)
{
	unsigned char **table[2];

	for (int i = 0; i < 2; i++)
		table[i] = must(calloc(SERVER_SLOTS, sizeof(void *)));
	for (unsigned int turn = 0; turn < 100; turn++) {
		struct server servers[2];
		pthread_t thread[2];

		for (unsigned int i = 0; i < 2; i++) {
			servers[i] = (struct server){ table[(i + turn) % 2], turn * 2 + i + 1, 0 };
			if (pthread_create(&thread[i], NULL, serve, &servers[i]))
				exit(1);
		}
		for (int i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	}
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < SERVER_SLOTS; j++)
			free(table[i][j]);
		free(table[i]);
	}
	return 100;
}

/* --- exchange: each of two threads frees what the other allocated --------------------- */

#define BATCH 120
#define RING 64

struct ring {
	_Alignas(64) _Atomic(unsigned long) put;
	_Alignas(64) _Atomic(unsigned long) got;
	unsigned char *blocks[RING][BATCH];
};

static struct ring rings[2];

static void send_batch(struct ring *ring, uint64_t *seed)
{
	unsigned long at = atomic_load_explicit(&ring->put, memory_order_relaxed);

	for (int i = 0; i < BATCH; i++) {
		uint32_t size = 16 + below(seed, 240);

		ring->blocks[at % RING][i] = allocate(size);
		ring->blocks[at % RING][i][0] = (unsigned char)i;
	}
	atomic_store_explicit(&ring->put, at + 1, memory_order_release);
}

static bool receive_batch(struct ring *ring)
{
	unsigned long at = atomic_load_explicit(&ring->got, memory_order_relaxed);

	if (at == atomic_load_explicit(&ring->put, memory_order_acquire))
		return false;
	for (int i = 0; i < BATCH; i++)
		free(ring->blocks[at % RING][i]);
	atomic_store_explicit(&ring->got, at + 1, memory_order_release);
	return true;
}

static void *exchange(void *argument)
{
	unsigned int me = argument == &rings[1];
	unsigned long wanted = scaled(100000), sent = 0, received = 0;
	uint64_t seed = 31 + me;

	while (sent < wanted || received < wanted) {
		struct ring *out = &rings[me];

		bool has_room = sent - atomic_load_explicit(&out->got, memory_order_acquire) < RING;
		bool sends = sent < wanted && has_room;
		bool receives;

		if (sends)
			send_batch(out, &seed);
		sent += sends;
		receives = receive_batch(&rings[!me]);
		received += receives;
		if (!sends && !receives)
			sched_yield();
	}
	return NULL;
}

static uint64_t run_exchange(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exchange, &rings[1]))
		exit(1);
	exchange(&rings[0]);
	pthread_join(thread, NULL);
	return rings[0].got + rings[1].got;
}

/* ---------------------------------------------------------------------------------------- */

static const struct program {
	const char *name;
	uint64_t (*run)(void);
} programs[] = {
	{ "replace-small", run_replace_small },
	{ "replace-many", run_replace_many },
	{ "rounds", run_rounds },
	{ "bignum", run_bignum },
	{ "cubes", run_cubes },
	{ "trees", run_trees },
	{ "words", run_words },
	{ "json", run_json },
	{ "lisp", run_lisp },
	{ "strings", run_strings },
	{ "stages", run_stages },
	{ "large", run_large },
	{ "server", run_server },
	{ "exchange", run_exchange },
};

int main(int argc, char **argv)
{
	if (argc > 2)
		divisor = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; argc > 1 && divisor && i < ARRAY_SIZE(programs); i++) {
		if (!strcmp(argv[1], programs[i].name)) {
			unsigned long long sum = programs[i].run();

			printf("%llu %lu\n", sum, peak_kib());
			return 0;
		}
	}
	fputs("usage: programs NAME [DIVISOR]; programs:", stderr);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		fprintf(stderr, " %s", programs[i].name);
	fputs("\n", stderr);
	return 2;
}
