// SPDX-License-Identifier: MIT
/* Programs for bench_heavy.py: two threads that free each other's blocks. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "heavy.h"

/* --- server: two threads replace blocks; each goes on with the other's table ---------- */

#define SERVER_SLOTS 1000

struct server {
	unsigned char **table;
	uint64_t seed, sum;
};

static void *serve(void *argument)
{
	struct server *server = argument;

	server->sum += heavy_replace_rounds(server->seed, server->table, SERVER_SLOTS, 10, 500,
				      scaled(200000));
	return NULL;
}

uint64_t heavy_server(void)
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

uint64_t heavy_exchange(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exchange, &rings[1]))
		exit(1);
	exchange(&rings[0]);
	pthread_join(thread, NULL);
	return rings[0].got + rings[1].got;
}
