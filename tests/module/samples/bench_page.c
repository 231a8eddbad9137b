// SPDX-License-Identifier: MIT
/*
 * Page benchmarks in the manner of modules that people write for Linux: the order-3
 * loop with a second reference, and bulk sizes; threads that start together.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/version.h>

static unsigned int loops = 10000;
module_param(loops, uint, 0444);
static int threads = 2;
module_param(threads, int, 0444);

#define MAX_BULK 256

static void order3(gfp_t gfp, const char *name)
{
	ktime_t start, end;
	unsigned int i;
	u64 ns;

	pr_info("Testing with %s\n", name);
	start = ktime_get();
	for (i = 0; i < loops; i++) {
		unsigned long addr = __get_free_pages(gfp, 3);
		struct page *page = virt_to_page((void *)addr);

		get_page(page);
		free_pages(addr, 3);
		put_page(page);
	}
	end = ktime_get();
	ns = ktime_to_ns(ktime_sub(end, start));
	pr_info("Completed. Time: %llu us (Avg: %llu.%02llu ns per alloc+free loop)\n",
		div_u64(ns, 1000), div_u64(ns, loops), div_u64(ns * 100, loops) % 100);
}

static int bulk(unsigned int size)
{
	cycles_t start = get_cycles();
	unsigned int round, i, done = 0;

	for (round = 0; round < loops / size; round++) {
		struct page *page, *next;
		unsigned long got;
		LIST_HEAD(list);

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
		got = alloc_pages_bulk(GFP_ATOMIC, 0, size, &list);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
		got = alloc_pages_bulk_list(GFP_ATOMIC, size, &list);
#else
		struct page *array[MAX_BULK] = { NULL };

		got = alloc_pages_bulk(GFP_ATOMIC, size, array);
		for (i = 0; i < got; i++)
			list_add(&array[i]->lru, &list);
#endif
		if (!got)
			return -ENOMEM;
		i = 0;
		list_for_each_entry_safe(page, next, &list, lru) {
			list_del(&page->lru);
			__free_page(page);
			i++;
		}
		if (i != got)
			return -EINVAL;
		done += got;
	}
	pr_info("Type:bulk_page_alloc_free Per elem: %llu cycles(tsc) (step:%u)\n",
		done ? div_u64(get_cycles() - start, done) : 0, size);
	return 0;
}

struct worker {
	struct completion *go;
	struct completion done;
	unsigned int cpu;
	int result;
};

static int work(void *data)
{
	struct worker *worker = data;
	unsigned int i;

	wait_for_completion(worker->go);
	for (i = 0; i < loops; i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		if (!page) {
			worker->result = -ENOMEM;
			break;
		}
		__free_page(page);
	}
	complete(&worker->done);
	return 0;
}

static int concurrent(void)
{
	DECLARE_COMPLETION_ONSTACK(go);
	struct worker *workers = kcalloc(threads, sizeof(*workers), GFP_KERNEL);
	int i, started = 0, result = 0;

	if (!workers)
		return -ENOMEM;
	for (i = 0; i < threads; i++) {
		struct task_struct *task;

		workers[i].go = &go;
		init_completion(&workers[i].done);
		task = kthread_create(work, &workers[i], "page_bench/%d", i);
		if (IS_ERR(task))
			break;
		kthread_bind(task, i % num_online_cpus());
		wake_up_process(task);
		started++;
	}
	complete_all(&go);
	for (i = 0; i < started; i++) {
		wait_for_completion(&workers[i].done);
		result = result ?: workers[i].result;
	}
	pr_info("%d threads, result %d\n", started, result);
	kfree(workers);
	return result;
}

static int __init bench_page_init(void)
{
	static const unsigned int sizes[] = { 1, 2, 3, 4, 8, 16, 32, 64, 128, 256 };
	int i, error;

	order3(GFP_KERNEL, "GFP_KERNEL");
	order3(GFP_KERNEL | __GFP_COMP, "GFP_KERNEL | __GFP_COMP");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		error = bulk(sizes[i]);
		if (error)
			return error;
	}
	error = concurrent();
	if (error)
		return error;
	pr_info("Test completed\n");
	return -EAGAIN;
}

module_init(bench_page_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("page allocator benchmark");
