/* SPDX-License-Identifier: MIT */
/*
 * Guarded objects: the option kfence_sample=RATE (-o kfence_sample=1000). Without it there is no
 * pool and no object is guarded, as in a kernel that was started with kfence.sample_interval=0.
 * Allocations are counted, not sampled by time, so the interval says only whether it is on.
 */
#ifndef _LINUX_KFENCE_H
#define _LINUX_KFENCE_H

#include <asm/msr.h>
#include <linux/hash.h>
#include <linux/huge_mm.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>
#include <usermm/compiler.h>
#include <usermm/slab.h>

#define KFENCE_POOL_SIZE ((CONFIG_KFENCE_NUM_OBJECTS + 1) * 2 * PAGE_SIZE)

/* Sync: constant from the first init on */
extern char *__kfence_pool USERMM_API(__kfence_pool);
extern unsigned long kfence_sample_interval USERMM_API(kfence_sample_interval);

bool is_kfence_address(const void *address) USERMM_API(is_kfence_address);
/* The object's first byte; NULL if it is not guarded. */
void *kfence_object_start(const void *address) USERMM_API(kfence_object_start);

/* The bytes that were asked for; 0 if it is not guarded. */
static inline size_t kfence_ksize(const void *address)
{
	return is_kfence_address(address) ? ksize(address) : 0;
}

/* Freed, if it is guarded. */
static inline bool kfence_free(void *address)
{
	bool is_guarded = is_kfence_address(address);

	if (is_guarded)
		kfree(address);
	return is_guarded;
}

#endif
