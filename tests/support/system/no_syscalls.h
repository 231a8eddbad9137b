/* SPDX-License-Identifier: MIT */
/*
 * After no_syscalls_from_here(), the first system call other than write, exit and exit_group ends
 * this process, with exit status NO_SYSCALLS_BROKEN and one line on stderr. A vDSO function that
 * makes a system call counts as well.
 */
#ifndef SUPPORT_NO_SYSCALLS_H
#define SUPPORT_NO_SYSCALLS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_SYSCALLS_BROKEN 98

/* The handler may not return, because returning is a system call. */
static void no_syscalls_report(int signal, siginfo_t *info, void *context)
{
	char text[64];
	ssize_t done;

	(void)signal;
	(void)context;
	snprintf(text, sizeof(text), "system call %d was made\n", info->si_syscall);
	done = write(STDERR_FILENO, text, strlen(text));
	_exit(done < 0 ? 97 : NO_SYSCALLS_BROKEN);
}

/* False if the kernel does not allow seccomp filters. */
static inline bool no_syscalls_from_here(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	struct sigaction action = { .sa_sigaction = no_syscalls_report, .sa_flags = SA_SIGINFO };

	return !sigaction(SIGSYS, &action, NULL) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
