// SPDX-License-Identifier: MIT
/*
 * Fifteen programs that leak: `leaky N` is the N-th. Each block begins with a word that names the
 * line that asked for it, so that a test can tell what was found. Addresses stand behind that word.
 *
 * It prints "ready", waits for the end of stdin, and ends at once, without a cleanup.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TAG 0x7a67UL << 48

#define NOINLINE __attribute__((__noinline__))
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof(*(array)))

struct node {
	uint64_t tag;
	struct node *next, *other;
	char text[];
};

static NOINLINE void *tagged(void *block, int line)
{
	if (!block)
		abort();
	*(uint64_t *)block = TAG | (unsigned int)line;
	return block;
}

static size_t at_least_a_node(size_t bytes)
{
	return bytes < sizeof(struct node) ? sizeof(struct node) : bytes;
}

/* A block whose words behind the tag are zero. */
#define GET(bytes) tagged(calloc(1, at_least_a_node(bytes)), __LINE__)

/* Overwrites what calls have left on the stack, and in the registers of arguments. */
static NOINLINE long scribble_all(long a, long b, long c, long d, long e, long f)
{
	volatile long words[8192];

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		words[i] = a + b + c + d + e + f;
	return words[0];
}

/* Called through a pointer, so that the compiler cannot know the arguments. */
static long (*volatile scribble)(long, long, long, long, long, long) = scribble_all;

/* --- The programs ------------------------------------------------------------------------- */

#define MANY 60000
static void *kept[64], *many[MANY];

/* Single blocks of many sizes. */
static NOINLINE void sizes(void)
{
	static const size_t bytes[] = { 24, 40, 100, 500, 1000, 2000, 5000, 20000, 40000, 200000 };

	for (size_t i = 0; i < ARRAY_LENGTH(bytes); i++)
		kept[i] = GET(bytes[i]);
	for (size_t i = 0; i < ARRAY_LENGTH(bytes); i++)
		GET(bytes[i]);
}

/* A list that is kept, and one whose head is lost. */
static NOINLINE void lists(void)
{
	struct node *lost = NULL, *node;

	for (int i = 0; i < 1000; i++) {
		node = GET(64);
		node->next = kept[0];
		kept[0] = node;
	}
	for (int i = 0; i < 1000; i++) {
		node = GET(64);
		node->next = lost;
		lost = node;
	}
}

static NOINLINE struct node *grow(int depth, int line)
{
	struct node *node = tagged(calloc(1, 48), line);

	if (depth) {
		node->next = grow(depth - 1, line);
		node->other = grow(depth - 1, line);
	}
	return node;
}

/* Trees: one is kept; of another one only a branch is kept; a third one is lost. */
static NOINLINE void trees(void)
{
	struct node *tree;

	kept[0] = grow(8, __LINE__);
	tree = grow(8, __LINE__);
	kept[1] = tree->next;
	tree = grow(6, __LINE__);
	tree->next->other = NULL;
}

/* Rings, whose blocks reach one another. */
static NOINLINE void rings(void)
{
	for (int ring = 0; ring < 20; ring++) {
		struct node *first = GET(80), *last = first;

		for (int i = 0; i < 10; i++) {
			last->next = GET(80);
			last = last->next;
		}
		last->next = first;
		if (ring % 2)
			kept[ring] = first;
	}
}

/* Only addresses inside of blocks are kept. */
static NOINLINE void interiors(void)
{
	for (int i = 0; i < 20; i++)
		kept[i] = (char *)GET(300 + 100 * (size_t)i) + 136;
	for (int i = 0; i < 20; i++)
		GET(300);
}

/*
 * Only addresses of last bytes are kept. The blocks of a size fill little more than a page, so the
 * last one ends in a page where no block begins yet.
 */
static NOINLINE void ends(void)
{
	size_t n = 0;

	for (size_t bytes = sizeof(struct node), room = 0; bytes <= 32768; bytes = room + 16)
		for (size_t filled = 0; filled <= 4096 && n < ARRAY_LENGTH(many); filled += room) {
			char *block = GET(bytes);

			room = malloc_usable_size(block);
			many[n++] = block + room - 1;
		}
	for (size_t bytes = 4200; bytes < 32768; bytes += 1000)
		GET(bytes);
}

static __thread void *volatile of_thread;
static pthread_barrier_t barrier;

static NOINLINE void *wait_with_block(void *arg)
{
	void *volatile on_stack = GET(200);

	(void)arg;
	of_thread = GET(220);
	GET(240);
	scribble(0, 0, 0, 0, 0, 0);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return on_stack;
}

/* Threads keep blocks on their stacks and in thread-local variables. */
static NOINLINE void threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, wait_with_block, NULL))
			abort();
	pthread_barrier_wait(&barrier);
}

/* The program's own mapping keeps blocks. */
static NOINLINE void mapping(void)
{
	void **map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	if (map == MAP_FAILED)
		abort();
	for (int i = 0; i < 100; i++)
		map[i * 1000] = GET(128);
	for (int i = 0; i < 100; i++)
		GET(128);
}

/* Blocks that are mappings of their own, and keep others. */
static NOINLINE void large(void)
{
	struct node *node = GET(9000000);

	kept[0] = node;
	((void **)node)[1000000] = GET(100);
	node = GET(8000000);
	((void **)node)[900000] = GET(100);
}

/* Freed and allocated again: only what was not freed is lost. */
static NOINLINE void freed(void)
{
	void *blocks[500];

	for (size_t i = 0; i < ARRAY_LENGTH(blocks); i++)
		blocks[i] = GET(96);
	for (size_t i = 0; i < ARRAY_LENGTH(blocks); i++)
		if (i % 5)
			free(blocks[i]);
	memset(blocks, 0, sizeof(blocks));
	for (int i = 0; i < 60; i++)
		kept[i] = GET(96);
}

/* A table of chains, some of which are cut. */
static NOINLINE void table(void)
{
	struct node **chains = GET(8 * 257);

	kept[0] = chains;
	for (int i = 0; i < 2000; i++) {
		struct node *node = GET(72), **chain = &chains[1 + i * 7919 % 256];

		node->next = *chain;
		*chain = node;
	}
	for (int i = 1; i < 257; i += 4)
		chains[i] = NULL;
}

/* A block that realloc() moves. */
#define MOVE(block, bytes) tagged(realloc(block, bytes), __LINE__)

/* Old addresses do not keep anything. */
static NOINLINE void moved(void)
{
	for (int i = 0; i < 30; i++) {
		struct node *node = GET(64);

		node = MOVE(node, 3000 + 1000 * (size_t)i);
		if (i % 3)
			kept[i] = node;
	}
	for (int i = 0; i < 5; i++) {
		void *block = GET(300000);

		block = MOVE(block, 6000000);
		if (i % 2)
			kept[40 + i] = block;
	}
}

static NOINLINE void *get_aligned(size_t align, int line)
{
	void *block;

	return posix_memalign(&block, align, 150) ? NULL : tagged(block, line);
}

static NOINLINE void aligned(void)
{
	for (size_t align = 32; align <= 65536; align *= 2) {
		kept[__builtin_ctzl(align)] = get_aligned(align, __LINE__);
		get_aligned(align, __LINE__);
	}
}

/* A list whose blocks lie in free memory of other sizes' slabs. */
static NOINLINE struct node *list_of(int length, size_t bytes, int line)
{
	struct node *list = NULL, *node;

	for (int i = 0; i < length; i++) {
		node = tagged(calloc(1, bytes), line);
		node->next = list;
		list = node;
	}
	return list;
}

/*
 * 40 of each 240 blocks stay; the first of these 40 is lost. So all their slabs are sparse enough
 * to serve other sizes, and have pages without a block.
 */
static NOINLINE void make_sparse(void)
{
	for (int i = 0; i < MANY; i++)
		many[i] = GET(112);
	for (int i = 0; i < MANY; i++) {
		if (i % 240 >= 40)
			free(many[i]);
		if (i % 240 >= 40 || !(i % 240))
			many[i] = NULL;
	}
}

static NOINLINE void sparse(void)
{
	make_sparse();
	malloc_trim(0);
	kept[0] = list_of(100, 200, __LINE__);
	((struct node *)many[1])->next = list_of(100, 1000, __LINE__);
	list_of(100, 200, __LINE__);
	list_of(50, 1000, __LINE__);
}

/* Other sizes need much memory, so the slabs become mixed ones. CPUs still keep objects of them. */
static NOINLINE void left(void)
{
	make_sparse();
	kept[0] = list_of(MANY, 200, __LINE__);
	list_of(100, 200, __LINE__);
}

/* ---------------------------------------------------------------------------------------------- */

static void (*const programs[])(void) = {
	sizes, lists, trees, rings, interiors, threads,
	mapping, large, freed, table, moved, aligned,
	sparse, left, ends,
};

int main(int argc, char **argv)
{
	size_t number = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char byte;

	if (!number || number > ARRAY_LENGTH(programs)) {
		printf("usage: leaky 1..%zu\n", ARRAY_LENGTH(programs));
		return 2;
	}
	programs[number - 1]();
	scribble(0, 0, 0, 0, 0, 0);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	_exit(0);
}
