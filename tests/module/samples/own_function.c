// SPDX-License-Identifier: MIT
/*
 * The module defines a function with the name of one of libc's; neither the library nor libc may
 * call it. OWN_FUNCTION names it. With how=crash the module crashes, so that there is a report.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

static char *how = "work";
module_param(how, charp, 0);

static unsigned int nr_calls;

long OWN_FUNCTION(long number);
long OWN_FUNCTION(long number)
{
	nr_calls++;
	return number + 1;
}

static int waits_for_its_end(void *unused)
{
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

static int use_the_library(void)
{
	void *object = kmalloc(100000, GFP_KERNEL);
	struct task_struct *thread = kthread_run(waits_for_its_end, NULL, "waits");

	kfree(object);
	if (!object || IS_ERR(thread))
		return -ENOMEM;
	kthread_stop(thread);		/* maybe before it runs */
	return 0;
}

static noinline void crashes(void)
{
	BUG_ON(nr_calls == 0);
}

static int __init own_function_init(void)
{
	int error = use_the_library();

	if (error)
		return error;
	pr_info("calls of others: %u\n", nr_calls);
	if (!strcmp(how, "crash"))
		crashes();
	pr_info("the module's: %ld\n", OWN_FUNCTION(41));
	return 0;
}

static void __exit own_function_exit(void)
{
}

module_init(own_function_init);
module_exit(own_function_exit);
MODULE_LICENSE("GPL");
