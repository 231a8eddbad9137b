/* SPDX-License-Identifier: MIT */
/* The numbers of signals, which are libc's, and what goes with a signal. */
#ifndef KERNEL_LINUX_SIGNAL_H
#define KERNEL_LINUX_SIGNAL_H

#include <linux/bug.h>
#include <linux/list.h>
#include <linux/types.h>
#include <signal.h>

struct kernel_siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	union {
		int si_usermm_int;
		void *si_usermm_ptr;
	};
};
typedef struct kernel_siginfo kernel_siginfo_t;

#define SEND_SIG_NOINFO ((struct kernel_siginfo *)0)
#define SEND_SIG_PRIV ((struct kernel_siginfo *)1)
#ifndef SI_KERNEL
#define SI_KERNEL 0x80
#endif
#define valid_signal(signal) ((unsigned long)(signal) <= 64)

static inline void clear_siginfo(kernel_siginfo_t *info)
{
	*info = (kernel_siginfo_t){ 0 };
}

#endif
