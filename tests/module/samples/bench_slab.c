// SPDX-License-Identifier: MIT
/* A slab benchmark as it was written for Linux 4.x: cycles, threads, remote frees. */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timex.h>

#define TEST_COUNT 10000

static void single(size_t size)
{
	void **v = kmalloc(TEST_COUNT * sizeof(void *), GFP_KERNEL);
	cycles_t time1, time2;
	unsigned int i;
	u64 cycles;
	u32 rem;

	if (!v)
		return;
	printk(KERN_INFO "%d times kmalloc(%zu)", TEST_COUNT, size);
	time1 = get_cycles();
	for (i = 0; i < TEST_COUNT; i++)
		v[i] = kmalloc(size, GFP_KERNEL);
	time2 = get_cycles();
	cycles = div_u64_rem(time2 - time1, TEST_COUNT, &rem);
	printk(KERN_CONT " -> %llu cycles ", cycles);
	time1 = get_cycles();
	for (i = 0; i < TEST_COUNT; i++)
		kfree(v[i]);
	time2 = get_cycles();
	cycles = div_u64_rem(time2 - time1, TEST_COUNT, &rem);
	printk(KERN_CONT "kfree -> %llu cycles\n", cycles);
	kfree(v);
}

static void pair(size_t size)
{
	cycles_t time1, time2;
	unsigned int i;

	time1 = get_cycles();
	for (i = 0; i < TEST_COUNT; i++)
		kfree(kmalloc(size, GFP_KERNEL | __GFP_REPEAT));
	time2 = get_cycles();
	printk(KERN_INFO "%d times kmalloc(%zu)/kfree -> %llu cycles\n", TEST_COUNT, size,
	       div_u64(time2 - time1, TEST_COUNT));
}

static struct {
	void *object[256];
	struct completion filled;
} remote;

static int fill(void *cache)
{
	int i;

	for (i = 0; i < 256; i++)
		remote.object[i] = kmem_cache_alloc(cache, GFP_TEMPORARY);
	complete(&remote.filled);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int remote_free(void)
{
	struct kmem_cache *cache = kmem_cache_create("bench", 200, 0,
						     SLAB_HWCACHE_ALIGN | SLAB_MEM_SPREAD, NULL);
	struct task_struct *task;
	int i;

	if (!cache)
		return -ENOMEM;
	init_completion(&remote.filled);
	task = kthread_run(fill, cache, "filler");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&remote.filled);
	for (i = 0; i < 256; i++)
		kmem_cache_free(cache, remote.object[i]);
	kthread_stop(task);
	kmem_cache_destroy(cache);
	printk(KERN_INFO "256*remote free done on cpu %d\n", get_cpu());
	put_cpu();
	return 0;
}

static int __init bench_slab_init(void)
{
	size_t size;

	printk(KERN_ALERT "Single thread testing\n");
	for (size = 8; size <= 16384; size <<= 1)
		single(size);
	for (size = 8; size <= 16384; size <<= 1)
		pair(size);
	if (remote_free())
		return -ENOMEM;
	return -EAGAIN;
}

static void __exit bench_slab_exit(void)
{
	printk(KERN_ALERT "not reached: init does not stay\n");
}

module_init(bench_slab_init)
module_exit(bench_slab_exit)

MODULE_LICENSE("GPL");
