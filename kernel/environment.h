/* SPDX-License-Identifier: MIT */
/* The process's environment, for files that see Linux's names and not the core's. */
#ifndef KERNEL_ENVIRONMENT_H
#define KERNEL_ENVIRONMENT_H

#include <stddef.h>

/* As os_environment(): also in constructors, which run before libc's in a library. */
long usermm_environment(const char *name, char *value, size_t size);

/* As os_program_file(): by what name to open the program. */
const char *usermm_program_file(void);

#endif
