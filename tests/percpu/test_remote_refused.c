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
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_REFUSE 1
/* In libc's place, for the library that is linked into this program. */
long syscall(long number, ...)
{
	va_list args;
	long a, b, c, result;
	register long d __asm__("r10");
	register long e __asm__("r8");
	register long f __asm__("r9");

	if (refuse && number == SYS_membarrier) {
		refused++;
		percpu_array_prepare(array, LIMIT);
		errno = ENOSYS;
		return -1;
	}
	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	e = va_arg(args, long);
	f = va_arg(args, long);
	va_end(args);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(d), "r"(e), "r"(f)
			 : "rcx", "r11", "memory");
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
