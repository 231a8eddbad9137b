// SPDX-License-Identifier: MIT
/* Goes wrong in the way and at the place that its parameters name. */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static char *how = "";
module_param(how, charp, 0);
static char *where = "init";
module_param(where, charp, 0);

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DECLARE_WAIT_QUEUE_HEAD(queue);

static bool is(const char *text)
{
	return !strcmp(how, text);
}

static noinline int overflows_the_stack(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n ? overflows_the_stack(n + 1) + room[0] : 0;
}

static noinline void calls_nothing(void)
{
	void (*function)(void) = NULL;

	OPTIMIZER_HIDE_VAR(function);
	function();
	barrier();
}

static noinline void fails_with_a_lock(void)
{
	spin_lock(&lock);
	BUG_ON(is("bug_in_lock"));
	spin_unlock(&lock);
}

static noinline void takes_it_twice(void)
{
	spin_lock(&lock);
	spin_lock(&lock);
}

static noinline void loops_without_interrupts(void)
{
	unsigned long flags;

	local_irq_save(flags);
	for (;;)
		cpu_relax();
}

static noinline int takes_second_first(void *unused)
{
	mutex_lock(&second);
	mutex_lock(&first);
	return 0;
}

static noinline void takes_first_second(void)
{
	mutex_lock(&first);
	kthread_run(takes_second_first, NULL, "opponent");
	while (!mutex_is_locked(&second))
		msleep(1);
	mutex_lock(&second);
}

/* Inlined: the debug information alone knows of it. */
static __always_inline void happens(void)
{
	if (is("stack"))
		overflows_the_stack(1);
	else if (is("call"))
		calls_nothing();
	else if (is("null"))
		*(volatile int *)NULL = 1;
	else if (is("partial_line")) {
		pr_info("so far");
		pr_cont("");
		*(volatile int *)NULL = 1;
	} else if (is("bug_in_lock"))
		fails_with_a_lock();
	else if (is("lock"))
		takes_it_twice();
	else if (is("loop"))
		loops_without_interrupts();
	else if (is("wait"))
		wait_event(queue, false);
	else if (is("deadlock"))
		takes_first_second();
}

static int thread(void *unused)
{
	happens();
	while (is("stays"))
		msleep(10);
	return 0;
}

static void timer_function(struct timer_list *unused)
{
	happens();
}
static DEFINE_TIMER(timer, timer_function);

static void work_function(struct work_struct *unused)
{
	happens();
}
static DECLARE_WORK(work, work_function);
static DECLARE_DELAYED_WORK(later, work_function);

static enum hrtimer_restart hrtimer_function(struct hrtimer *unused)
{
	return HRTIMER_NORESTART;
}
static struct hrtimer hrtimer;

static void leaves_behind(void)
{
	if (is("timer")) {
		mod_timer(&timer, jiffies + 1000 * HZ);
	} else if (is("hrtimer")) {
		hrtimer_setup(&hrtimer, hrtimer_function, CLOCK_REALTIME, HRTIMER_MODE_ABS);
		hrtimer_start(&hrtimer, ktime_get_real() + 1000 * NSEC_PER_SEC, HRTIMER_MODE_ABS);
	} else if (is("delayed")) {
		schedule_delayed_work(&later, 1000 * HZ);
	} else if (is("queue")) {
		alloc_workqueue("left_%s", 0, 0, "over");
	} else if (is("percpu")) {
		alloc_percpu(u64);
	} else if (is("rcu")) {
		struct { struct rcu_head rcu; } *object = kmalloc(sizeof(*object), GFP_KERNEL);

		kfree_rcu(object, rcu);
	}
}

static int __init trouble_init(void)
{
	pr_info("before\n");
	if (!strcmp(where, "init"))
		happens();
	else if (!strcmp(where, "kthread"))
		kthread_run(thread, NULL, "troubled");
	else if (!strcmp(where, "timer"))
		mod_timer(&timer, jiffies + 1);
	else if (!strcmp(where, "work"))
		schedule_work(&work);
	else if (!strcmp(where, "behind"))
		leaves_behind();
	/* Gives another thread or timer time; mostly it ends the module before the time is over. */
	if (strcmp(where, "behind") && strcmp(where, "exit"))
		msleep(is("stays") ? 300 : 20000);
	return 0;
}

static void __exit trouble_exit(void)
{
	if (!strcmp(where, "exit"))
		happens();
	pr_info("after\n");
}

module_init(trouble_init);
module_exit(trouble_exit);
MODULE_LICENSE("GPL");
