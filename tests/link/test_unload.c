/* SPDX-License-Identifier: MIT */
/*
 * A plugin with the archive in it is unloaded while threads that have been in its
 * sequences run on. The kernel looks up the sequence that a thread announced last
 * when it next stops the thread; were that memory gone, the thread would die. Nor does
 * the library's own thread stay behind.
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
#include <unistd.h>

#define NR_THREADS 4
#define ROUNDS 200
#define RECLAIM_ROUNDS 20
/* A thread without work would stay for a second. */
#define LINGER_US 1200000

static bool (*plugin_work)(unsigned long steps);	/* Sync: the barriers */
static bool (*plugin_reclaim)(void);
static pthread_barrier_t loaded, worked, unloaded;
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
		if (!plugin_work(100))
			fail("the plugin has no memory");
		pthread_barrier_wait(&worked);
		/* More threads than CPUs: each is stopped somewhere here. */
		pthread_barrier_wait(&unloaded);
		for (unsigned int i = 0; i < 20; i++)
			sched_yield();
	}
	return arg;
}

static void *load(void)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!plugin)
		fail(dlerror());
	*(void **)&plugin_work = dlsym(plugin, "plugin_work");
	*(void **)&plugin_reclaim = dlsym(plugin, "plugin_reclaim");
	return plugin;
}

static void unload(void *plugin)
{
	dlclose(plugin);
	if (dlopen(path, RTLD_NOLOAD | RTLD_NOW))
		fail("the plugin is still there, so nothing was tested");
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

/* The kernel may need a moment to take a thread that has ended off its list. */
static bool is_alone(void)
{
	unsigned int nr;

	for (unsigned int i = 0; (nr = nr_threads()) > 1 && i < 20000; i++)
		usleep(1000);
	return nr == 1;
}

/* Unloaded while its thread starts, works, or has nothing to do. */
static void unload_with_thread(void)
{
	unsigned int seen = 0;

	for (unsigned int round = 0; round < RECLAIM_ROUNDS; round++) {
		void *plugin = load();

		if (!plugin_reclaim())
			fail("the plugin did not do its work");
		usleep(round % 4 * 100);
		seen += nr_threads() > 1;
		unload(plugin);
		if (!is_alone())
			fail("a thread stayed behind");
	}
	usleep(LINGER_US);
	if (!seen)
		fail("there never was a thread");
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];
	void *plugin;

	path = argc > 1 ? argv[1] : "";
	pthread_barrier_init(&loaded, NULL, NR_THREADS + 1);
	pthread_barrier_init(&worked, NULL, NR_THREADS + 1);
	pthread_barrier_init(&unloaded, NULL, NR_THREADS + 1);
	for (unsigned int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			fail("no thread");
	for (unsigned int round = 0; round < ROUNDS; round++) {
		plugin = load();
		pthread_barrier_wait(&loaded);
		pthread_barrier_wait(&worked);
		unload(plugin);
		pthread_barrier_wait(&unloaded);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	unload_with_thread();
	printf("ok: loaded and unloaded %d times\n", ROUNDS);
	return 0;
}
