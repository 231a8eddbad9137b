// SPDX-License-Identifier: MIT
/*
 * Loads whose memory is looked at, for bench_memory.py:
 *
 *	memory_loads LOAD [SECONDS [DIVISOR]]
 *
 * Each load calls malloc() alone, with sizes and lifetimes of a kind of program, the same in each
 * run. It writes a line "PHASE bytes NAME" to stdout after each phase, and "END bytes" when it is
 * done; bytes are those in use as the load asked for them. It then rests for SECONDS (12), so that
 * allocators can give back what they keep, or until stdin has an end. With a DIVISOR a load does
 * that much less, for tests.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB 1024UL
#define MIB (1024 * KIB)

struct block {
	void *memory;
	uint32_t size;
};

static size_t live;
static size_t divisor = 1;

/* A number of a load, for the divisor. */
static size_t scaled(size_t number)
{
	return number / divisor ? number / divisor : 1;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static uint64_t random_state = 88172645463325252;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 2685821657736338717;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)((next_random() >> 32) * n >> 32);
}

/* Many are small, few are large: a size from low to high, each doubling as likely as the others. */
static uint32_t size_between(uint32_t low, uint32_t high)
{
	uint32_t size = low;

	while (size < high && below(2))
		size *= 2;
	size += below(size);
	return size < high ? size : high;
}

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	if (!memory) {
		fprintf(stderr, "memory_loads: no memory for %zu bytes\n", size);
		exit(1);
	}
	memset(memory, 0x5a, size);
	live += size;
	return memory;
}

static void release(void *memory, size_t size)
{
	free(memory);
	live -= size;
}

static void tell(const char *phase)
{
	printf("PHASE %zu %s\n", live, phase);
	fflush(stdout);
}

/*
 * --- A growing array of blocks ---------------------------------------------------------------
 *
 * It is a shared mapping, so that it disturbs no allocator, and bench_memory.py does not count it.
 * MEMORY_LOADS_FD names a descriptor whose file has the arrays, one behind the other: that memory
 * belongs to whoever wrote the file, so it counts in no memory cgroup of this process's.
 */

struct blocks {
	struct block *at;
	size_t nr;
};

static int arrays_fd(void)
{
	const char *fd = getenv("MEMORY_LOADS_FD");

	return fd ? atoi(fd) : -1;
}

static struct blocks new_blocks(size_t most)
{
	static off_t used;
	struct blocks blocks = { .nr = 0 };
	size_t bytes = most * sizeof(*blocks.at);
	int fd = arrays_fd();

	blocks.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0), fd,
			 fd < 0 ? 0 : used);
	if (blocks.at == MAP_FAILED)
		exit(1);
	used += (off_t)bytes;
	return blocks;
}

static void add(struct blocks *blocks, uint32_t size)
{
	blocks->at[blocks->nr++] = (struct block){ allocate(size), size };
}

/* The last one takes its place. */
static void drop(struct blocks *blocks, size_t i)
{
	release(blocks->at[i].memory, blocks->at[i].size);
	blocks->at[i] = blocks->at[--blocks->nr];
}

/* From first on, one in keep_one_in stays. */
static void thin_out(struct blocks *blocks, size_t first, uint32_t keep_one_in)
{
	size_t kept = first;

	for (size_t i = first; i < blocks->nr; i++)
		if (below(keep_one_in))
			release(blocks->at[i].memory, blocks->at[i].size);
		else
			blocks->at[kept++] = blocks->at[i];
	blocks->nr = kept;
}

/* Releases in random order, one by one. */
static void drop_at_random(struct blocks *blocks, size_t nr)
{
	while (nr--)
		drop(blocks, below((uint32_t)blocks->nr));
}

/* --- The loads ------------------------------------------------------------------------------ */

/* A cache server whose values change size. Between, nine of ten values are deleted at random. */
static void cache_server(void)
{
	static const uint32_t sizes[] = { 100, 130, 400, 60, 1000, 200, 150 };
	struct blocks blocks = new_blocks(8 * MIB);
	char name[32];

	for (size_t phase = 0; phase < sizeof(sizes) / sizeof(*sizes); phase++) {
		size_t nr = scaled(48 * MIB / sizes[phase]);

		for (size_t i = 0; i < nr; i++)
			add(&blocks, sizes[phase]);
		snprintf(name, sizeof(name), "%u bytes", sizes[phase]);
		tell(name);
		if (phase + 1 < sizeof(sizes) / sizeof(*sizes))
			drop_at_random(&blocks, blocks.nr - blocks.nr / 10);
	}
}

/* The live set never exceeds 64 MiB; sizes change from phase to phase, a tenth of each survives. */
static void phase_changes(void)
{
	static const uint32_t sizes[] = { 48, 200, 90, 700, 130, 2000, 320, 64 };
	struct blocks blocks = new_blocks(8 * MIB);
	char name[32];

	for (size_t phase = 0; phase < sizeof(sizes) / sizeof(*sizes); phase++) {
		size_t first = blocks.nr;

		while (live < scaled(64 * MIB))
			add(&blocks, sizes[phase] / 2 + below(sizes[phase]));
		snprintf(name, sizeof(name), "about %u bytes", sizes[phase]);
		tell(name);
		if (phase + 1 < sizeof(sizes) / sizeof(*sizes))
			thin_out(&blocks, first, 10);
	}
}

/* A compiler: functions come and go, declarations stay, strings are shared. */
static void compiler(void)
{
	struct blocks stay = new_blocks(4 * MIB), function = new_blocks(MIB);

	for (unsigned int unit = 0; unit < 12; unit++) {
		size_t first = stay.nr;

		for (size_t i = 0; i < scaled(500); i++) {
			unsigned int nodes = 200 + below(2000);

			for (unsigned int n = 0; n < nodes; n++)
				if (below(8))
					add(&function, 24 + 8 * below(16));
				else
					add(&stay, size_between(16, 512));
			add(&function, 4096 + below(60000));
			while (function.nr)
				drop(&function, function.nr - 1);
		}
		tell("unit");
		thin_out(&stay, first, 6);
	}
}

/* A web server: requests are short, sessions long, some answers are large. */
static void web_server(void)
{
	struct blocks sessions = new_blocks(4 * MIB), request = new_blocks(MIB);
	/* The number of users follows the hours of a day. */
	static const uint32_t users[] = { 2000, 6000, 20000, 40000, 30000, 12000, 5000, 2500 };

	for (size_t hour = 0; hour < sizeof(users) / sizeof(*users); hour++) {
		for (size_t i = 0; i < scaled(60000); i++) {
			unsigned int pieces = 5 + below(30);

			for (unsigned int n = 0; n < pieces; n++)
				add(&request, size_between(24, 4096));
			if (!below(20))
				add(&request, 8192 + below(120000));
			for (unsigned int n = 0; n < 3; n++)
				add(&sessions, size_between(48, 2048));
			while (sessions.nr > scaled(8UL * users[hour]))
				drop(&sessions, below((uint32_t)sessions.nr));
			while (request.nr)
				drop(&request, below((uint32_t)request.nr));
		}
		tell("hour");
	}
}

/* JSON documents: trees of small nodes and strings; one in twenty documents is kept for a while. */
static void json_documents(void)
{
	struct blocks document = new_blocks(MIB), kept = new_blocks(8 * MIB);

	for (unsigned int round = 0; round < 10; round++) {
		for (size_t i = 0; i < scaled(400); i++) {
			unsigned int nodes = 500 + below(8000);

			for (unsigned int n = 0; n < nodes; n++) {
				add(&document, below(3) ? 40 : 72);
				add(&document, 4 + below(below(20) ? 40 : 400));
			}
			if (below(20)) {
				thin_out(&document, 0, 1000);
				for (size_t n = 0; n < document.nr; n++)
					kept.at[kept.nr++] = document.at[n];
			} else {
				for (size_t n = 0; n < document.nr; n++)
					kept.at[kept.nr++] = document.at[n];
			}
			document.nr = 0;
		}
		tell("documents");
		thin_out(&kept, 0, 3);
	}
}

/* --- A producer and a consumer ---------------------------------------------------------------- */

#define QUEUE 65536
#define MESSAGES scaled(12000000)
#define BURSTS 24

static struct block queue[QUEUE];
static size_t written, taken;		/* Sync: atomic */
/* Nothing is taken until so many messages are written. Sync: written before `written` */
static size_t full_at;

static void *consume(void *unused)
{
	size_t bytes = 0;

	(void)unused;
	for (size_t i = 0, nr = MESSAGES; i < nr; i++) {
		size_t seen;

		while ((seen = __atomic_load_n(&written, __ATOMIC_ACQUIRE)) == i ||
		       seen < __atomic_load_n(&full_at, __ATOMIC_RELAXED))
			sched_yield();
		bytes += queue[i % QUEUE].size;
		free(queue[i % QUEUE].memory);
		__atomic_store_n(&taken, i + 1, __ATOMIC_RELEASE);
	}
	return (void *)bytes;
}

static void wait_for_taken(size_t nr)
{
	while (__atomic_load_n(&taken, __ATOMIC_ACQUIRE) < nr)
		sched_yield();
}

static void send(size_t number, uint32_t size)
{
	struct block *message = &queue[number % QUEUE];

	*message = (struct block){ malloc(size), size };
	if (!message->memory)
		exit(1);
	memset(message->memory, 1, size);
	__atomic_store_n(&written, number + 1, __ATOMIC_RELEASE);
}

/*
 * Bursts have sizes and lengths of their own. In each the producer goes ahead as far as it may
 * before the consumer takes the first message. So the queue's peak, 113 MiB, is the same in each
 * run, whatever the scheduler does.
 */
static void producer(void)
{
	struct blocks stay = new_blocks(MIB);
	pthread_t consumer;
	size_t length = MESSAGES / BURSTS + 1, ahead = 1;
	uint32_t base = 64;

	if (pthread_create(&consumer, NULL, consume, NULL))
		exit(1);
	for (size_t i = 0, nr = MESSAGES; i < nr; i++) {
		uint32_t size;

		if (i % length == 0) {
			base = 32U << below(7);
			ahead = 1 + below(QUEUE - 1);
			tell("messages");
			wait_for_taken(i);
			__atomic_store_n(&full_at, i + smaller(ahead, smaller(length, nr - i)),
					 __ATOMIC_RELAXED);
		}
		size = base + below(base);
		wait_for_taken(i < ahead ? 0 : i + 1 - ahead);
		send(i, size);
		if (i % 1000 == 0)
			add(&stay, size);
	}
	pthread_join(consumer, NULL);
}

/* A large peak, freed but for 1 MiB in small pieces. */
static void one_peak(void)
{
	struct blocks blocks = new_blocks(64 * MIB);

	while (live < scaled(2048 * MIB))
		add(&blocks, size_between(32, 8192));
	tell("peak");
	while (live > scaled(MIB))
		drop(&blocks, below((uint32_t)blocks.nr));
}

/*
 * All is freed and allocated again, in turns: at once, then a second apart. An allocator that gives
 * memory back between the turns pays page faults, which bench_memory.py counts.
 */
static void turns(void)
{
	struct blocks blocks = new_blocks(MIB);

	for (unsigned int turn = 0; turn < 204; turn++) {
		while (live < scaled(20 * MIB))
			add(&blocks, size_between(32, 8192));
		drop_at_random(&blocks, blocks.nr);
		if (turn == 199)
			tell("turns at once");
		if (turn >= 199)
			usleep((useconds_t)scaled(1000000));
	}
	add(&blocks, 64);
}

/* Whatever comes, or the end of the file, ends the rest. */
static void rest(unsigned int seconds)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

	poll(&input, 1, (int)seconds * 1000);
}

static const struct {
	const char *name;
	void (*run)(void);
} loads[] = {
	{ "cache-server", cache_server },	{ "phase-changes", phase_changes },
	{ "compiler", compiler },		{ "web-server", web_server },
	{ "json", json_documents },		{ "producer", producer },
	{ "peak", one_peak },			{ "turns", turns },
};

#define NR_LOADS (sizeof(loads) / sizeof(*loads))

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 2 ? (unsigned int)atoi(argv[2]) : 12;

	if (argc > 3 && atoi(argv[3]) > 0)
		divisor = (size_t)atoi(argv[3]);

	for (size_t i = 0; argc > 1 && i < NR_LOADS; i++)
		if (!strcmp(argv[1], loads[i].name)) {
			loads[i].run();
			printf("END %zu\n", live);
			fflush(stdout);
			rest(seconds);
			return 0;
		}
	fprintf(stderr, "usage: memory_loads LOAD [SECONDS [DIVISOR]]; loads:");
	for (size_t i = 0; i < NR_LOADS; i++)
		fprintf(stderr, " %s", loads[i].name);
	fprintf(stderr, "\n");
	return 2;
}
