#!/bin/sh
# SPDX-License-Identifier: MIT
#
# With gcc -flto a program that is linked with an allocator's archive takes libc's malloc().
#
# Versions: gcc 12.2.0 (Debian 12, 12.2.0-14+deb12u1), GNU ld and gold 2.40 (binutils 2.40-2) run
#     here. The same gcc with mold 1.10.1 takes the archive's; so do gcc 14.2 with GNU ld 2.44
#     (Debian 13), gcc 16.2 with 2.47, and clang 14 -flto with lld and gold.
# One would guess: the archive stands in front of libc, so its malloc() is taken. -flto changes how
#     fast the program is, not which functions it calls.
# What happens: malloc is a builtin function of gcc. The table of names that -flto puts into an
#     object leaves builtins out, as code may yet turn up or vanish. The linker sees no call of
#     malloc(), so it passes over the archive. After it has compiled the whole it finds the call,
#     and libc is the next that has it. Nothing is said.
# Seen: gcc-nm prog.o: kept, main (no malloc)
#       nm prog:       malloc from libc; from the archive without -flto, or with
#                      -fno-builtin-malloc, or with -Wl,-u,malloc
# Why it matters: the program works, and is measured, on the wrong allocator. If another object
#     that is no LTO object, or a function that is no builtin, pulls the archive's member in, it
#     works again: so it comes and goes with unrelated changes.
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 libc6-dev
cat > "$root/work/archive.c" <<'END'
#include <stddef.h>

static _Alignas(16) char heap[1 << 16];
static size_t used;

void *malloc(size_t bytes)
{
	used += (bytes + 15) & ~(size_t)15;
	return heap + used - ((bytes + 15) & ~(size_t)15);
}

void free(void *object)
{
	(void)object;
}
END
cat > "$root/work/prog.c" <<'END'
#include <stdlib.h>

void *volatile kept;

int main(void)
{
	kept = malloc(100);
	free(kept);
	return 0;
}
END
inside gcc-12 -O2 -fno-builtin -c archive.c -o archive.o && inside ar rc libarchive.a archive.o ||
	cannot_tell "gcc failed"

# Links with the options; answers whose malloc() that is.
malloc_of()
{
	inside gcc-12 -O2 "$@" prog.c libarchive.a -o prog || cannot_tell "gcc $* failed"
	if inside nm prog | grep -q ' T malloc$'; then
		echo archive
	else
		echo libc
	fi
}

for linker in bfd gold; do
	expect "$linker" archive "$(malloc_of -fuse-ld=$linker)"
	expect "$linker -flto" libc "$(malloc_of -fuse-ld=$linker -flto)"
	expect "$linker -flto -fno-builtin-malloc" archive \
		"$(malloc_of -fuse-ld=$linker -flto -fno-builtin-malloc)"
	expect "$linker -flto -u" archive "$(malloc_of -fuse-ld=$linker -flto -Wl,-u,malloc)"
done
inside gcc-12 -O2 -flto -c prog.c -o prog.o
expect "names in the LTO object" "kept main" \
	"$(inside gcc-nm-12 prog.o | sed 's/.* //' | paste -s -d ' ')"
echo "gcc 12 -flto with GNU ld or gold 2.40: malloc() is libc's, not the archive's"
