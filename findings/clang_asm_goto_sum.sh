#!/bin/sh
# SPDX-License-Identifier: MIT
#
# clang 22 forgets a loop that starts at the output of an `asm goto`.
#
# Versions: clang 22.1.8 (Debian 13, 1:22.1.8-1~deb13u5) runs here. clang 21.1.8 and another
#     build of 22.1.8 (Debian unstable) do the same; clang 23.1.4 and gcc 16 are right. The clang
#     that Python's package ziglang 0.17.0 has, 22.1.8 too, is right about the same loop.
#     Older clangs have trouble with such loops too. They know no _Countof and refuse this program.
# One would guess: a pointer from an `asm goto` is like any other on the way that falls through.
#     Outputs are allowed since clang 11, and on the other ways out too since clang 17.
# What happens: at -O2 and -O3 the sum of 1 to 8 is not 36 but what a register holds, an
#     address. There is no warning. clang computes the number of turns for the vector form of the
#     loop right behind the pointer, but there the `asm goto` has ended its block. The whole
#     function becomes poison: the loop and its result are gone. -O1, -Os and -fno-vectorize are
#     right; -fno-unroll-loops is not.
# Seen: -O1: 36
#       -O2: 94543740764192 (differs each time), and `ret i64 poison` in -emit-llvm
# Why it matters: allocators take an object in a restartable sequence, which is an `asm goto`
#     with the object as its output, and then look through it or clear it. That loop is the one
#     which goes missing. In usermm an empty asm with the pointer as "+r" follows, which helps
#     (shown below).
. "$(dirname "$0")/root.sh"

debian_root trixie clang-22=1:22.1.8-1~deb13u5 libc6-dev
cat > "$root/work/sum.c" <<'END'
#include <stdio.h>

long memory[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

__attribute__((noinline)) static long sum(unsigned long count)
{
	long *from, sum = 0;

	__asm__ goto("leaq memory(%%rip), %0" : "=r"(from) : : : none);
#ifdef MADE_ANEW
	__asm__("" : "+r"(from));
#endif
	for (const long *at = from, *end = from + count; at < end; at++)
		sum += *at;
	return sum;
none:
	return -1;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%ld\n", sum(argc * _Countof(memory)));
	return 0;
}
END

# Compiles with the options; answers what the program prints.
sum()
{
	inside clang-22 -std=c2y "$@" sum.c -o sum || cannot_tell "clang-22 $* failed"
	inside timeout 5 ./sum
}

expect "-O1" 36 "$(sum -O1)"
expect "-O2 -fno-vectorize" 36 "$(sum -O2 -fno-vectorize)"
expect "-O2 with the pointer made anew" 36 "$(sum -O2 -DMADE_ANEW)"
wrong=$(sum -O2)
[ "$wrong" != 36 ] || expect "-O2" "anything but 36" 36
inside clang-22 -std=c2y -O2 -S -emit-llvm sum.c -o sum.ll
expect "what sum() returns" "ret i64 poison" \
	"$(sed -n '/^define.*@sum(/,/^}/s/^ *\(ret .*\)/\1/p' "$root/work/sum.ll")"
echo "clang 22.1.8: 1 + ... + 8 is 36 at -O1, $wrong at -O2"
