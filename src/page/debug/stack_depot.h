/* SPDX-License-Identifier: MIT */
/*
 * Keeps each stack once and returns a number for it. cf. Linux lib/stackdepot.c.
 *
 * The table has a fixed size. Its mapping uses memory only for what is written. When it is full, no
 * new stacks are kept.
 */
#ifndef PAGE_DEBUG_STACK_DEPOT_H
#define PAGE_DEBUG_STACK_DEPOT_H

#include <stdint.h>

#define STACK_DEPTH 16
/* A stack's number is its index in stack_depot_stacks[], plus 1. */
#define STACK_DEPOT_STACKS (1u << 16)

struct stack {
	uint32_t hash;		/* Sync: atomic; 0: free, 1: being written, else constant */
	uint32_t nr;
	const void *frames[STACK_DEPTH];
};

extern struct stack *stack_depot_stacks;	/* Sync: set once, before it is used */

/* 0, or -1 without memory. May be called again. */
int stack_depot_init(void);
/* Keeps the caller's stack without the first `skip` addresses; 0: it could not be kept. */
uint32_t stack_depot_save_current(unsigned int skip);
/*
 * Keeps the stack from the return address `caller` on, or the whole stack if that address is not
 * among the innermost ones.
 */
uint32_t stack_depot_save_from(const void *caller);
/* Keeps a stack of this address alone, for callers whose stack cannot be read. */
uint32_t stack_depot_save_one(const void *address);
/* Finds the addresses of a stack; returns how many. 0 for a number that stands for no stack. */
unsigned int stack_depot_fetch(uint32_t stack, const void *const **frames);

#endif
