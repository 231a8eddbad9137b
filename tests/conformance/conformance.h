/* SPDX-License-Identifier: MIT */
/*
 * What the sources of the conformance suite share. Each source is one module. It is built unchanged
 * for Linux 6.12 and 7.3, where its result is the rule, and for usermm with the rules of either.
 * tests/conformance/run_conformance.py runs all and compares.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/version.h>
#include <linux/vmstat.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#include <linux/page_frag_cache.h>
#endif

#ifdef CONFIG_USERMM
#define ON_USERMM 1
#define LINUX_SYMBOL(name) (&name)
#else
#define ON_USERMM 0
/* LINUX_ADDRESS_name, for every name that the sources ask for; made from System.map. */
#include "linux_symbols.h"
/* A function or variable that modules cannot link to; it has to be declared. */
#define LINUX_SYMBOL(name) ((typeof(&name))LINUX_ADDRESS_##name)
#endif

/*
 * A case calls it if it expects another result of usermm than of Linux, because usermm differs
 * there on purpose. The text is the heading in docs/linux-differences.md that gives the reason.
 */
#define DIFFERS(test, heading) kunit_info(test, "differs: " heading)

/*
 * Since Linux 6.14 arrays have the short names, and there are no bulk calls for lists: their cases
 * are skipped.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define HAS_BULK_LIST 0
#undef alloc_pages_bulk_array
#undef alloc_pages_bulk_array_node
#undef alloc_pages_bulk_list
#define alloc_pages_bulk_array(gfp, nr, array) alloc_pages_bulk(gfp, nr, array)
#define alloc_pages_bulk_array_node(gfp, nid, nr, array) \
	alloc_pages_bulk_node(gfp, nid, nr, array)
#define alloc_pages_bulk_list(gfp, nr, list) ((void)(list), 0)
#define BULK_AT(gfp, nid, mask, nr, list, array) \
	((void)(list), alloc_pages_bulk_noprof(gfp, nid, mask, nr, array))
#else
#define HAS_BULK_LIST 1
#define BULK_AT(gfp, nid, mask, nr, list, array) \
	__alloc_pages_bulk(gfp, nid, mask, nr, list, array)
#endif

/* What kmem_cache_alloc_bulk() returns for n objects: since Linux 7.2 true if there are any. */
#define BULK_RESULT(n) (LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0) ? (int)(n) : (n) > 0)

/* Up to Linux 6.16 pages of a large block of kmalloc() have a count. */
#define LARGE_HAS_REFERENCES (LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0))

/* A Linux 7.3 without SMP has no per-CPU page lists. */
#define HAS_PAGE_LISTS \
	(ON_USERMM || IS_ENABLED(CONFIG_SMP) || LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0))

/* Skips a case about these lists where there are none; a bulk call gets one page there. */
static inline void need_page_lists(struct kunit *test)
{
	if (!HAS_PAGE_LISTS)
		kunit_skip(test, "no per-CPU page lists");
}

/* With SMP each CPU keeps a part of the counters: brings them up to date. There is one CPU. */
static inline void fold_counters(void)
{
#if !ON_USERMM && IS_ENABLED(CONFIG_SMP)
	unsigned long flags;

	local_irq_save(flags);
	LINUX_SYMBOL(cpu_vm_stats_fold)(smp_processor_id());
	local_irq_restore(flags);
#endif
}

#if !ON_USERMM
void drain_all_pages(struct zone *zone);
#endif

/* Empties the CPUs' lists of pages, so that these count as free. */
static inline void drain_lists(void)
{
	LINUX_SYMBOL(drain_all_pages)(NULL);
	fold_counters();
}

/* Of all zones, when no CPU's list has any. */
static inline long free_pages_now(void)
{
	drain_lists();
	return (long)global_zone_page_state(NR_FREE_PAGES);
}

/* A free page, which this CPU's list hands out next. */
static inline struct page *hot_page(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	return page;
}

/* Hides a value from the compiler. */
static inline void *hidden(void *pointer)
{
	OPTIMIZER_HIDE_VAR(pointer);
	return pointer;
}

/* Ends a thread's function: the thread waits here for kthread_stop(). */
static inline int until_stopped(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule_timeout(HZ);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

#endif
