/* SPDX-License-Identifier: MIT */
#ifndef OS_ENVIRONMENT_H
#define OS_ENVIRONMENT_H

#include "base/compiler.h"

/*
 * Copies an environment variable's value, cut to fit. Works before libc has set environ. Returns
 * the value's whole length, which is `size` or more if it was cut; negative if the variable is not
 * set or the process runs with raised privileges (AT_SECURE).
 */
long os_environment(const char *name, char *value, size_t size);

#endif
