#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What aligned operator new asks the allocator for depends on the C++ runtime, down to its third
# number, and the size with it.
#
# Versions: libstdc++ of gcc 14 (Debian 13, 14.2.0-19), libc++ 19 (libc++abi1-19
#     1:19.1.7-3+b1). libstdc++ 16.2, and 12.4 as an archive, call what 14 calls; 12.2 (Debian 12)
#     is as libc++.
# One would guess: operator new(size, alignment) calls one function of libc, the same for years,
#     with these two numbers.
# What happens: libstdc++ 14 calls posix_memalign() with the size as it is: new(65 bytes, 64) is
#     posix_memalign(64, 65). libc++ calls aligned_alloc(), and rounds the size up, as C11 once
#     asked: aligned_alloc(64, 128). libstdc++ did the same, and went over between 12.2 and 12.4.
# Seen: the lines above, of one C program linked with the one and the other.
# Why it matters: who takes the place of only one of both functions sees no aligned block of half
#     of the programs: libc makes them, and the replaced free() gets them. Sizes in a heap profile
#     change with the runtime. We define both.
. "$(dirname "$0")/root.sh"

debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5 libstdc++6=14.2.0-19 \
	libc++abi1-19=1:19.1.7-3+b1

# In C, so that the headers of no C++ runtime are needed. The program's own functions come first.
cat > "$root/work/new.c" <<'END'
#include <stddef.h>
#include <stdio.h>

void *new_aligned(size_t size, size_t alignment) __asm__("_ZnwmSt11align_val_t");

static char block[4096] __attribute__((aligned(4096)));

int posix_memalign(void **to, size_t alignment, size_t size)
{
	printf("posix_memalign(%zu, %zu)\n", alignment, size);
	*to = block;
	return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	printf("aligned_alloc(%zu, %zu)\n", alignment, size);
	return block;
}

int main(void)
{
	new_aligned(65, 64);
	return 0;
}
END
runtime()
{
	inside gcc-14 -w -rdynamic -o new new.c "$1" ||
		cannot_tell "the program does not link with $1"
	inside ./new
}

expect "libstdc++ 14" "posix_memalign(64, 65)" "$(runtime /usr/lib/x86_64-linux-gnu/libstdc++.so.6)"
expect "libc++ 19" "aligned_alloc(64, 128)" "$(runtime /usr/lib/llvm-19/lib/libc++abi.so.1.0)"
