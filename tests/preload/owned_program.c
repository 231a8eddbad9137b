/* SPDX-License-Identifier: MIT */
/*
 * Allocates in two threads, comes to a peak, forks, and ends. Prints what it has done, so that it
 * is seen to come to its end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_BLOCKS 1200

static char *blocks[NR_BLOCKS];

static void allocate(size_t bytes)
{
	for (int i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = realloc(malloc(bytes / 2), bytes);
		if (!blocks[i])
			abort();
		memset(blocks[i], i, bytes);
	}
	for (int i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
}

static void *run(void *unused)
{
	allocate(100);
	allocate(3000);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t child;

	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	allocate(100 << 10);
	free(calloc(9, 1 << 20));
	child = fork();
	if (!child) {
		allocate(200);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		return 1;
	puts("done");
	return 0;
}
