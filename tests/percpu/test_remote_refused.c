/* SPDX-License-Identifier: MIT */
/*
 * The kernel refuses membarrier(2), and while the slot is stopped its owner does
 * what owners do: it finds the array full and prepares it again. Nothing is lost.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "percpu/percpu.h"
#include "percpu/remote.h"
#include "support/kernel.h"
#include "support/threads.h"

#define LIMIT 20
#define NR_ITEMS 7
#define ARRAY_BYTES (sizeof(struct percpu_array) + LIMIT * sizeof(void *))

static struct percpu_array *array;
static bool refuse;
static unsigned int refused;
static char items[NR_ITEMS];

/* A sanitizer's run time makes system calls of its own before it is ready for this. */
#if RSEQ_SUPPORTED && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define CAN_REFUSE 1

#if defined(__x86_64__)
static long kernel_call(long number, const long args[6])
{
	register long d __asm__("r10") = args[3];
	register long e __asm__("r8") = args[4];
	register long f __asm__("r9") = args[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(d), "r"(e),
			   "r"(f)
			 : "rcx", "r11", "memory");
	return result;
}
#else
#if defined(__aarch64__)
#define ARGUMENT(n) "x" #n
#define NUMBER "x8"
#define KERNEL_CALL "svc 0"
#else
#define ARGUMENT(n) "a" #n
#define NUMBER "a7"
#define KERNEL_CALL "ecall"
#endif

static long kernel_call(long number, const long args[6])
{
	register long which __asm__(NUMBER) = number;
	register long a __asm__(ARGUMENT(0)) = args[0];
	register long b __asm__(ARGUMENT(1)) = args[1];
	register long c __asm__(ARGUMENT(2)) = args[2];
	register long d __asm__(ARGUMENT(3)) = args[3];
	register long e __asm__(ARGUMENT(4)) = args[4];
	register long f __asm__(ARGUMENT(5)) = args[5];

	__asm__ volatile(KERNEL_CALL
			 : "+r"(a)
			 : "r"(which), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f)
			 : "memory");
	return a;
}
#endif

/* In libc's place, for the library that is linked into this program. */
long syscall(long number, ...)
{
	long args[6], result;
	va_list given;

	if (refuse && number == SYS_membarrier) {
		refused++;
		percpu_array_prepare(array, LIMIT);
		errno = ENOSYS;
		return -1;
	}
	va_start(given, number);
	for (unsigned int i = 0; i < 6; i++)
		args[i] = va_arg(given, long);
	va_end(given);
	result = kernel_call(number, args);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
#else
#define CAN_REFUSE 0
#endif

static void test_remote_refused(struct kunit *test)
{
	struct percpu_stopped_array stopped;
	int slot;

	if (!CAN_REFUSE)
		kunit_skip(test, "system calls cannot be refused in this build");
	if (percpu_init() || percpu_mode() == PERCPU_LOCKED)
		kunit_skip(test, "slots are stopped by a lock here");
	test_pin(0);
	array = percpu_alloc(ARRAY_BYTES, 64);
	KUNIT_ASSERT_NOT_NULL(test, array);
	percpu_array_prepare(array, LIMIT);
	slot = percpu_current_slot();
	for (unsigned int i = 0; i < NR_ITEMS; i++)
		KUNIT_ASSERT_TRUE(test, percpu_push(array, &items[i]));

	refuse = true;
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, percpu_stop_array(array, (unsigned int)slot, &stopped),
				-ENOSYS);
	KUNIT_EXPECT_FALSE(test, percpu_can_stop());
	refuse = false;
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
