/* SPDX-License-Identifier: MIT */
/* How tests that use pages begin, and what they count. */
#ifndef SUPPORT_PAGES_H
#define SUPPORT_PAGES_H

#include <kunit/test.h>
#include <usermm/usermm.h>

struct test_thread;

/* Brings the library up, at the start of a suite or a case. 0 or -1. */
int test_warm_up(struct kunit_suite *suite);
/* The same, and pins the thread to its first CPU. */
int test_pin_and_warm_up(struct kunit *test);
/* As test_pin_and_warm_up(), and brings kmalloc() up. */
int test_pin_and_warm_up_kmalloc(struct kunit *test);
/* Gives the whole suite a budget of 16 MiB, and pins the thread to its first CPU. */
int test_set_small_budget(struct kunit_suite *suite);

/* Free bytes, on the free lists and on CPUs' lists. */
size_t test_unused_bytes(void);
/* Allocates a block. Ends the case if there is none. */
struct page *test_must_alloc(struct kunit *test, gfp_t gfp, unsigned int order);
/*
 * Takes a block of a random order, writes the stamp into it, lets others run at every eighth stamp,
 * looks whether the stamp is still there, and frees the block.
 */
void test_use_block(struct test_thread *thread, unsigned long stamp);

#endif
