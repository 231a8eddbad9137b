/* SPDX-License-Identifier: MIT */
/*
 * Stacks, each kept once: a number stands for it. cf. Linux lib/stackdepot.c. The table has
 * a fixed size, in a mapping that costs what is written to; when it is full there are no
 * new stacks.
 */
#ifndef PAGE_DEBUG_STACK_DEPOT_H
#define PAGE_DEBUG_STACK_DEPOT_H

#include <stdint.h>

#define STACK_DEPTH 16

/* 0, or -1 without memory. May be called again. */
int stack_depot_init(void);
/* The stack of the caller, but for the first `skip` addresses; 0: none could be kept. */
uint32_t stack_depot_save_current(unsigned int skip);
/* The same from the return address `caller` on, if that is among the innermost ones. */
uint32_t stack_depot_save_from(const void *caller);
/* One that has this address alone, where there are no others to be had. */
uint32_t stack_depot_save_one(const void *address);
/* Its addresses; how many. Any number may be asked for: none that is kept has none. */
unsigned int stack_depot_fetch(uint32_t stack, const void *const **frames);

#endif
