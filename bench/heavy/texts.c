// SPDX-License-Identifier: MIT
/* Programs for bench_heavy.py: strings. */
#include <stdio.h>
#include <string.h>

#include "heavy.h"

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

uint64_t heavy_words(void)
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

uint64_t heavy_json(void)
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

/* --- strings: text that grows by realloc() -------------------------------------------- */

uint64_t heavy_strings(void)
{
	struct text texts[64] = { 0 };
	uint64_t sum = 0, seed = 5;

	for (unsigned long i = scaled(40000000); i-- > 0;) {
		struct text *text = &texts[below(&seed, ARRAY_LENGTH(texts))];

		add_text(text, "some words of a line, ");
		if (text->length > 40000 || !below(&seed, 40)) {
			sum += text->length;
			free(text->bytes);
			*text = (struct text){ 0 };
		}
	}
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		free(texts[i].bytes);
	return sum;
}
