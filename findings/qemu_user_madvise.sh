#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Under qemu-user every madvise() of an aligned range succeeds, done or not.
#
# Versions: qemu-user 10.0.13 (Debian 13, 1:10.0.13+ds-0+deb13u1) runs here, x86-64 on x86-64;
#     7.2 (Debian 12, 1:7.2+dfsg-7+deb12u18+b3) does the same. The kernel that it is compared with
#     was 6.18.
# One would guess: advice may be ignored, so at worst nothing is gained. What the emulator does not
#     know it refuses with EINVAL, as the kernel does, and a program that asks whether the kernel
#     has an advice gets an answer.
# What happens: 0 is returned for advice that no kernel has, and for memory that is not mapped. Not
#     all of these are mere advice: MADV_DONTNEED_LOCKED leaves the old bytes where zeros are
#     promised, MADV_POPULATE_WRITE leaves the pages absent, MADV_GUARD_INSTALL (Linux 6.13) makes
#     no guard. MADV_DONTNEED alone is done.
# Seen (the kernel, then qemu-user):
#       advice 12345:          refused          done
#       DONTNEED:              zeros            zeros
#       DONTNEED_LOCKED:       zeros            old bytes
#       POPULATE_WRITE:        present          absent
#       DONTNEED of a hole:    refused          done
# Why it matters: an allocator tries an advice once and believes the result. Here it takes memory
#     for zeroed that is not, for populated what is absent, and for guarded what can be read: its
#     calloc() would hand out old bytes. So usermm counts on zeros after MADV_DONTNEED alone.
. "$(dirname "$0")/root.sh"

debian_root trixie qemu-user=1:10.0.13+ds-0+deb13u1 gcc libc6-dev
cat > "$root/work/advice.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { LENGTH = 1 << 16, DONTNEED_LOCKED = 24, POPULATE_WRITE = 23, UNKNOWN = 12345 };

static char *map(void)
{
	return mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static const char *bytes_after(int advice)
{
	char *memory = map();

	memset(memory, 1, LENGTH);
	if (madvise(memory, LENGTH, advice))
		return "refused";
	return memory[0] ? "old bytes" : "zeros";
}

static const char *pages_after(int advice)
{
	char *memory = map();
	unsigned char present[LENGTH / 4096];

	if (madvise(memory, LENGTH, advice))
		return "refused";
	mincore(memory, LENGTH, present);
	return present[0] & 1 ? "present" : "absent";
}

int main(void)
{
	char *hole = map();

	printf("unknown: %s\n", madvise(map(), LENGTH, UNKNOWN) ? "refused" : "done");
	printf("DONTNEED: %s\n", bytes_after(MADV_DONTNEED));
	printf("DONTNEED_LOCKED: %s\n", bytes_after(DONTNEED_LOCKED));
	printf("POPULATE_WRITE: %s\n", pages_after(POPULATE_WRITE));
	munmap(hole, LENGTH);
	printf("hole: %s\n", madvise(hole, LENGTH, MADV_DONTNEED) ? "refused" : "done");
	return 0;
}
END
inside gcc -O1 -static advice.c -o advice || cannot_tell "gcc failed"

expect "the kernel" "unknown: refused, DONTNEED: zeros, DONTNEED_LOCKED: zeros,\
 POPULATE_WRITE: present, hole: refused" "$(inside ./advice | paste -s -d , | sed 's/,/, /g')"
expect "qemu-user" "unknown: done, DONTNEED: zeros, DONTNEED_LOCKED: old bytes,\
 POPULATE_WRITE: absent, hole: done" \
	"$(inside qemu-x86_64 ./advice | paste -s -d , | sed 's/,/, /g')"
echo "qemu-user 10.0.13: every madvise() succeeds; zeros come from MADV_DONTNEED alone"
