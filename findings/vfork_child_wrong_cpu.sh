#!/bin/sh
# SPDX-License-Identifier: MIT
#
# In a vfork() child glibc's sched_getcpu() goes on naming the processor of the parent.
#
# Versions: glibc 2.36 (Debian 12, 2.36-9+deb12u14) runs here, on Linux 6.18, x86-64, with two
#     processors at least. glibc 2.41 and 2.43 do the same; musl 1.2.3 is right.
# One would guess: sched_getcpu() asks the kernel, or what the kernel keeps up to date. A vfork()
#     child is like a fork() child that borrows the memory, and that one's answer is right.
# What happens: since 2.35 glibc reads cpu_id in the thread's rseq area. clone() with CLONE_VM, as
#     by vfork(), ends the child's registration in the kernel, since a new thread is to have an
#     area of its own. But the vfork() child has the parent's thread pointer, and there the
#     parent's area, whose fields stay what they were. They look as valid as before.
# Seen (the child has moved to another processor):
#       fork():   sched_getcpu() 1, getcpu(2) 1
#       vfork():  sched_getcpu() 0, getcpu(2) 1
# Why it matters: all that looks for rseq takes that area for the caller's. An allocator that is
#     called in such a child, as by a shell's or an interpreter's spawning, would choose a slot by
#     a number that is wrong, and announce a sequence that the kernel never restarts: two owners
#     of one slot. While usermm has such a child it starts no sequence (src/percpu/vfork.c).
. "$(dirname "$0")/root.sh"

debian_root bookworm gcc-12=12.2.0-14+deb12u1 libc6=2.36-9+deb12u14 \
	libc6-dev=2.36-9+deb12u14
cat > "$root/work/child.c" <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned int other;
static cpu_set_t there;

/* In the child; 0 if sched_getcpu() is right, 1 if it names another processor. */
static int move_and_look(void)
{
	unsigned int now;

	if (syscall(SYS_sched_setaffinity, 0, sizeof(there), &there) < 0)
		return 2;
	syscall(SYS_getcpu, &now, NULL, NULL);
	if (now != other)
		return 2;
	return (unsigned int)sched_getcpu() != now;
}

static const char *answer(pid_t child)
{
	static const char *const answers[] = { "right", "wrong", "cannot move" };
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? answers[WEXITSTATUS(status)] : "killed";
}

int main(void)
{
	cpu_set_t all, here;
	unsigned int first = 0;
	pid_t child;

	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		return 2;
	while (!CPU_ISSET(first, &all))
		first++;
	for (other = first + 1; !CPU_ISSET(other, &all);)
		other++;
	CPU_ZERO(&here);
	CPU_SET(first, &here);
	CPU_ZERO(&there);
	CPU_SET(other, &there);
	sched_setaffinity(0, sizeof(here), &here);

	child = fork();
	if (!child)
		_exit(move_and_look());
	printf("fork: %s\n", answer(child));
	child = vfork();
	if (!child)
		_exit(move_and_look());
	printf("vfork: %s\n", answer(child));
	printf("parent: %s\n", (unsigned int)sched_getcpu() == first ? "right" : "wrong");
	return 0;
}
END
inside gcc-12 -O1 -w child.c -o child || cannot_tell "gcc failed"
got=$(inside ./child) || cannot_tell "needs two processors"

expect "sched_getcpu()" "fork: right,vfork: wrong,parent: right" \
	"$(echo "$got" | paste -s -d ,)"
echo "glibc 2.36: sched_getcpu() is wrong in a vfork() child that has moved"
