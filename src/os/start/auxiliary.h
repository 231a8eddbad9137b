/* SPDX-License-Identifier: MIT */
/* What the kernel tells a program at its start: the auxiliary vector and the arguments. */
#ifndef OS_START_AUXILIARY_H
#define OS_START_AUXILIARY_H

#include <elf.h>

#include "base/compiler.h"

/*
 * The value of an entry (AT_PAGESZ...) like getauxval(3), which other libraries may own; 0 if there
 * is none. From any context.
 */
unsigned long os_auxiliary(unsigned long type);

/*
 * The first entry of the environment, as the kernel has put it on the stack, for code that runs
 * before libc has set environ. NULL if it cannot be found.
 */
char **os_first_environment(void);

#endif
