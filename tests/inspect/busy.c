// SPDX-License-Identifier: MIT
/*
 * Allocates and frees all the time, until stdin ends: blocks of all sizes, with lists through
 * them. At that time it reaches all blocks that it keeps. It prints "ready", as leaky.c does.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_LISTS 512

struct node {
	struct node *next;
	char text[];
};

static struct node *lists[NR_LISTS];

/* xorshift64 */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Small blocks mostly, a page block in 64, and a mapping in 4096. */
static size_t choose_bytes(uint64_t random)
{
	if (!(random % 4096))
		return 300000;
	return random % 64 ? 8 + random % 1000 : 10000;
}

static void add_node(struct node **list, size_t bytes)
{
	struct node *node = malloc(sizeof(*node) + bytes);

	if (!node)
		abort();
	memset(node->text, 'x', bytes);
	node->next = *list;
	*list = node;
}

static void drop_list(struct node **list)
{
	struct node *next;

	for (; *list; *list = next) {
		next = (*list)->next;
		free(*list);
	}
}

static void *work(void *argument)
{
	uint64_t state = 88172645463325252UL;

	for (;;) {
		uint64_t random = next_random(&state);

		if (random >> 58)
			add_node(&lists[random % NR_LISTS], choose_bytes(random / NR_LISTS));
		else
			drop_list(&lists[random % NR_LISTS]);
	}
	return argument;
}

int main(void)
{
	pthread_t thread;
	char byte;

	if (pthread_create(&thread, NULL, work, NULL) || write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	_exit(0);
}
