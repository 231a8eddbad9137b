#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether a program finds glibc's __rseq_offset by a weak reference depends on its linker.
#
# Versions: mold 1.10.1 (Debian 12, 1.10.1+dfsg-1), lld 14.0.6 (1:14.0.6-12), GNU ld and gold 2.40
#     (binutils 2.40-2), gcc 12.2.0, glibc 2.36. lld 16 and 19 do as 14 does. mold 2.37.1 and GNU ld
#     2.44 (Debian 13) find it.
# One would guess: a weak reference is bound when the program starts if any of its libraries has the
#     name. glibc has this one since 2.35, so it is found.
# What happens: the name is not in libc.so.6 but in ld-linux-x86-64.so.2, which the script libc.so
#     names as AS_NEEDED. A weak reference does not make a library needed. GNU ld and gold still
#     leave the name to be bound at the start. mold decides then and there that it is 0, and
#     forgets the name; lld does so if the program is not position independent. Every program
#     loads ld-linux, so the name would be there. A weak reference to what libc.so.6 itself has,
#     as mallopt(), is bound by all.
# Seen (address of __rseq_offset in the program that runs):
#                 -pie     -no-pie
#       GNU ld    there    there
#       gold      there    there
#       lld       there    0
#       mold      0        0
#     With --no-as-needed and ld-linux by name it is there with all of them.
# Why it matters: an archive of an allocator refers weakly to such names, so that it also links
#     with a libc that has none of them. Such a linker tells it that libc has registered no rseq
#     area. Its own registration is then refused, as there is one, and it goes without restartable
#     sequences while nothing says why. So usermm's references are weak only where libc may lack
#     the names (src/percpu/rseq/registration.c).
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 mold=1.10.1+dfsg-1 \
	lld-14=1:14.0.6-12 libc6=2.36-9+deb12u14 libc6-dev=2.36-9+deb12u14
ln -s lld-14 "$root/usr/bin/ld.lld"
cat > "$root/work/weak.c" <<'END'
#include <malloc.h>
#include <stdio.h>

extern const long __rseq_offset __attribute__((weak));
extern __typeof__(mallopt) mallopt __attribute__((weak));

int main(void)
{
	printf("%s%s\n", &__rseq_offset ? "there" : "0", mallopt ? "" : ", no mallopt()");
	return 0;
}
END

# Links with the linker and the options; answers what the program prints.
linked_by()
{
	linker=$1
	shift
	inside gcc-12 -O1 "-fuse-ld=$linker" weak.c "$@" -o weak || cannot_tell "$linker failed"
	inside ./weak
}

pie="-fPIE -pie"
no_pie="-fno-pie -no-pie"
needed="-Wl,--no-as-needed /lib64/ld-linux-x86-64.so.2"
for linker in bfd gold lld; do
	expect "$linker $pie" there "$(linked_by $linker $pie)"
done
for linker in bfd gold; do
	expect "$linker $no_pie" there "$(linked_by $linker $no_pie)"
done
expect "mold $pie" 0 "$(linked_by mold $pie)"
for linker in lld mold; do
	expect "$linker $no_pie" 0 "$(linked_by $linker $no_pie)"
	expect "$linker $no_pie $needed" there "$(linked_by $linker $no_pie $needed)"
done
echo "mold 1.10.1 and lld 14 forget a weak reference to __rseq_offset; GNU ld and gold do not"
