/* SPDX-License-Identifier: MIT */
/* Access to the process's environment for files that include Linux's headers, not the core's. */
#ifndef KERNEL_ENVIRONMENT_H
#define KERNEL_ENVIRONMENT_H

#include <stddef.h>

/* os_environment(). It works in constructors too, which may run before libc's own. */
long usermm_environment(const char *name, char *value, size_t size);

/* os_program_file(): the path by which to open the program's file. */
const char *usermm_program_file(void);

#endif
