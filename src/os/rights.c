/* SPDX-License-Identifier: MIT */
/*
 * Linux keeps credentials and filters for each thread. A program gives its rights up in the thread
 * that it knows of, and the library's thread would keep them. No system call tells a thread of such
 * a change in another thread. So the library's thread has no rights from its first instructions on,
 * and there is nothing that it could keep:
 *
 *	capabilities	none, in all five sets; the securebits that give none back
 *	exec		no_new_privs
 *	the rest	a seccomp filter. It permits what works on the process's memory, its open
 *			files and its own threads. Everything else fails with EPERM: to open a
 *			file, to make a thread or a socket, to send a signal to another process.
 *			So the thread's user id does not matter, nor that a sandbox which the
 *			program enters later (Landlock, seccomp) does not hold for the thread.
 *
 * The user ids stay as they are: a thread that changes its own makes the process undumpable.
 *
 * libc's setuid() is the exception among the changes: libc makes every thread call it, and ends the
 * process if the results differ. A thread without CAP_SETUID would be refused where the program is
 * not. So the library's thread ends before such a call (malloc/interpose/credentials.c). Programs
 * that reach libc's function past the library (dlsym() with libc's handle) are not seen; for these
 * the filter answers with success.
 *
 * Where the library is not in front of libc (rights_changes_are_seen() was not called), the thread
 * keeps CAP_SETUID and CAP_SETGID, so that it can follow, and has no filter: seccomp(2) with
 * SECCOMP_FILTER_FLAG_TSYNC would fail beside a thread with another one.
 */
#include "os/rights.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

#include "base/system_call.h"
#include "os/thread.h"

#if defined __x86_64__
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv
#define FILTER_ARCH AUDIT_ARCH_RISCV64
#elif defined __s390x__
#define FILTER_ARCH AUDIT_ARCH_S390X
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#elif defined __loongarch__
#define FILTER_ARCH AUDIT_ARCH_LOONGARCH64
#endif

/* Headers of newer kernels have more securebits, which older kernels refuse. */
#define SECUREBITS (SECBIT_NOROOT | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_CAP_AMBIENT_RAISE |	\
		    SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED |			\
		    SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

static bool changes_are_seen;	/* Sync: written before there is a thread */

void rights_changes_are_seen(void)
{
	changes_are_seen = true;
}

struct capabilities {
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3];
};

static const struct __user_cap_header_struct own_thread = { _LINUX_CAPABILITY_VERSION_3, 0 };

/* Sets the bits that give no capability back. Bits that are locked have to stay. */
static void set_securebits(void)
{
	long before = system_call(SYS_prctl, PR_GET_SECUREBITS);

	system_call(SYS_prctl, PR_SET_SECUREBITS, max(before, 0L) | SECUREBITS);
}

/*
 * An exec gives a thread capabilities from this set. This thread executes no program, but the set
 * is emptied as well, in case it is made to execute one.
 */
static void drop_bounding_set(void)
{
	for (unsigned int i = 0; i < 32 * _LINUX_CAPABILITY_U32S_3; i++)
		if (system_call(SYS_prctl, PR_CAPBSET_DROP, i))
			return;
}

/*
 * Returns which of CAP_SETUID and CAP_SETGID the thread had. The kernel then empties the ambient
 * set.
 */
static uint32_t drop_capabilities(void)
{
	const uint32_t set_ids = CAP_TO_MASK(CAP_SETUID) | CAP_TO_MASK(CAP_SETGID);
	struct capabilities now = { 0 }, none = { 0 };
	struct __user_cap_header_struct header = own_thread;
	uint32_t had;

	if (system_call(SYS_capget, &header, now.half))
		return 0;
	had = now.half[0].permitted & set_ids;
	if (!changes_are_seen)
		none.half[0].permitted = none.half[0].effective = had;
	drop_bounding_set();
	/*
	 * Otherwise the thread follows setuid(), and then the kernel takes its last capabilities
	 * away. These bits would prevent that.
	 */
	if (changes_are_seen)
		set_securebits();
	header = own_thread;
	system_call(SYS_capset, &header, none.half);
	return had;
}

#ifdef FILTER_ARCH
#define LOAD_AT(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
/* Where the halves of an argument lie. */
#define LOW_HALF(nth) (ARGUMENT(nth) + (IS_BIG_ENDIAN ? sizeof(uint32_t) : 0))
#define HIGH_HALF(nth) (ARGUMENT(nth) + (IS_BIG_ENDIAN ? 0 : sizeof(uint32_t)))
#define ARGUMENT(nth) offsetof(struct seccomp_data, args[nth])
#define IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, (answer))
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define IF(value, answer) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), ANSWER(answer)
/* Three instructions. */
#define REQUIRE_ZERO(offset)							\
	LOAD_AT(offset), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), REFUSE
#define PERMIT(name) IF(SYS_##name, SECCOMP_RET_ALLOW)
#define SET_IDS(name) IF(SYS_##name, set_ids)

/* Takes the rest away: see above. set_ids is the answer to setuid(2) and its like. */
static void install_filter(uint32_t set_ids)
{
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0),
		REFUSE,
		LOAD(nr),
		/* Memory. */
		PERMIT(futex), PERMIT(madvise), PERMIT(munmap), PERMIT(mmap), PERMIT(mprotect),
		PERMIT(mremap), PERMIT(munlock), PERMIT(mincore), PERMIT(msync), PERMIT(brk),
		PERMIT(mbind), PERMIT(get_mempolicy), PERMIT(membarrier), PERMIT(rseq),
		/* Time, processors, what the thread and the process are. */
		PERMIT(clock_gettime), PERMIT(clock_getres), PERMIT(gettimeofday),
		PERMIT(nanosleep), PERMIT(clock_nanosleep), PERMIT(restart_syscall),
		PERMIT(sched_yield), PERMIT(getcpu), PERMIT(sched_getaffinity),
		PERMIT(sched_getscheduler), PERMIT(getpid), PERMIT(gettid), PERMIT(getppid),
		PERMIT(getuid), PERMIT(geteuid), PERMIT(getgid), PERMIT(getegid),
		PERMIT(getrusage), PERMIT(sysinfo), PERMIT(uname), PERMIT(getrandom),
		/* Signals of its own, and its end. */
		PERMIT(rt_sigprocmask), PERMIT(rt_sigaction), PERMIT(rt_sigreturn),
		PERMIT(rt_sigpending), PERMIT(rt_sigtimedwait), PERMIT(sigaltstack),
		PERMIT(set_robust_list), PERMIT(exit), PERMIT(exit_group),
		/* Files that are open. */
		PERMIT(read), PERMIT(write), PERMIT(readv), PERMIT(writev), PERMIT(pread64),
		PERMIT(pwrite64), PERMIT(lseek), PERMIT(fsync), PERMIT(fdatasync),
#ifdef SYS_fstat
		PERMIT(fstat),
#endif
		PERMIT(ftruncate), PERMIT(fallocate), PERMIT(fcntl), PERMIT(close), PERMIT(ppoll),
		/* These give no rights here. libc makes all threads call them: see above. */
		SET_IDS(setuid), SET_IDS(setgid), SET_IDS(setreuid), SET_IDS(setregid),
		SET_IDS(setresuid), SET_IDS(setresgid), SET_IDS(setgroups),
		/* prlimit() that reads the process's own limits. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 10),
		REQUIRE_ZERO(LOW_HALF(0)), REQUIRE_ZERO(LOW_HALF(2)), REQUIRE_ZERO(HIGH_HALF(2)),
		ANSWER(SECCOMP_RET_ALLOW),
		/* abort() */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 1, 0),
		REFUSE,
		LOAD_AT(LOW_HALF(0)),
		IF((uint32_t)os_current_process(), SECCOMP_RET_ALLOW),
		REFUSE,
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	system_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void install_filter(uint32_t set_ids)
{
	(void)set_ids;
}
#endif

void rights_give_up(void)
{
	uint32_t had = drop_capabilities();

	system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
	if (changes_are_seen)
		/*
		 * ERRNO with errno 0 is success. A thread without the capabilities gets the
		 * kernel's answer, as all threads do.
		 */
		install_filter(had ? SECCOMP_RET_ERRNO : SECCOMP_RET_ALLOW);
}
