/* SPDX-License-Identifier: MIT */
/* The functions that the kernel puts into each process, which need no system call. */
#ifndef OS_START_VDSO_H
#define OS_START_VDSO_H

#include <time.h>

#include "base/compiler.h"

/* Not 0: an error. These are the kernel's own functions, so they leave errno alone. */
typedef int vdso_clock_gettime(clockid_t clock, struct timespec *now);
typedef long vdso_getcpu(unsigned int *cpu, unsigned int *node, void *unused);

/* Sync: atomic relaxed; threads that look at the same time find and write the same. */
struct vdso_functions {
	vdso_clock_gettime *clock_gettime;	/* NULL: use the system call */
	vdso_getcpu *getcpu;
};

/* From any context. */
const struct vdso_functions *vdso_functions(void);

#endif
