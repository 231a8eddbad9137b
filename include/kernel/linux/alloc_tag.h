/* SPDX-License-Identifier: MIT */
/* As without CONFIG_MEM_ALLOC_PROFILING: alloc_hooks() only makes the call. */
#ifndef _LINUX_ALLOC_TAG_H
#define _LINUX_ALLOC_TAG_H

#include <asm/irqflags.h>
#include <asm/preempt.h>
#include <asm/smp.h>
#include <linux/thread_info.h>

#define alloc_hooks(call) (call)
#define alloc_hooks_tag(tag, call) (call)
#define alloc_tag_record(tag) do { } while (0)
#define DEFINE_ALLOC_TAG(tag)

static inline _Bool mem_alloc_profiling_enabled(void)
{
	return 0;
}

#endif
