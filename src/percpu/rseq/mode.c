/* SPDX-License-Identifier: MIT */
#include "percpu/rseq/mode.h"

#include <sys/utsname.h>

#include "base/options.h"
#include "base/system_call.h"
#include "os/os.h"
#include "percpu/rseq/abi.h"
#include "percpu/rseq/known_bugs.h"

/* Known from the compiler, not from uname(2), whose answer setarch(8) changes. */
#if defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__riscv)
#define MACHINE "riscv64"
#else
#define MACHINE "unknown"
#endif

/* mm_cid keeps the number of slots in use low. cpu_id keeps a slot's memory on one node. */
static void choose_index(struct percpu_choice *choice)
{
	bool have_mm_cid = choice->registration.feature_bytes >= RSEQ_MM_CID_BYTES;

	choice->mode = PERCPU_RSEQ_CPU_ID;
	if (options.rseq == OPTION_RSEQ_CPU_ID)
		choice->reason = "chosen by rseq=cpu_id";
	else if (!have_mm_cid)
		choice->reason = "this kernel does not provide mm_cid";
	else if (options.rseq == OPTION_RSEQ_MM_CID) {
		choice->mode = PERCPU_RSEQ_MM_CID;
		choice->reason = "chosen by rseq=mm_cid";
	} else if (__builtin_popcountl(os_nodes_with_memory()) > 1)
		choice->reason = "several NUMA nodes, so slots follow CPUs";
	else {
		choice->mode = PERCPU_RSEQ_MM_CID;
		choice->reason = "one NUMA node";
	}
}

const char *mode_kernel_fault(void)
{
	struct utsname name;

	if (options.rseq != OPTION_RSEQ_AUTO || system_call(SYS_uname, &name))
		return NULL;
	return known_bugs_of_rseq(MACHINE, name.release);
}

void mode_choose(struct percpu_choice *choice, unsigned int nr_cpus)
{
	struct registration *registration = &choice->registration;

	*choice = (struct percpu_choice){ .mode = PERCPU_LOCKED };
	if (options.simulated_cpus) {
		choice->reason = "chosen by simulated_cpus";
	} else if (options.rseq == OPTION_RSEQ_OFF) {
		choice->reason = "chosen by rseq=off";
	} else if (!RSEQ_SUPPORTED) {
		choice->reason = "no restartable sequences for this architecture";
	} else if (RSEQ_IN_C) {
		choice->mode = PERCPU_RSEQ_CPU_ID;
		choice->reason = "the sequences are compiled as C, for ThreadSanitizer";
	} else if (!(choice->reason = mode_kernel_fault())) {
		registration_find(registration);
		choice->reason = registration->reason;
		if (registration->owner != RSEQ_OWNER_NONE &&
		    !(choice->reason = registration_check(registration, nr_cpus)))
			choose_index(choice);
	}
}
