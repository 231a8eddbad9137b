#!/bin/sh
# SPDX-License-Identifier: MIT
#
# On x86-64, glibc's getauxval(AT_HWCAP) is not what the kernel gave the process.
#
# Versions: glibc 2.41 (Debian 13, libc6 2.41-12+deb13u5; glibc 2.36 does the same), musl 1.2.5
#     (1.2.5-3.1~deb13u1).
# One would guess: getauxval() reads the auxiliary vector that the kernel put on the stack, so it
#     agrees with that in all of its entries.
# What happens: on x86-64 the kernel's AT_HWCAP is the processor's feature word (CPUID leaf 1, EDX).
#     glibc's loader overwrites its copy with bits of its own, which name folders of libraries: 2
#     says x86-64, 4 AVX-512. getauxval() returns these. All other entries are the kernel's. musl
#     returns the kernel's value.
# Seen: kernel 0x178bfbff, glibc 0x2, musl 0x178bfbff, on an AMD EPYC.
# Why it matters: who reads the vector by itself, to call nothing of libc at start-up, gets another
#     answer than getauxval() for this entry, and must not treat that as a broken vector.
. "$(dirname "$0")/root.sh"

debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5 musl-tools=1.2.5-3.1~deb13u1

cat > "$root/work/compare.c" <<'END'
#include <stdio.h>
#include <sys/auxv.h>

/* The kernel's vector lies on the stack, behind the environment. */
int main(int argc, char **argv, char **environment)
{
	unsigned long *entry, other = 0;

	while (*environment)
		environment++;
	for (entry = (unsigned long *)(environment + 1); entry[0]; entry += 2) {
		unsigned long libc = getauxval(entry[0]);

		if (entry[0] == 16)
			printf("AT_HWCAP %s\n", libc == entry[1] ? "the kernel's" :
			       libc && libc <= 7 ? "libc's own" : "something else");
		else if (libc != entry[1])
			other++;
	}
	printf("%lu others differ\n", other);
	return 0;
}
END
inside gcc-14 -o compare_glibc compare.c || cannot_tell "the program does not compile"
inside gcc-14 -specs /usr/lib/x86_64-linux-musl/musl-gcc.specs -o compare_musl compare.c ||
	cannot_tell "the program does not compile for musl"

expect "glibc" "AT_HWCAP libc's own 0 others differ" "$(inside ./compare_glibc | tr '\n' ' ' |
	sed 's/ $//')"
expect "musl" "AT_HWCAP the kernel's 0 others differ" "$(inside ./compare_musl | tr '\n' ' ' |
	sed 's/ $//')"
