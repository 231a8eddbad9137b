#!/bin/sh
# SPDX-License-Identifier: MIT
#
# After pthread_join() of its only other thread, a process may still have two.
#
# Versions: Linux 6.18 (x86-64, 2 processors), glibc 2.41 (2.41-12+deb13u5) and musl 1.2.5
#     (1.2.5-3.1~deb13u1); glibc 2.36 does the same.
# One would guess: a thread that was joined has ended. Its number is free, and unshare() and setns()
#     accept the process, which they refuse as long as it has several threads.
# What happens: the kernel clears the word that pthread_join() waits for when the thread gives up
#     its memory. It counts the thread among the process's, lists it in /proc/self/task and takes
#     signals for it until it has also closed files, left its cgroup and told its tracer. With
#     a second processor the one who joins is often faster: unshare() says EINVAL, tgkill() says 0.
#     musl joins in the same way, but meets this less often. Who needs to be alone has to ask again;
#     that the number is free, which comes a little earlier, is not enough.
# Seen, of 20000 threads:                        glibc 2.41     musl 1.2.5
#       tgkill(, , 0) finds the joined thread    1018 to 1600    41 to 87
#       unshare(CLONE_THREAD) says EINVAL        769 to 1283     39 to 65
#       the same when asked again for a second   0              0
# Why it matters: an allocator that stops its background thread for a program's sake, before
#     unshare() or setns(), is not done when it has joined it, nor when its number is free: usermm
#     makes a refused call again (src/malloc/interpose/sandbox.c). And a test that looks for
#     a joined thread by its number fails once in some dozens of runs, more often under an emulator
#     and on a busy machine: so did ours (tests/kernel/test_tasks.c).
. "$(dirname "$0")/root.sh"

[ "$(nproc)" -gt 1 ] || cannot_tell "one processor: the thread ends first"
debian_root trixie gcc-14=14.2.0-19 libc6-dev=2.41-12+deb13u5 musl-dev=1.2.5-3.1~deb13u1
cat > "$root/work/join.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number;

static void *tell_number(void *unused)
{
	number = (int)syscall(SYS_gettid);
	return unused;
}

/*
 * Does unshare() refuse the process after a thread was joined, also if it is asked again? With
 * CLONE_THREAD it only says whether this is the only thread, as it wants for CLONE_NEWUSER too.
 */
static const char *refusals(int patience)
{
	int refused = 0, found = 0;

	for (int i = 0; i < 20000; i++) {
		int left = patience;
		pthread_t thread;

		if (pthread_create(&thread, NULL, tell_number, NULL) || pthread_join(thread, NULL))
			return "no threads";
		found += !syscall(SYS_tgkill, getpid(), number, 0);
		while (unshare(CLONE_THREAD) && left-- > 0)
			usleep(100);
		refused += left < 0;
	}
	fprintf(stderr, "of 20000 joined threads %d are there, %d refusals\n", found, refused);
	return refused ? "refused" : "accepted";
}

int main(void)
{
	printf("%s at once, ", refusals(0));
	printf("%s later\n", refusals(10000));
	return 0;
}
END
inside gcc-14 -O1 -pthread join.c -o glibc || cannot_tell "gcc failed"
inside gcc-14 -specs /usr/lib/x86_64-linux-musl/musl-gcc.specs -O1 -static join.c -o musl ||
	cannot_tell "gcc for musl failed"

for libc in glibc musl; do
		expect "$libc" "refused at once, accepted later" "$(inside ./$libc)"
done
echo "a joined thread may still be one of the process's, and keeps unshare() from it"
