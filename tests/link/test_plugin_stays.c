/* SPDX-License-Identifier: MIT */
/*
 * A plugin with an archive in it is closed while threads that have been in its sequences run on,
 * and opened again. When the kernel next stops a thread, it looks up the sequence that the thread
 * announced last; if that memory were gone, the thread would die. So the plugin stays, and so do
 * its blocks. The library's own thread ends when it has nothing to do.
 *
 *	test_plugin_stays PLUGIN
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS 4
#define ROUNDS 100

static struct {
	bool (*work)(unsigned long steps);
	bool (*reclaim)(void);
	void *(*give)(void);
	bool (*take_back)(void *object);
	unsigned int (*loads)(void);
} plugin;				/* Sync: the barriers */
static pthread_barrier_t loaded, worked, closed;
static const char *path;

static void fail(const char *what)
{
	fprintf(stderr, "not ok: %s\n", what);
	exit(1);
}

static void *run(void *arg)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&loaded);
		if (!plugin.work(100))
			fail("the plugin has no memory");
		pthread_barrier_wait(&worked);
		/* More threads than CPUs: each is stopped somewhere here. */
		pthread_barrier_wait(&closed);
		for (unsigned int i = 0; i < 20; i++)
			sched_yield();
	}
	return arg;
}

static void find(void *handle, void *function, const char *name)
{
	*(void **)function = dlsym(handle, name);
	if (!*(void **)function)
		fail(name);
}

static void *load(void)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fail(dlerror());
	find(handle, &plugin.work, "plugin_work");
	find(handle, &plugin.reclaim, "plugin_reclaim");
	find(handle, &plugin.give, "plugin_give");
	find(handle, &plugin.take_back, "plugin_take_back");
	find(handle, &plugin.loads, "plugin_loads");
	return handle;
}

/* Its fork handlers are still called, and its allocator works in the child. */
static void fork_without_handle(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(plugin.work(10) ? 42 : 1);
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 42)
		fail("a fork child of a process that closed the plugin");
}

static unsigned int nr_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	unsigned int nr = 0;

	while (tasks && (task = readdir(tasks)))
		nr += task->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return nr;
}

static unsigned int wait_for_threads(unsigned int wanted)
{
	unsigned int nr;

	for (unsigned int i = 0; (nr = nr_threads()) != wanted && i < 20000; i++)
		usleep(1000);
	return nr;
}

static void close_and_open(void)
{
	pthread_t threads[NR_THREADS];
	void *object = NULL;

	pthread_barrier_init(&loaded, NULL, NR_THREADS + 1);
	pthread_barrier_init(&worked, NULL, NR_THREADS + 1);
	pthread_barrier_init(&closed, NULL, NR_THREADS + 1);
	for (unsigned int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			fail("no thread");
	for (unsigned int round = 0; round < ROUNDS; round++) {
		void *handle = load();

		if (object && !plugin.take_back(object))
			fail("an object from before the plugin was closed");
		object = plugin.give();
		pthread_barrier_wait(&loaded);
		pthread_barrier_wait(&worked);
		dlclose(handle);
		pthread_barrier_wait(&closed);
		if (round % 10 == 0)
			fork_without_handle();
		handle = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
		if (!handle)
			fail("the plugin is gone");
		dlclose(handle);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	if (plugin.loads() != 1)
		fail("the plugin was loaded more than once");
}

int main(int argc, char **argv)
{
	void *handle;

	path = argc > 1 ? argv[1] : "";
	/* Comes first, since it sets an option. */
	handle = load();
	if (!plugin.reclaim())
		fail("the plugin did not do its work");
	dlclose(handle);
	if (wait_for_threads(1) != 1)
		fail("a thread stayed behind");
	close_and_open();
	printf("ok: opened and closed %d times\n", ROUNDS);
	return 0;
}
