/* SPDX-License-Identifier: MIT */
/*
 * The calls of usermm/malloc.h in a program. Linked with libusermm they are a heap beside libc's
 * malloc(); linked with libusermm_malloc they are malloc() itself (cmake/tests/link.cmake).
 *
 *	test_api_malloc apart|same
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <usermm/profile.h>
#include <usermm/usermm.h>

#include "check.h"

static void any_size(void)
{
	static const size_t sizes[] = { 0, 1, 100, 5000, 40000, 4 << 20, 5 << 20, 300UL << 20 };

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *block = usermm_malloc(sizes[i]);

		CHECK(block && usermm_usable_size(block) >= sizes[i]);
		if (sizes[i])
			block[0] = block[sizes[i] - 1] = 7;
		block = usermm_realloc(block, sizes[i] + 4096);
		CHECK(block && (!sizes[i] || block[sizes[i] - 1] == 7));
		usermm_free_sized(block, sizes[i] + 4096);
		block = usermm_calloc(1, sizes[i]);
		CHECK(block && (!sizes[i] || !block[sizes[i] - 1]));
		usermm_free(block);
	}
	usermm_free(NULL);
}

static void any_alignment(void)
{
	for (size_t align = 1; align <= USERMM_ALIGN_MAX; align *= 2) {
		void *block = usermm_aligned_alloc(align, 1000);

		CHECK(block && !((unsigned long)block & (align - 1)));
		usermm_free_aligned_sized(block, align, 1000);
	}
}

/*
 * malloc()'s blocks belong to libc unless malloc() is usermm's. In both cases both allocators go on
 * to work.
 */
static void beside_libc(bool same)
{
	void *ours = usermm_malloc(100), *libcs = malloc(100);

	CHECK(virt_addr_valid(ours));
	CHECK(virt_addr_valid(libcs) == same);
	free(libcs);
	if (same)
		free(ours);
	else
		usermm_free(ours);
}

static void *free_there(void *block)
{
	usermm_free(block);
	return usermm_malloc(50);
}

static void in_threads_and_children(void)
{
	void *blocks[2] = { usermm_malloc(50), usermm_malloc(5 << 20) }, *got;
	pthread_t thread;
	int status;
	pid_t child;

	CHECK(!pthread_create(&thread, NULL, free_there, blocks[0]));
	CHECK(!pthread_join(thread, &got) && got);
	usermm_free(got);
	child = fork();
	if (!child) {
		usermm_free(blocks[1]);
		free(malloc(100));
		_exit(usermm_malloc(6 << 20) ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	usermm_free(blocks[1]);
}

static void heaps_and_controls(void)
{
	struct usermm_heap *heap = usermm_heap_create("program");
	uint64_t value = 0;
	int fd;

	CHECK(heap && usermm_heap_alloc(heap, 100) && usermm_heap_alloc(heap, 1 << 20));
	CHECK(!usermm_control("stats.allocated_bytes", &value, NULL) && value > 1 << 20);
	usermm_heap_destroy(heap);
	value = 0;
	CHECK(!usermm_control("purge", NULL, &value));
	value = 65536;
	CHECK(!usermm_control("profile", NULL, &value));
	for (unsigned int i = 0; i < 3000; i++)
		usermm_free(usermm_malloc(1000));
	fd = open("/dev/null", O_WRONLY);
	CHECK(!usermm_heap_profile(fd));
	close(fd);
}

int main(int argc, char **argv)
{
	bool same = argc > 1 && !strcmp(argv[1], "same");

	any_size();
	any_alignment();
	beside_libc(same);
	in_threads_and_children();
	heaps_and_controls();
	return check_report();
}
