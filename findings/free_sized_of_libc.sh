#!/bin/sh
# SPDX-License-Identifier: MIT
#
# glibc has the sized free of C23, and it is a jump to whatever free() the process has.
#
# Versions: glibc 2.43 (Debian unstable, libc6 2.43-7); 2.42 and older do not have the names.
# One would guess: free_sized() belongs to the allocator. So a program that asks by dlsym() learns
#     whether its allocator has it; and who stands in front of free() and of free_sized(), and hands
#     each on to the next one, sees each block freed once.
# What happens: free_sized() of libc jumps to free() by its name, in the procedure linkage table.
#     dlsym() finds it under any allocator, also one without a sized free: the size is then lost. A
#     preloaded library that hands free_sized() on gets a call of its own free() for the same block
#     while it does.
# Seen: a program frees one block by free_sized(); the library in front of it prints
#     "free_sized" and then "free", of the same block. free_aligned_sized() is alike.
# Why it matters: a tracer counts one free twice, and a profile of live blocks goes below zero. An
#     allocator has to define both names itself, or its callers gain nothing and are not told.
. "$(dirname "$0")/root.sh"

debian_root sid gcc-16=16.2.0-4 libc6-dev=2.43-7

cat > "$root/work/front.c" <<'END'
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

extern void *traced __attribute__((weak));

static void tell(const char *name, void *block)
{
	if (&traced && block && block == traced)
		write(1, name, __builtin_strlen(name));
}

void free(void *block)
{
	void (*next)(void *) = dlsym(RTLD_NEXT, "free");

	tell("free ", block);
	next(block);
}

void free_sized(void *block, size_t size)
{
	void (*next)(void *, size_t) = dlsym(RTLD_NEXT, "free_sized");

	tell("free_sized ", block);
	next(block, size);
}

void free_aligned_sized(void *block, size_t alignment, size_t size)
{
	void (*next)(void *, size_t, size_t) = dlsym(RTLD_NEXT, "free_aligned_sized");

	tell("free_aligned_sized ", block);
	next(block, alignment, size);
}
END
cat > "$root/work/program.c" <<'END'
#include <stdlib.h>

void *traced;

int main(void)
{
	traced = malloc(1000);
	free_sized(traced, 1000);
	traced = aligned_alloc(64, 640);
	free_aligned_sized(traced, 64, 640);
	return 0;
}
END
inside gcc-16 -w -shared -fPIC -fno-builtin -D_GNU_SOURCE -o front.so front.c &&
	inside gcc-16 -std=c23 -O0 -w -rdynamic -o program program.c ||
	cannot_tell "the programs do not compile"

expect "calls" "free_sized free free_aligned_sized free " "$(inside env LD_PRELOAD=./front.so \
	./program)"
