/* SPDX-License-Identifier: MIT */
/*
 * Compiled by gcc on usermm, then run on it: a hash table of strings and a
 * balanced tree, filled, checked and torn down.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_WORDS 200000u
#define NR_BUCKETS 65536u

struct word {
	struct word *next;
	unsigned int seen;
	char text[];
};

struct node {
	struct node *left, *right;
	uint64_t priority;
	unsigned int key;
};

static struct word *buckets[NR_BUCKETS];

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static unsigned int hash(const char *text)
{
	unsigned int h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h % NR_BUCKETS;
}

static void count_word(const char *text)
{
	struct word **head = &buckets[hash(text)];
	struct word *word;

	for (word = *head; word; word = word->next) {
		if (!strcmp(word->text, text)) {
			word->seen++;
			return;
		}
	}
	word = malloc(sizeof(*word) + strlen(text) + 1);
	if (!word)
		abort();
	word->seen = 1;
	strcpy(word->text, text);
	word->next = *head;
	*head = word;
}

static unsigned int drop_words(unsigned int *most)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_BUCKETS; i++) {
		while (buckets[i]) {
			struct word *word = buckets[i];

			buckets[i] = word->next;
			if (word->seen > *most)
				*most = word->seen;
			free(word);
			nr++;
		}
	}
	return nr;
}

static struct node *rotate(struct node *up, struct node *down)
{
	if (up == down->left) {
		down->left = up->right;
		up->right = down;
	} else {
		down->right = up->left;
		up->left = down;
	}
	return up;
}

static struct node *insert(struct node *root, struct node *new)
{
	struct node **side;

	if (!root)
		return new;
	side = new->key < root->key ? &root->left : &root->right;
	*side = insert(*side, new);
	return (*side)->priority > root->priority ? rotate(*side, root) : root;
}

/* Frees the tree in order; *last ends up as the largest key. */
static unsigned int drop_tree(struct node *root, unsigned int *last)
{
	unsigned int nr;

	if (!root)
		return 0;
	nr = drop_tree(root->left, last);
	if (root->key < *last)
		abort();
	*last = root->key;
	nr += 1 + drop_tree(root->right, last);
	free(root);
	return nr;
}

int main(void)
{
	uint64_t state = 88172645463325252u;
	unsigned int most = 0, last = 0, nr_words, nr_nodes;
	struct node *root = NULL;
	size_t length = 0;
	char *joined = NULL;

	for (unsigned int i = 0; i < NR_WORDS; i++) {
		char text[64];
		struct node *node = calloc(1, sizeof(*node));

		if (!node || node->left || node->right)
			abort();
		snprintf(text, sizeof(text), "w%llu",
			 (unsigned long long)(next_random(&state) % (NR_WORDS / 2)));
		count_word(text);
		node->key = (unsigned int)next_random(&state);
		node->priority = next_random(&state);
		root = insert(root, node);
		if (i % 16 == 0) {
			size_t more = strlen(text);

			joined = realloc(joined, length + more + 1);
			if (!joined)
				abort();
			memcpy(joined + length, text, more + 1);
			length += more;
		}
	}
	nr_words = drop_words(&most);
	nr_nodes = drop_tree(root, &last);
	printf("%u words, %u times at most, %u nodes up to %u, %zu bytes joined (%u)\n",
	       nr_words, most, nr_nodes, last, strlen(joined), hash(joined));
	free(joined);
	return 0;
}
