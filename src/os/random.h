/* SPDX-License-Identifier: MIT */
#ifndef OS_RANDOM_H
#define OS_RANDOM_H

#include "base/compiler.h"

/*
 * 64 random bits of the kernel's. It does not wait: until the kernel has entropy, the bits are made
 * from AT_RANDOM and the time.
 */
uint64_t os_random(void);

#endif
