/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_RSEQ_MODE_H
#define PERCPU_RSEQ_MODE_H

#include "percpu/percpu.h"
#include "percpu/rseq/registration.h"

/*
 * How this process reaches its slots. This is decided once, from the options, from what libc and
 * the kernel offer, and from the table of known-bad kernels.
 */
struct percpu_choice {
	enum percpu_mode mode;
	const char *reason;		/* constant text */
	struct registration registration;
};

/*
 * What this kernel is known to do wrong, as a constant text. NULL if nothing is known, or if the
 * option rseq= overrules the table. Options must be loaded. Makes a system call.
 */
const char *mode_kernel_fault(void);

/* Makes the choice. Registers the calling thread if threads get areas of usermm's own. */
void mode_choose(struct percpu_choice *choice, unsigned int nr_cpus);

#endif
