/* SPDX-License-Identifier: MIT */
/*
 * The kernel refuses membarrier(2). While the slot is stopped, its owner finds the array full, and
 * prepares it again, as owners do. Nothing is lost.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/threads.h"

#define LIMIT 20
#define NR_ITEMS 7
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

static struct percpu_array *array;
static unsigned int refused;
static char items[NR_ITEMS];

/* The answer to the system call that was refused. */
static void set_result(ucontext_t *context, long result)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
	context->uc_mcontext.regs[0] = (unsigned long long)result;
#elif defined(__riscv)
	context->uc_mcontext.__gregs[REG_A0] = (unsigned long)result;
#else
	(void)context;
	(void)result;
#endif
}

/* In place of membarrier(2). */
static void refuse(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	refused++;
	percpu_array_prepare(array, LIMIT);
	set_result(context, -ENOSYS);
}

/* Refuses the call for the rest of this process. False if that is impossible. */
static bool refuse_from_now_on(void)
{
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer calls handlers later, with a copy of the context. */
	return false;
#endif
	struct sigaction action = { .sa_sigaction = refuse, .sa_flags = SA_SIGINFO };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return RSEQ_SUPPORTED && !sigaction(SIGSYS, &action, NULL) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void test_remote_refused(struct kunit *test)
{
	struct percpu_stopped_array stopped;
	int slot;

	if (percpu_init() || percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "slots are stopped by a lock here");
	test_pin(0);
	array = percpu_alloc(ARRAY_BYTES, 64);
	KUNIT_ASSERT_NOT_NULL(test, array);
	percpu_array_prepare(array, LIMIT);
	slot = percpu_current_slot();
	for (unsigned int i = 0; i < NR_ITEMS; i++)
		KUNIT_ASSERT_TRUE(test, percpu_push(array, &items[i]));

	if (!refuse_from_now_on())
		kunit_skip(test, "system calls cannot be refused here");
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, percpu_stop_array(array, (unsigned int)slot, &stopped),
				-ENOSYS);
	KUNIT_EXPECT_FALSE(test, percpu_can_stop());
	KUNIT_EXPECT_GT(test, refused, 0);

	for (unsigned int i = NR_ITEMS; i-- > 0;)
		KUNIT_EXPECT_PTR_EQ(test, percpu_pop(array), (void *)&items[i]);
	KUNIT_EXPECT_NULL(test, percpu_pop(array));
	for (unsigned int i = 0; i < LIMIT; i++)
		KUNIT_EXPECT_TRUE(test, percpu_push(array, &items[0]));
	KUNIT_EXPECT_FALSE(test, percpu_push(array, &items[0]));
	percpu_free(array, ARRAY_BYTES);
	test_unpin();
}

static struct kunit_case refused_cases[] = {
	KUNIT_CASE(test_remote_refused),
	{}
};

static struct kunit_suite refused_suite = {
	.name = "percpu_remote_refused",
	.test_cases = refused_cases,
};
kunit_test_suite(refused_suite);
