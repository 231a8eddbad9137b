/* SPDX-License-Identifier: MIT */
/*
 * A process has one allocator, in whatever order its libraries were loaded: the API knows
 * malloc()'s memory, and both count in the same place. Built and started in many ways
 * (cmake/tests/link.cmake).
 *
 *	test_one_allocator [PLUGIN [LIBRARY]]
 *
 * PLUGIN is a shared object that was linked with libusermm.so (user_of_api.c), LIBRARY is
 * libusermm.so.0, whose names are looked up by hand.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <usermm/usermm.h>

#include "check.h"

static struct usermm_stats stats_now(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats;
}

static void malloc_is_the_apis(void)
{
	void *small = malloc(100), *large = malloc(2 << 20);
	struct usermm_stats before = stats_now();

	CHECK(virt_addr_valid(small));
	CHECK(virt_addr_valid(large));
	CHECK(before.malloc_page_blocks);
	free(large);
	large = malloc(2 << 20);
	CHECK(stats_now().malloc_page_blocks == before.malloc_page_blocks + 1);
	free(large);
	free(small);
}

/* 16 MiB of objects: the pages of caches and of malloc are counted together. */
static void kmalloc_is_counted_there(void)
{
	enum { NR = 2048 };
	static void *objects[NR];
	struct usermm_stats before = stats_now();

	for (unsigned int i = 0; i < NR; i++) {
		objects[i] = kmalloc(8192, GFP_KERNEL);
		CHECK(objects[i] && virt_addr_valid(objects[i]) && ksize(objects[i]) == 8192);
	}
	CHECK(stats_now().slab_bytes >= before.slab_bytes + (size_t)(NR - 100) * 8192);
	for (unsigned int i = 0; i < NR; i++)
		kfree(objects[i]);
}

/* The headers' inline functions read a public variable. */
static void pages_are_found(void)
{
	struct page *page = alloc_page(GFP_KERNEL);
	char *block = malloc(100);

	CHECK(page && virt_to_page(page_address(page)) == page);
	/* The other checks would pass even if nobody had set the variable. */
	CHECK(page && virt_addr_valid(page_address(page)));
	CHECK(page_address(virt_to_page(block)) ==
	      (void *)((unsigned long)block & ~(PAGE_SIZE - 1)));
	__free_page(page);
	free(block);
}

/* A program sets public variables, and the library sees it. */
static void variables_are_the_librarys(void)
{
	usermm_fail_page_alloc.attr.probability = 100;
	usermm_fail_page_alloc.attr.verbose = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.min_order = 0;
	usermm_failslab.attr.probability = 100;
	usermm_failslab.attr.verbose = 0;
	usermm_failslab.ignore_gfp_reclaim = false;
	usermm_arm_faults();
	CHECK(!alloc_page(GFP_KERNEL));
	CHECK(!kmalloc(100, GFP_KERNEL));
	usermm_fail_page_alloc.attr.probability = 0;
	usermm_failslab.attr.probability = 0;
}

static void *allocate(void *unused)
{
	(void)unused;
	for (unsigned int i = 1; i < 20000; i++) {
		void *object = kmalloc(i % 4000 + 1, GFP_KERNEL), *block = malloc(i % 4000 + 1);

		if (!object || !block || !virt_addr_valid(block))
			return "wrong";
		kfree(object);
		free(block);
	}
	return NULL;
}

static void threads_and_processes(void)
{
	pthread_t threads[4];
	int status = -1;
	void *result;
	pid_t child;

	for (unsigned int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, allocate, NULL));
	child = fork();
	if (!child)
		_exit(allocate(NULL) ? 1 : 42);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 42);
	for (unsigned int i = 0; i < 4; i++)
		CHECK(!pthread_join(threads[i], &result) && !result);
}

/* The plugin's API is the program's: objects and caches go either way. */
static void plugin_has_the_same(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL), *object, *block = malloc(100);
	void *(*allocate_there)(size_t bytes);
	bool (*knows)(const void *pointer);

	CHECK(plugin);
	if (!plugin) {
		printf("%s\n", dlerror());
		return;
	}
	*(void **)&allocate_there = dlsym(plugin, "user_kmalloc");
	*(void **)&knows = dlsym(plugin, "user_knows");
	CHECK(knows(block));
	object = allocate_there(100);
	CHECK(object && virt_addr_valid(object));
	kfree(object);
	free(block);
	dlclose(plugin);
}

static void library_is_this_one(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *block = malloc(100), *object;
	bool (*knows)(const void *pointer) = NULL;
	void *(*allocate_there)(size_t bytes, gfp_t gfp) = NULL;

	CHECK(library);
	if (library) {
		*(void **)&knows = dlsym(library, "usermm_virt_addr_valid");
		*(void **)&allocate_there = dlsym(library, "usermm_kmalloc_size");
	}
	CHECK(knows && knows(block));
	CHECK(allocate_there);
	object = allocate_there ? allocate_there(100, GFP_KERNEL) : NULL;
	CHECK(object && virt_addr_valid(object));
	kfree(object);
	free(block);
}

int main(int argc, char **argv)
{
	malloc_is_the_apis();
	kmalloc_is_counted_there();
	pages_are_found();
	threads_and_processes();
	if (argc > 1)
		plugin_has_the_same(argv[1]);
	if (argc > 2)
		library_is_this_one(argv[2]);
	variables_are_the_librarys();
	return check_report();
}
