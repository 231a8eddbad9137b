#!/bin/sh
# SPDX-License-Identifier: MIT
#
# glibc's M_PERTURB leaves alone the blocks that it promises most: small ones that come back soon.
#
# Versions: glibc 2.41 (Debian 13, libc6 2.41-12+deb13u5); 2.36 and 2.43 do the same.
# One would guess: after mallopt(M_PERTURB, 0x5a), malloc() fills each block with 0xa5, the inverse,
#     and free() fills each with 0x5a, as the manual page says. So no block shows what was in it.
# What happens: neither is done for a block that goes through the calling thread's cache (tcache,
#     since glibc 2.26; blocks of up to 1032 bytes). A block of 1000 bytes comes back with its old
#     contents. The same block from new memory, and one of 2000 bytes, has 0xa5.
# Seen: 1000 new a5, 1000 again 03, 2000 new a5, 2000 again a5. With the tunable
#     glibc.malloc.tcache_count=0 all four are a5.
# Why it matters: M_PERTURB is how people look for reads of uninitialized and of freed memory. It is
#     blind where programs allocate most. Ours fills all blocks.
. "$(dirname "$0")/root.sh"

debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5

cat > "$root/work/perturb.c" <<'END'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(size_t bytes)
{
	unsigned char *volatile block = malloc(bytes);
	unsigned char *volatile again;

	printf("%zu new %02x, ", bytes, block[bytes / 2]);
	memset(block, 3, bytes);
	free(block);
	again = malloc(bytes);
	printf("again %02x\n", again[bytes / 2]);
}

int main(void)
{
	mallopt(M_PERTURB, 0x5a);
	show(1000);
	show(2000);
	return 0;
}
END
inside gcc-14 -O0 -w -o perturb perturb.c || cannot_tell "the program does not compile"

expect "as it is" "1000 new a5, again 03 2000 new a5, again a5" \
	"$(inside ./perturb | tr '\n' ' ' | sed 's/ $//')"
expect "without tcache" "1000 new a5, again a5 2000 new a5, again a5" \
	"$(inside env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 ./perturb | tr '\n' ' ' |
	sed 's/ $//')"
