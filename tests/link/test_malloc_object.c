/* SPDX-License-Identifier: MIT */
/*
 * A program that is linked with the one object of malloc, statically or not: all of its
 * memory comes from there, libc's own included.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <usermm/stats.h>

#include "check.h"

/* Blocks of 2 MiB and of 8, which are counted one by one. */
static size_t blocks_so_far(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.malloc_page_blocks + stats.malloc_large_blocks;
}

static void every_function_is_ours(void)
{
	void *(*const allocate[])(size_t size) = { malloc, valloc };
	size_t before = blocks_so_far();
	void *block = NULL;

	for (size_t i = 0; i < sizeof(allocate) / sizeof(allocate[0]); i++)
		free(allocate[i](2 << 20));
	free(calloc(2, 1 << 20));
	free(realloc(malloc(2 << 20), 8 << 20));
	free(memalign(64, 2 << 20));
	free(aligned_alloc(64, 2 << 20));
	CHECK(!posix_memalign(&block, 64, 2 << 20));
	CHECK(malloc_usable_size(block) >= 2 << 20);
	free(block);
	CHECK(blocks_so_far() == before + 8);
}

/* strdup() and open_memstream() allocate in libc. */
static void libc_uses_it(void)
{
	static char text[3 << 20];
	size_t before, size = 0;
	char *copy;
	FILE *stream;

	memset(text, 'x', sizeof(text) - 1);
	before = blocks_so_far();
	copy = strdup(text);
	CHECK(copy && !strcmp(copy, text));
	CHECK(blocks_so_far() == before + 1);
	free(copy);
	stream = open_memstream(&copy, &size);
	CHECK(stream && fputs(text, stream) >= 0 && !fclose(stream));
	CHECK(size == sizeof(text) - 1 && blocks_so_far() > before + 1);
	free(copy);
}

static void *allocate_and_leave(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; i < 1000; i++)
		free(malloc(i));
	return malloc(1000);
}

static void threads_and_processes(void)
{
	pthread_t threads[4];
	int status = -1;
	void *left;
	pid_t child;

	for (unsigned int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, allocate_and_leave, NULL));
	for (unsigned int i = 0; i < 4; i++) {
		CHECK(!pthread_join(threads[i], &left) && left);
		free(left);
	}
	child = fork();
	if (!child) {
		free(allocate_and_leave(NULL));
		exit(42);
	}
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 42);
	child = vfork();
	if (!child)
		_exit(malloc(100) ? 43 : 1);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 43);
	CHECK(system("exit 44") == 44 << 8);
}

int main(void)
{
	every_function_is_ours();
	libc_uses_it();
	threads_and_processes();
	return check_report();
}
