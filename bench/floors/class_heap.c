// SPDX-License-Identifier: MIT
/*
 * A floor for a program's heap: what a program's blocks need at least, from an allocator with size
 * classes and from one without. Preloaded into a program of glibc's, it counts what the program
 * asks for; libc's malloc serves it. A program that brings a malloc of its own cannot be counted.
 * When a process ends, a line is added to the file that CLASS_HEAP names, in KiB:
 *
 *	live		the most bytes that were asked for and not freed
 *	rounded		the same, of blocks rounded up to their classes, and large ones to pages
 *	fullest		what each class had at its own fullest moment, and the large blocks at
 *			theirs: the heap, if no class ever gives memory to another one
 *	pages		the same, each class in whole pages
 *
 * Classes are eight in each doubling, 16 bytes apart at least, up to 32 KiB. Threads may make a
 * maximum too low by a few blocks.
 *
 * usage: cc -O2 -shared -fPIC -o class_heap.so class_heap.c
 *	  CLASS_HEAP=/tmp/heap LD_PRELOAD=$PWD/class_heap.so PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096ul
#define CLASS_MAX 32768ul
#define CLASSES 128

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *block);

struct count {
	unsigned long now, most;
};

static struct count live, rounded, large, classes[CLASSES];
static unsigned long class_bytes[CLASSES];
static size_t (*usable)(void *block);

static void add(struct count *count, unsigned long bytes)
{
	unsigned long now = __atomic_add_fetch(&count->now, bytes, __ATOMIC_RELAXED);

	if (now > __atomic_load_n(&count->most, __ATOMIC_RELAXED))
		__atomic_store_n(&count->most, now, __ATOMIC_RELAXED);
}

/* The class's number; *bytes becomes the class's. */
static unsigned int class_of(unsigned long *bytes)
{
	unsigned int shift = 4, doubling = 0;
	unsigned long steps;

	*bytes = (*bytes + 15) / 16 * 16;
	while (*bytes > 16ul << 3 << (doubling + 1))
		doubling++;
	shift += doubling;
	steps = (*bytes + (1ul << shift) - 1) >> shift;
	*bytes = steps << shift;
	return (unsigned int)(doubling * 8 + steps - 1);
}

static void count_block(size_t asked, int sign)
{
	unsigned long bytes = asked ? asked : 1;

	add(&live, (unsigned long)sign * bytes);
	if (bytes > CLASS_MAX) {
		bytes = (bytes + PAGE - 1) / PAGE * PAGE;
		add(&large, (unsigned long)sign * bytes);
	} else {
		unsigned int class = class_of(&bytes);

		class_bytes[class] = bytes;
		add(&classes[class], (unsigned long)sign);
	}
	add(&rounded, (unsigned long)sign * bytes);
}

/* The size that was asked for lies in the last eight bytes of a block. */
static size_t *asked_of(void *block)
{
	if (!usable)
		*(void **)&usable = dlsym(RTLD_NEXT, "malloc_usable_size");
	return (size_t *)((char *)block + usable(block)) - 1;
}

static void *taken(void *block, size_t asked)
{
	if (block) {
		*asked_of(block) = asked;
		count_block(asked, 1);
	}
	return block;
}

static size_t with_size(size_t asked)
{
	return asked > PTRDIFF_MAX ? asked : asked + sizeof(size_t);
}

void *malloc(size_t asked)
{
	return taken(__libc_malloc(with_size(asked)), asked);
}

void *calloc(size_t nr, size_t bytes)
{
	size_t asked;

	if (__builtin_mul_overflow(nr, bytes, &asked)) {
		errno = ENOMEM;
		return NULL;
	}
	return taken(__libc_calloc(1, with_size(asked)), asked);
}

void free(void *block)
{
	if (block)
		count_block(*asked_of(block), -1);
	__libc_free(block);
}

void *realloc(void *block, size_t asked)
{
	size_t before = block ? *asked_of(block) : 0;
	void *now;

	if (block && !asked) {
		free(block);
		return NULL;
	}
	now = __libc_realloc(block, with_size(asked));
	if (now && block)
		count_block(before, -1);
	return taken(now, asked);
}

void *memalign(size_t align, size_t asked)
{
	return taken(__libc_memalign(align, with_size(asked)), asked);
}

void *aligned_alloc(size_t align, size_t asked)
{
	return memalign(align, asked);
}

int posix_memalign(void **block, size_t align, size_t asked)
{
	void *made = memalign(align, asked);

	if (!made)
		return ENOMEM;
	*block = made;
	return 0;
}

size_t malloc_usable_size(void *block)
{
	return block ? *asked_of(block) : 0;
}

__attribute__((__destructor__)) static void tell(void)
{
	unsigned long fullest = large.most, pages = large.most;
	const char *path = getenv("CLASS_HEAP");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;

	if (file < 0)
		return;
	for (unsigned int i = 0; i < CLASSES; i++) {
		unsigned long bytes = classes[i].most * class_bytes[i];

		fullest += bytes;
		pages += (bytes + PAGE - 1) / PAGE * PAGE;
	}
	dprintf(file, "%s: live %lu rounded %lu fullest %lu pages %lu\n",
		program_invocation_short_name, live.most >> 10, rounded.most >> 10, fullest >> 10,
		pages >> 10);
	close(file);
}
