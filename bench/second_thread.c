// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "second_thread.h"

#include <pthread.h>
#include <stddef.h>

#include "measure/timing.h"

/* The thread is idle while function is NULL. Sync: lock, for all fields. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum { NOT_TRIED, RUNNING, ABSENT } state;
	void (*function)(void *arg);
	void *arg;
} peer = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *thread_main(void *cpu)
{
	if (!timing_pin((int)(long)cpu)) {
		pthread_mutex_lock(&peer.lock);
		peer.state = ABSENT;
		pthread_cond_broadcast(&peer.changed);
		pthread_mutex_unlock(&peer.lock);
		return NULL;
	}
	pthread_mutex_lock(&peer.lock);
	peer.state = RUNNING;
	pthread_cond_broadcast(&peer.changed);
	for (;;) {
		while (!peer.function)
			pthread_cond_wait(&peer.changed, &peer.lock);
		pthread_mutex_unlock(&peer.lock);
		peer.function(peer.arg);
		pthread_mutex_lock(&peer.lock);
		peer.function = NULL;
		pthread_cond_broadcast(&peer.changed);
	}
}

bool second_thread_available(void)
{
	int cpu = timing_cpu(1);
	pthread_t thread;
	bool running;

	pthread_mutex_lock(&peer.lock);
	if (peer.state == NOT_TRIED &&
	    (cpu < 0 || pthread_create(&thread, NULL, thread_main, (void *)(long)cpu)))
		peer.state = ABSENT;
	while (peer.state == NOT_TRIED)
		pthread_cond_wait(&peer.changed, &peer.lock);
	running = peer.state == RUNNING;
	pthread_mutex_unlock(&peer.lock);
	return running;
}

void second_thread_start(void (*function)(void *arg), void *arg)
{
	pthread_mutex_lock(&peer.lock);
	peer.function = function;
	peer.arg = arg;
	pthread_cond_broadcast(&peer.changed);
	pthread_mutex_unlock(&peer.lock);
}

void second_thread_wait(void)
{
	pthread_mutex_lock(&peer.lock);
	while (peer.function)
		pthread_cond_wait(&peer.changed, &peer.lock);
	pthread_mutex_unlock(&peer.lock);
}
