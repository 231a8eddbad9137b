/* SPDX-License-Identifier: MIT */
/*
 * For sources that look inside with "kfence.h", as tests in the kernel's mm/kfence/ do: kinds
 * of reports and the bytes around objects. The slots are the library's (src/slab/kfence/kfence.h).
 */
#ifndef MM_KFENCE_H
#define MM_KFENCE_H

#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../slab.h"

/* What is around an object, until somebody writes there. */
#define KFENCE_CANARY_PATTERN_U8(address) ((u8)(0xaa ^ ((unsigned long)(address) & 7)))

enum kfence_error_type {
	KFENCE_ERROR_OOB,		/* beside an object */
	KFENCE_ERROR_UAF,		/* where one was */
	KFENCE_ERROR_CORRUPTION,	/* bytes around one were changed, seen when it was freed */
	KFENCE_ERROR_INVALID,		/* another place in the pool */
	KFENCE_ERROR_INVALID_FREE,	/* of what is none */
};

#endif
