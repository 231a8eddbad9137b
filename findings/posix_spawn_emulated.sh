#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Under qemu-user glibc's posix_spawn() of a program that does not exist succeeds.
#
# Versions: qemu-user 10.0.13 (Debian 13, 1:10.0.13+ds-0+deb13u1) runs here with glibc 2.41
#     (2.41-12+deb13u5) and musl 1.2.5 (1.2.5-3.1~deb13u1). qemu-user 7.2 and valgrind 3.19
#     (Debian 12, glibc 2.36) do the same.
# One would guess: ENOENT, as on the machine itself. An emulator that passes system calls on does
#     not change which of them fail.
# What happens: glibc starts the child by clone() with CLONE_VM and CLONE_VFORK, and the child
#     leaves the error of execve() in memory that both share. The emulator cannot run two processes
#     in one translated memory: it makes a fork() of that and says nothing. The error stays in the
#     child's copy; the parent sees 0, and a child that ends with 127. musl sends the error through
#     a pipe, and is right in both.
# Seen:                                    machine      qemu-user
#       glibc, posix_spawn()               ENOENT       0, then status 127
#       musl, posix_spawn()                ENOENT       ENOENT
#       a vfork() child's store            seen         lost
# Why it matters: an allocator that keeps account of the children which share its memory, since
#     they have no rseq, must not leave it to them to sign off: under an emulator that is lost, and
#     the fast paths would stay shut. In usermm the parent does both (src/percpu/vfork.c). And
#     a test that waits for ENOENT fails under the emulator for glibc alone.
. "$(dirname "$0")/root.sh"

debian_root trixie qemu-user=1:10.0.13+ds-0+deb13u1 gcc libc6=2.41-12+deb13u5 \
	libc6-dev=2.41-12+deb13u5 musl-dev=1.2.5-3.1~deb13u1
cat > "$root/work/spawn.c" <<'END'
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stored;

int main(void)
{
	char *argv[] = { "none", NULL };
	int status, error;
	pid_t child;

	error = posix_spawn(&child, "/does/not/exist", NULL, NULL, argv, NULL);
	printf("%s", !error ? "0" : error == ENOENT ? "ENOENT" : "another error");
	if (!error) {
		waitpid(child, &status, 0);
		printf(" and status %d", WEXITSTATUS(status));
	}
	fflush(stdout);
	child = vfork();
	if (!child) {
		stored = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf(", store %s\n", stored ? "seen" : "lost");
	return 0;
}
END
inside gcc -O1 -static spawn.c -o glibc || cannot_tell "gcc failed"
inside gcc -specs /usr/lib/x86_64-linux-musl/musl-gcc.specs -O1 -static spawn.c -o musl ||
	cannot_tell "gcc for musl failed"

for libc in glibc musl; do
	expect "$libc" "ENOENT, store seen" "$(inside ./$libc)"
done
expect "glibc under qemu-user" "0 and status 127, store lost" "$(inside qemu-x86_64 ./glibc)"
expect "musl under qemu-user" "ENOENT, store lost" "$(inside qemu-x86_64 ./musl)"
echo "qemu-user 10.0.13: posix_spawn() of what does not exist fails with musl, succeeds with glibc"
