/* SPDX-License-Identifier: MIT */
/* Facts about the machine that influence figures. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>
#include <stdio.h>

/* "glibc 2.36", or another libc's name. */
const char *machine_libc(void);
/* Each fills text and returns it; "unknown" if the machine does not say. */
const char *machine_kernel(char *text, size_t bytes);
const char *machine_cpu(char *text, size_t bytes);
/* machine_cpu() of what /proc/cpuinfo has. */
const char *machine_cpu_of(FILE *cpuinfo, char *text, size_t bytes);
/* The word in brackets in .../transparent_hugepage/enabled. */
const char *machine_thp(char *text, size_t bytes);

#endif
