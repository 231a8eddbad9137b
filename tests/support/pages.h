/* SPDX-License-Identifier: MIT */
/* What tests that use pages begin with, and what they count. */
#ifndef SUPPORT_PAGES_H
#define SUPPORT_PAGES_H

#include <kunit/test.h>
#include <usermm/usermm.h>

/* The library is up, for a suite or a case; 0 or -1. */
int test_warm_up(struct kunit_suite *suite);
/* And the thread stays on its first CPU. */
int test_pin_and_warm_up(struct kunit *test);
/* The same, and kmalloc() is. */
int test_pin_and_warm_up_kmalloc(struct kunit *test);
/* 16 MiB for all of the suite, on the first CPU. */
int test_set_small_budget(struct kunit_suite *suite);

/* Bytes that are not in use, whichever list they are on. */
size_t test_unused_bytes(void);
/* A block with a reference, or the case ends. */
struct page *test_must_alloc(struct kunit *test, gfp_t gfp, unsigned int order);

#endif
