/* SPDX-License-Identifier: MIT */
/*
 * Stacks, each kept once: a number stands for it. cf. Linux lib/stackdepot.c. The table has
 * a fixed size, in a mapping that costs what is written to; when it is full there are no
 * new stacks.
 */
#ifndef PAGE_STACK_DEPOT_H
#define PAGE_STACK_DEPOT_H

#include <stdint.h>

#define STACK_DEPTH 16

/* 0, or -1 without memory. */
int stack_depot_init(void);
/* The stack of the caller, but for the first `skip` addresses; 0: none could be kept. */
uint32_t stack_depot_save_current(unsigned int skip);
/* Its addresses; how many. The number may be 0. */
unsigned int stack_depot_fetch(uint32_t stack, const void *const **frames);

#endif
