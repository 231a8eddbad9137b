#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A uprobe inside a restartable sequence makes the kernel forget the sequence.
#
# Versions: Linux 6.18 (x86-64), the kernel that this runs on; glibc 2.36 (Debian 12,
#     2.36-9+deb12u14) registers the thread's rseq area. Needs root, tracefs, two processors.
# One would guess: a probe that only counts changes nothing for the program but its speed. Each hit
#     is an exception, so if anything, a sequence with a probe in it is restarted too often.
# What happens: the kernel executes the probed instruction in a page of its own, outside the
#     program's code. If the thread is preempted or moved there, the kernel finds the address
#     outside of the announced sequence, takes the sequence for ended, and clears the announcement.
#     The thread goes on in the middle, without protection, and commits on another processor.
# Seen (a loop inside the sequence, while the thread is moved between two processors):
#       without the probe: 19563 commits, 437 aborts, 0 commits on another processor
#       with the probe:    503 commits, 1497 aborts, 27 commits on another processor
# Why it matters: per-CPU data of allocators and tracers rely on the restart. Probes on functions
#     are harmless where a sequence begins behind the first instruction, as in usermm's malloc()
#     and free(). Probes by line or by offset inside a sequence break its data without a word.
. "$(dirname "$0")/root.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || cannot_tell "needs root, to set a uprobe"
[ "$(uname -m)" = x86_64 ] || cannot_tell "needs x86-64"
[ "$(nproc)" -ge 2 ] || cannot_tell "needs two processors"
[ -w $tracing/uprobe_events ] || cannot_tell "needs tracefs with uprobes at $tracing"
debian_root bookworm gcc-12=12.2.0-14+deb12u1 libc6=2.36-9+deb12u14 libc6-dev=2.36-9+deb12u14

cat > "$root/work/sequence.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>
#include <unistd.h>

/* Reads cpu_id at its start and at its end, with a loop between them; 0 if it was aborted. */
int sequence(struct rseq *area, long turns, uint32_t *first, uint32_t *last);
__asm__(".text\n.globl sequence, probe_here\nsequence:\n\t"
	"leaq descriptor(%rip), %rax\n\tmovq %rax, 8(%rdi)\n"
	"start: movl 4(%rdi), %r8d\n\tmovl %r8d, (%rdx)\n"
	"probe_here: leaq -1(%rsi), %rsi\n\ttestq %rsi, %rsi\n\tjnz probe_here\n\t"
	"movl 4(%rdi), %r9d\n\tmovl %r9d, (%rcx)\n"
	"commit: movq $0, 8(%rdi)\n\tmovl $1, %eax\n\tret\n\t"
	".byte 0x0f, 0xb9, 0x3d\n\t.long 0x53053053\n"
	"abort: xorl %eax, %eax\n\tret\n\t"
	".data\n\t.balign 32\n"
	"descriptor: .long 0, 0\n\t.quad start, commit - start, abort\n\t.text");

static volatile int stop;
static pid_t worker;

static void *move(void *unused)
{
	for (int i = 0; !stop; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(i & 1, &set);
		sched_setaffinity(worker, sizeof(set), &set);
		usleep(300);
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	long nr = atol(argv[argc - 2]), turns = atol(argv[argc - 1]), aborts = 0, elsewhere = 0;
	uint32_t first, last;
	pthread_t thread;

	if (!__rseq_size)
		return 1;
	worker = getpid();
	pthread_create(&thread, NULL, move, NULL);
	for (long i = 0; i < nr; i++)
		if (!sequence(area, turns, &first, &last))
			aborts++;
		else
			elsewhere += first != last;
	stop = 1;
	pthread_join(thread, NULL);
	printf("%ld %ld\n", aborts, elsewhere);
	return 0;
}
END
inside gcc-12 -O1 -no-pie -pthread sequence.c -o sequence || cannot_tell "gcc-12 failed"
# Its code lies at the file's offset plus 0x400000.
address=$(inside nm sequence | sed -n 's/^0*\([0-9a-f]*\) . probe_here$/\1/p')
offset=$(printf '%#x' $((0x$address - 0x400000)))

result=$(inside timeout 60 ./sequence 20000 30000) || cannot_tell "no rseq area"
[ "${result% *}" -gt 0 ] || cannot_tell "the thread was never moved inside a sequence"
expect "commits on another processor, without a probe" 0 "${result#* }"

name=usermm_finding_$$
echo "p:$name/here $root/work/sequence:$offset" >> $tracing/uprobe_events ||
	cannot_tell "the kernel refuses the uprobe"
echo 1 > $tracing/events/$name/here/enable
elsewhere=0
for _ in 1 2 3 4 5; do
	with=$(inside timeout 60 ./sequence 2000 1000)
	elsewhere=$((elsewhere + ${with#* }))
	[ $elsewhere = 0 ] || break
done
echo 0 > $tracing/events/$name/here/enable
echo "-:$name/here" >> $tracing/uprobe_events
[ $elsewhere != 0 ] || expect "commits on another processor, with a probe" "some" 0
echo "aborts and commits on another processor: $result without a probe, $with with it"
