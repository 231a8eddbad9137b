/* SPDX-License-Identifier: MIT */
/*
 * Another thread closes the file that the calling thread is about to read, and opens one of its own
 * that gets the number: between the two system calls, every time (seccomp_unotify(2)).
 */
#ifndef SUPPORT_TAKE_NUMBER_H
#define SUPPORT_TAKE_NUMBER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	int listener;		/* -1: there is none yet. Sync: atomic */
	int pipe_of_others[2];	/* has one byte in it */
	int fd;			/* the number that was taken; -1: none yet. Sync: atomic */
} take_number = { -1, { -1, -1 }, -1 };

#ifdef SECCOMP_USER_NOTIF_FLAG_CONTINUE
static inline void *take_number_run(void *unused)
{
	int listener;

	while ((listener = __atomic_load_n(&take_number.listener, __ATOMIC_ACQUIRE)) < 0)
		usleep(100);
	for (;;) {
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		if (take_number.fd < 0) {
			int fd = (int)call.data.args[0];

			close(fd);
			dup2(take_number.pipe_of_others[0], fd);
			__atomic_store_n(&take_number.fd, fd, __ATOMIC_RELEASE);
		}
		answer.id = call.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return unused;
}

/*
 * The other thread takes the number of the file that this thread reads next, by read(2) or
 * pread(2). False if the kernel does not permit this.
 */
static inline bool take_number_begin(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	pthread_t thread;
	int listener;

	if (pipe(take_number.pipe_of_others) || write(take_number.pipe_of_others[1], "x", 1) != 1 ||
	    pthread_create(&thread, NULL, take_number_run, NULL))
		return false;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	__atomic_store_n(&take_number.listener, listener, __ATOMIC_RELEASE);
	return listener >= 0;
}
#else
static inline bool take_number_begin(void)
{
	return false;
}
#endif

/* Is the other thread's file as it was? */
static inline bool take_number_is_unharmed(void)
{
	int nr = 0, fd = __atomic_load_n(&take_number.fd, __ATOMIC_ACQUIRE);

	return fd >= 0 && !ioctl(fd, FIONREAD, &nr) && nr == 1;
}

#endif
