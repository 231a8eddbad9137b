#!/bin/sh
# SPDX-License-Identifier: MIT
#
# clang makes a plain load of a relaxed atomic addition of 0.
#
# Versions: clang 14.0.6 (1:14.0.6-12), clang 19.1.7 (1:19.1.7-3~deb12u1) and gcc 12.2
#     (12.2.0-14+deb12u1) of Debian 12, x86-64.
# One would guess: __atomic_fetch_add(p, 0, __ATOMIC_RELAXED) reads and writes. So it is a way to
#     touch a page that may be new: one page fault, and the word keeps its value whatever it was.
# What happens: clang emits a mov. The page fault is one for reading, so the kernel maps its page of
#     zeros; the first store there is a second fault. From release on the addition becomes a fence
#     and a load, which orders as much. gcc keeps `lock xadd`. Both keep a compare and exchange of 0
#     for 0.
# Seen (page faults for an addition of 0 to, and a store to, a new page):
#       gcc 12: 1, clang 14: 2, clang 19: 2; with a compare and exchange 1 by all three
# Why it matters: an allocator looks at a CPU's word in memory that nobody has touched yet, and then
#     stores there. That costs two faults a page where it could be one: in usermm built by clang, 3
#     of 35 faults of a program that allocates from 24 new size classes, without sequences.
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 clang-14=1:14.0.6-12 \
	clang-19=1:19.1.7-3~deb12u1 libc6-dev
cat > "$root/work/touch.c" <<'END_OF_SOURCE'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

int main(void)
{
	unsigned int *word, old = 0;
	long before;

	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (word == MAP_FAILED)
		return 1;
	faults();	/* its own page is there now */
	before = faults();
#ifdef EXCHANGE
	__atomic_compare_exchange_n(word, &old, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#else
	old = __atomic_fetch_add(word, 0, __ATOMIC_RELAXED);
#endif
	*(volatile unsigned int *)word = old + 1;
	printf("%ld\n", faults() - before);
	return 0;
}
END_OF_SOURCE

# Compiles with the compiler and options; answers how many page faults the program counts.
touched_by()
{
	inside "$@" -O2 touch.c -o touch || cannot_tell "$* failed"
	inside ./touch
}

expect "page faults, an addition by gcc 12" 1 "$(touched_by gcc-12)"
for compiler in clang-14 clang-19; do
	expect "page faults, an addition by $compiler" 2 "$(touched_by $compiler)"
	expect "page faults, an exchange by $compiler" 1 "$(touched_by $compiler -DEXCHANGE)"
done
expect "page faults, an exchange by gcc 12" 1 "$(touched_by gcc-12 -DEXCHANGE)"
echo "an addition of 0 and a store to a new page: 1 page fault by gcc, 2 by clang"
