/* SPDX-License-Identifier: MIT */
/*
 * Guarded objects. The option kfence_sample=RATE (-o kfence_sample=1000) enables them. Without it
 * there is no pool and no object is guarded, as in a kernel started with kfence.sample_interval=0.
 * Every RATE-th allocation is guarded, not one per interval, so the interval only tells if KFENCE
 * is on.
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

/* Sync: constant from the first init on. */
extern char *__kfence_pool USERMM_API(__kfence_pool);
extern unsigned long kfence_sample_interval USERMM_API(kfence_sample_interval);

bool is_kfence_address(const void *address) USERMM_API(is_kfence_address);
/* The guarded object's first byte; NULL if the address is in no guarded object. */
void *kfence_object_start(const void *address) USERMM_API(kfence_object_start);

/* The bytes that were asked for; 0 if the object is not guarded. */
static inline size_t kfence_ksize(const void *address)
{
	return is_kfence_address(address) ? ksize(address) : 0;
}

/* Frees the object if it is guarded; else returns false. */
static inline bool kfence_free(void *address)
{
	bool is_guarded = is_kfence_address(address);

	if (is_guarded)
		kfree(address);
	return is_guarded;
}

#endif
