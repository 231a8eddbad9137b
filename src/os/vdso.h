/* SPDX-License-Identifier: MIT */
/* The functions that the kernel puts into each process, which need no system call. */
#ifndef OS_VDSO_H
#define OS_VDSO_H

#include <time.h>

#include "base/compiler.h"

/* 0, or a negative errno: these are the kernel's own, so they leave errno alone. */
typedef int vdso_clock_gettime(clockid_t clock, struct timespec *now);
typedef long vdso_getcpu(unsigned int *cpu, unsigned int *node, void *unused);

struct vdso_functions {
	vdso_clock_gettime *clock_gettime;	/* NULL: use the system call */
	vdso_getcpu *getcpu;
};

/* From any context. */
const struct vdso_functions *vdso_functions(void);

#endif
