// SPDX-License-Identifier: MIT
/*
 * A program whose main thread ends first. Another one keeps 1000 blocks, prints "ready" and waits
 * for the end of stdin.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile kept[1000];
static pthread_t first;

static void *go_on(void *arg)
{
	char byte;

	pthread_join(first, NULL);
	for (int i = 0; i < 1000; i++)
		kept[i] = malloc(100);
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t thread;

	first = pthread_self();
	if (pthread_create(&thread, NULL, go_on, NULL))
		return 1;
	pthread_exit(NULL);
}
