/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_RSEQ_MODE_H
#define PERCPU_RSEQ_MODE_H

#include "percpu/percpu.h"
#include "percpu/rseq/registration.h"

/*
 * How the slots are reached, decided once: under the options, what libc and the
 * kernel offer, and what is known of this kernel.
 */
struct percpu_choice {
	enum percpu_mode mode;
	const char *reason;		/* constant text */
	struct registration registration;
};

/*
 * NULL, or a constant text: what this kernel is known to do wrong, unless an option overrules
 * that. Once options are loaded; makes a system call.
 */
const char *mode_kernel_fault(void);

/* Registers the calling thread if the choice is an area of our own. */
void mode_choose(struct percpu_choice *choice, unsigned int nr_cpus);

#endif
