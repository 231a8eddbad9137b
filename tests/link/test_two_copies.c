/* SPDX-License-Identifier: MIT */
/*
 * A second copy of the library in a process, which is loaded under an unknown name and called by
 * dlsym(): it has no memory, says so in one line, and leaves the first copy's memory alone.
 *
 *	test_two_copies LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/system/copy_file.h"

static char copy[] = "/tmp/usermm-copy-XXXXXX";

static bool make_copy(const char *path)
{
	int to = mkstemp(copy);
	bool good = to >= 0 && copy_file(path, to);

	close(to);
	return good;
}

static void *look_up(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol) {
		printf("not ok: %s is not there\n", name);
		exit(1);
	}
	return symbol;
}

/* The second copy's messages go to a pipe. */
static void *allocate_there(void *library, char *text, size_t size)
{
	void *(*allocate)(size_t bytes, unsigned int gfp), *object;
	int fds[2], stderr_before = dup(STDERR_FILENO);
	ssize_t length;

	*(void **)&allocate = look_up(library, "usermm_kmalloc_size");
	if (pipe(fds))
		exit(1);
	dup2(fds[1], STDERR_FILENO);
	object = allocate(100, 0);
	/* There is no second line. */
	if (!object)
		object = allocate(100, 0);
	dup2(stderr_before, STDERR_FILENO);
	close(fds[1]);
	length = read(fds[0], text, size - 1);
	text[length > 0 ? length : 0] = '\0';
	close(fds[0]);
	return object;
}

int main(int argc, char **argv)
{
	static char text[4096];
	bool (*knows)(const void *pointer);
	void *library, *object, *block;

	if (argc < 2 || !make_copy(argv[1]))
		return 1;
	block = malloc(100);
	library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
	unlink(copy);
	if (!library) {
		printf("not ok: %s\n", dlerror());
		return 1;
	}
	*(void **)&knows = look_up(RTLD_DEFAULT, "usermm_virt_addr_valid");
	object = allocate_there(library, text, sizeof(text));
	if (object || !strstr(text, "two copies of usermm") ||
	    strchr(text, '\n') != text + strlen(text) - 1) {
		printf("not ok: %p, '%s'\n", object, text);
		return 1;
	}
	if (!knows(block)) {
		printf("not ok: the first copy's memory is not known any more\n");
		return 1;
	}
	free(block);
	for (unsigned int i = 0; i < 10000; i++)
		free(malloc(i));
	printf("ok: %s", text);
	return 0;
}
