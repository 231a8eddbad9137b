/* SPDX-License-Identifier: MIT */
/* The environment, for files that see Linux's names and not the core's. */
#ifndef KERNEL_ENVIRONMENT_H
#define KERNEL_ENVIRONMENT_H

#include <stddef.h>

/* As os_environment(): also in constructors, which run before libc's in a library. */
long usermm_environment(const char *name, char *value, size_t size);

#endif
