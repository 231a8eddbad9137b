/* SPDX-License-Identifier: MIT */
#include "percpu/rseq/registration.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "percpu/rseq/abi.h"
#include "percpu/rseq/libc_area.h"

/*
 * usermm's own area. Both index fields start out of range. They are out of range again whenever the
 * kernel does not maintain them.
 */
static __thread struct rseq_area own_area __aligned(RSEQ_AREA_ALIGN)
	__attribute__((__tls_model__("initial-exec"))) = {
	.cpu_id = RSEQ_CPU_ID_UNINITIALIZED,
	.mm_cid = RSEQ_CPU_ID_UNINITIALIZED,
};

/* Sync: written once by registration_find(), before other threads may read it. */
static bool own_in_use;

static unsigned long thread_offset(const void *address)
{
	return (unsigned long)address - (unsigned long)thread_pointer();
}

static const struct rseq_area *area_of(const struct registration *registration)
{
	return (const void *)((char *)thread_pointer() + registration->area);
}

/*
 * How many bytes of libc's area the kernel fills. An __rseq_size of 20 or 32 means the original
 * area of 32 bytes and does not say how much of it this kernel fills. Larger values are literal.
 */
static unsigned int feature_bytes(unsigned int area_bytes)
{
	unsigned long known = getauxval(AT_RSEQ_FEATURE_SIZE);

	if (area_bytes > RSEQ_ORIGINAL_BYTES)
		return area_bytes;
	return known ? (unsigned int)min(known, (unsigned long)RSEQ_ORIGINAL_BYTES) :
		       RSEQ_CPU_ID_BYTES;
}

/* The kernel demands an aligned address. So this fails only with an unusual thread pointer. */
static bool is_aligned(struct registration *registration)
{
	if (!(registration->area % RSEQ_AREA_ALIGN))
		return true;
	registration->reason = "the thread pointer is not aligned to 32 bytes";
	return false;
}

static void find_libc_area(struct registration *registration)
{
	registration->area = (unsigned long)__rseq_offset;
	if (!is_aligned(registration))
		return;
	if (!__rseq_size) {
		registration->reason = "libc has not registered restartable sequences "
				       "(GLIBC_TUNABLES, an old kernel, or a sandbox)";
		return;
	}
	/* Negative: not registered, or registration has failed. */
	if ((int32_t)atomic_load_relaxed(&area_of(registration)->cpu_id) < 0) {
		registration->reason = "the first thread has no restartable sequences";
		return;
	}
	registration->owner = RSEQ_OWNER_LIBC;
	registration->feature_bytes = feature_bytes(__rseq_size);
	/* libc registers __rseq_size bytes, but never less than the original size. */
	registration->area_bytes = max(__rseq_size, (unsigned int)RSEQ_ORIGINAL_BYTES);
	registration->reason = "libc's registered area";
}

/* rseq(2). 0 or a negative errno. */
static int call_rseq(const struct rseq_area *area, unsigned int bytes, int flags)
{
	int saved_errno = errno, error = 0;

	if (syscall(SYS_rseq, area, bytes, flags, RSEQ_SIGNATURE))
		error = -errno;
	errno = saved_errno;
	return error;
}

#ifdef __GLIBC__
/*
 * glibc frees a thread's TLS only after the kernel has finished with the thread, so the area may
 * stay registered until then.
 */
static void make_exit_hook(void)
{
}

static bool set_exit_hook(void)
{
	return true;
}
#else
static pthread_key_t exit_key;	/* Sync: constant after registration_find() */
static bool have_exit_key;

/*
 * A thread is about to end. libc may unmap the thread's TLS while the thread still runs (musl does
 * this to a detached thread), so the area's registration ends here. The kernel then resets mm_cid
 * to 0, which is a valid index. So signals are blocked until mm_cid is out of range again.
 */
static void leave_thread(void *area)
{
	sigset_t all, before;

	(void)area;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (!call_rseq(&own_area, sizeof(own_area), RSEQ_FLAG_UNREGISTER)) {
		atomic_store_relaxed(&own_area.cpu_id, RSEQ_CPU_ID_REGISTRATION_FAILED);
		atomic_store_relaxed(&own_area.mm_cid, RSEQ_CPU_ID_REGISTRATION_FAILED);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void make_exit_hook(void)
{
	have_exit_key = !pthread_key_create(&exit_key, leave_thread);
}

/* This does not allocate: musl keeps these values in the thread. */
static bool set_exit_hook(void)
{
	return have_exit_key && !pthread_setspecific(exit_key, &own_area);
}
#endif

/*
 * 0 or a negative errno. A refusal is final for this thread. -EBUSY: a signal handler has
 * registered the area meanwhile.
 */
static int register_thread(void)
{
	int error = set_exit_hook() ? call_rseq(&own_area, sizeof(own_area), 0) : -ENOMEM;

	if (error == -EBUSY)
		return 0;
	if (error)
		atomic_store_relaxed(&own_area.cpu_id, RSEQ_CPU_ID_REGISTRATION_FAILED);
	return error;
}

static void find_own_area(struct registration *registration)
{
	registration->area = thread_offset(&own_area);
	if (!is_aligned(registration))
		return;
	make_exit_hook();
	switch (register_thread()) {
	case 0:
		own_in_use = true;
		registration->owner = RSEQ_OWNER_USERMM;
		registration->feature_bytes = feature_bytes(sizeof(own_area));
		registration->area_bytes = sizeof(own_area);
		registration->reason = "registered by usermm, libc has no area";
		break;
	case -ENOSYS:
		registration->reason = "the kernel or a sandbox has no rseq(2)";
		break;
	case -EINVAL:
		/* Perhaps a newer libc; this build lacks its variables: see libc_area.h. */
		registration->reason = "another library, or a libc newer than the one that usermm "
				       "was built with, has registered restartable sequences";
		break;
	default:
		registration->reason = "rseq(2) was refused";
	}
}

void registration_find(struct registration *registration)
{
	*registration = (struct registration){ .owner = RSEQ_OWNER_NONE };
	if (libc_has_area)
		find_libc_area(registration);
	else
		find_own_area(registration);
}

void registration_enter_thread(void)
{
	if (own_in_use && own_area.cpu_id == RSEQ_CPU_ID_UNINITIALIZED)
		register_thread();
}

bool registration_renew(const struct registration *registration)
{
	int error = call_rseq(area_of(registration), registration->area_bytes, 0);

	/* EBUSY: this area is registered. EINVAL: by libc, with another size. */
	return !error || error == -EBUSY || error == -EINVAL;
}

bool registration_end(const struct registration *registration)
{
	return !call_rseq(area_of(registration), registration->area_bytes, RSEQ_FLAG_UNREGISTER);
}

/* The thread may move between the two reads, but not every time. */
static bool names_this_cpu(const struct rseq_area *area)
{
	for (int tries = 0; tries < 10; tries++) {
		unsigned int cpu;

		/* Not sched_getcpu(): libc's may only read the area. */
		if (syscall(SYS_getcpu, &cpu, NULL, NULL))
			return true;
		if (cpu == atomic_load_relaxed(&area->cpu_id))
			return true;
	}
	return false;
}

const char *registration_check(const struct registration *registration, unsigned int nr_cpus)
{
	const struct rseq_area *area = area_of(registration);
	int saved_errno = errno;
	const char *fault = NULL;

	if (atomic_load_relaxed(&area->cpu_id) >= nr_cpus)
		fault = "the area names a CPU that cannot exist";
	else if (registration->feature_bytes >= RSEQ_MM_CID_BYTES &&
		 atomic_load_relaxed(&area->mm_cid) >= nr_cpus)
		fault = "the area names an mm_cid that cannot exist";
	else if (!names_this_cpu(area))
		fault = "the area does not name the CPU that the thread is on";
	errno = saved_errno;
	return fault;
}
