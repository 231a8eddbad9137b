/* SPDX-License-Identifier: MIT */
/* Numbers of signals, which are libc's, and what goes with a signal. */
#ifndef KERNEL_LINUX_SIGNAL_H
#define KERNEL_LINUX_SIGNAL_H

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/version.h>

/* libc's <signal.h> is not included: a module may define functions of the same names. */
#ifndef SIGINT
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGIOT SIGABRT
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTKFLT 16
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGPOLL 29
#define SIGIO SIGPOLL
#define SIGPWR 30
#define SIGSYS 31
#endif
#define _NSIG_WORDS 1	/* of 64 bits */
#ifndef SIGRTMIN
#define SIGRTMIN 32
#define SIGRTMAX 64
#endif

/* libc has these as names of an enum: with its guard set, they stay macros in its header. */
#ifndef _BITS_SIGINFO_CONSTS_H
#define _BITS_SIGINFO_CONSTS_H 1
#define SI_USER 0
#define SI_KERNEL 0x80
#define SI_QUEUE -1
#define SI_TIMER -2
#define SI_MESGQ -3
#define SI_ASYNCIO -4
#define SI_SIGIO -5
#define SI_TKILL -6
#define POLL_IN 1
#define POLL_OUT 2
#define POLL_MSG 3
#define POLL_ERR 4
#define POLL_PRI 5
#define POLL_HUP 6
#endif

/* In libc these are macros. */
#pragma push_macro("si_pid")
#pragma push_macro("si_uid")
#pragma push_macro("si_int")
#pragma push_macro("si_ptr")
#pragma push_macro("si_addr")
#pragma push_macro("si_tid")
#pragma push_macro("si_overrun")
#pragma push_macro("si_status")
#pragma push_macro("si_utime")
#pragma push_macro("si_stime")
#pragma push_macro("si_band")
#pragma push_macro("si_fd")
#pragma push_macro("si_call_addr")
#pragma push_macro("si_syscall")
#pragma push_macro("si_arch")
#pragma push_macro("si_addr_lsb")
#pragma push_macro("si_value")
#undef si_pid
#undef si_uid
#undef si_int
#undef si_ptr
#undef si_addr
#undef si_tid
#undef si_overrun
#undef si_status
#undef si_utime
#undef si_stime
#undef si_band
#undef si_fd
#undef si_call_addr
#undef si_syscall
#undef si_arch
#undef si_addr_lsb
#undef si_value
/* A field under Linux's name, and under that of libc's macros. */
#define USERMM_SI_BOTH(type, name, libc_name) \
	union {								\
		type name;						\
		type libc_name;						\
	}
#define USERMM_SI_VALUE union { int sival_int; void *sival_ptr; }
#define USERMM_SI_SENDER \
	USERMM_SI_BOTH(pid_t, _pid, si_pid); USERMM_SI_BOTH(uid_t, _uid, si_uid)
/* The system's layout. Sources write si_pid or _sifields._kill._pid. */
#define USERMM_SIGINFO_FIELDS						\
	int si_signo;							\
	int si_errno;							\
	int si_code;							\
	union {								\
		struct {						\
			pid_t si_pid;					\
			uid_t si_uid;					\
			union {						\
				int si_int;	/* what a program's handler gets */ \
				void *si_ptr;				\
				USERMM_SI_VALUE si_value;		\
			};						\
		};							\
		struct {						\
			int si_tid, si_overrun;				\
		};							\
		struct {						\
			int usermm_child[2];				\
			int si_status;					\
			long si_utime, si_stime;			\
		};							\
		struct {						\
			void *si_addr;					\
			short si_addr_lsb;				\
		};							\
		struct {						\
			long si_band;					\
			int si_fd;					\
		};							\
		struct {						\
			void *si_call_addr;				\
			int si_syscall;					\
			unsigned int si_arch;				\
		};							\
		union {							\
			struct {					\
				USERMM_SI_SENDER;			\
			} _kill;					\
			struct {					\
				USERMM_SI_BOTH(int, _tid, si_tid);	\
				USERMM_SI_BOTH(int, _overrun, si_overrun); \
				USERMM_SI_BOTH(USERMM_SI_VALUE, _sigval, si_sigval); \
			} _timer;					\
			struct {					\
				USERMM_SI_SENDER;			\
				USERMM_SI_BOTH(USERMM_SI_VALUE, _sigval, si_sigval); \
			} _rt;						\
			struct {					\
				USERMM_SI_SENDER;			\
				USERMM_SI_BOTH(int, _status, si_status); \
				USERMM_SI_BOTH(long, _utime, si_utime);	\
				USERMM_SI_BOTH(long, _stime, si_stime);	\
			} _sigchld;					\
			struct {					\
				USERMM_SI_BOTH(void *, _addr, si_addr);	\
				USERMM_SI_BOTH(short, _addr_lsb, si_addr_lsb); \
			} _sigfault;					\
			struct {					\
				USERMM_SI_BOTH(long, _band, si_band);	\
				USERMM_SI_BOTH(int, _fd, si_fd);	\
			} _sigpoll;					\
			struct {					\
				void *_call_addr;			\
				int _syscall;				\
				unsigned int _arch;			\
			} _sigsys;					\
		} _sifields;						\
	}
#define USERMM_SIGINFO							\
	union {								\
		struct {						\
			USERMM_SIGINFO_FIELDS;				\
		};							\
		int _si_pad[32];					\
	}
struct kernel_siginfo {
	USERMM_SIGINFO;
};
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 20, 0)
#define siginfo kernel_siginfo
#else
/* As programs get it. */
struct siginfo {
	USERMM_SIGINFO;
};
#endif
#pragma pop_macro("si_pid")
#pragma pop_macro("si_uid")
#pragma pop_macro("si_int")
#pragma pop_macro("si_ptr")
#pragma pop_macro("si_addr")
#pragma pop_macro("si_tid")
#pragma pop_macro("si_overrun")
#pragma pop_macro("si_status")
#pragma pop_macro("si_utime")
#pragma pop_macro("si_stime")
#pragma pop_macro("si_band")
#pragma pop_macro("si_fd")
#pragma pop_macro("si_call_addr")
#pragma pop_macro("si_syscall")
#pragma pop_macro("si_arch")
#pragma pop_macro("si_addr_lsb")
#pragma pop_macro("si_value")
typedef struct kernel_siginfo kernel_siginfo_t;

#ifndef SIG_DFL
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#endif

#pragma push_macro("sa_handler")
#undef sa_handler
struct k_sigaction {
	struct {
		union {
			void (*sa_handler)(int);
			union {
				void (*sa_handler)(int);
			} __sigaction_handler;	/* libc's macro writes it */
		};
		unsigned long sa_flags;
		void (*sa_restorer)(void);
		struct {
			unsigned long sig[1];
		} sa_mask;
	} sa;
};
#pragma pop_macro("sa_handler")

#define SEND_SIG_NOINFO ((struct kernel_siginfo *)0)
#define SEND_SIG_PRIV ((struct kernel_siginfo *)1)
#define valid_signal(signal) ((unsigned long)(signal) <= 64)

static inline void clear_siginfo(kernel_siginfo_t *info)
{
	*info = (kernel_siginfo_t){ 0 };
}

#endif
