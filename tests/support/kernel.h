/* SPDX-License-Identifier: MIT */
/*
 * The only include of tests that use nothing but the kernel's public names. Such a source builds
 * here and, with __KERNEL__, as a module of the kernel.
 */
#ifndef SUPPORT_KERNEL_H
#define SUPPORT_KERNEL_H

#ifdef __KERNEL__

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#define test_memory_alloc(bytes) kvzalloc(bytes, GFP_KERNEL)
#define test_memory_free(memory) kvfree(memory)

#else

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kunit/test.h>
#include <usermm/usermm.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif
#ifndef IS_ALIGNED
#define IS_ALIGNED(x, to) (((x) & ((__typeof__(x))(to) - 1)) == 0)
#endif
#define MODULE_LICENSE(license) _Static_assert(1, license)
#define MODULE_DESCRIPTION(text) _Static_assert(1, text)

/* Memory of the test's own: zeroed, and not from the allocator under test. */
#define test_memory_alloc(bytes) calloc(1, bytes)
#define test_memory_free(memory) free(memory)

/* RLIMIT_AS may be lowered. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADDRESSES_MAY_BE_FEW false	/* the sanitizer has reserved terabytes already */
#else
#define ADDRESSES_MAY_BE_FEW true
#endif

#endif

#endif
