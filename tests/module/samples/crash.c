// SPDX-License-Identifier: MIT
/* Ends badly, in the way that the parameter names. */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *how = "bug";
module_param(how, charp, 0);

static noinline void hits_bug(void)
{
	BUG_ON(how);
	pr_info("not reached\n");
}

static noinline void writes_to_null(void)
{
	*(volatile int *)NULL = 1;
	pr_info("not reached\n");
}

static noinline void frees_twice(void)
{
	void *object = kmalloc(64, GFP_KERNEL);
	void *again = object;

	OPTIMIZER_HIDE_VAR(again);
	kfree(object);
	kfree(again);
	pr_info("not reached\n");
}

struct later {
	struct rcu_head rcu;
	char fill[48];
};

struct head_behind {
	char fill[48];
	struct rcu_head rcu;
	char more[];
};

/* kfree_rcu() in the place of one free or of both; what is between does not hide the second. */
static noinline void frees_twice_later(void)
{
	struct later *object = kmalloc(sizeof(*object), GFP_KERNEL);
	struct later *other = kmalloc(sizeof(*other), GFP_KERNEL), *again = object;

	OPTIMIZER_HIDE_VAR(again);
	rcu_read_lock();
	if (strcmp(how, "later_second"))
		kfree_rcu(object, rcu);
	else
		kfree(object);
	if (!strcmp(how, "later_aba"))
		kfree_rcu(other, rcu);
	if (strcmp(how, "later_first"))
		kfree_rcu(again, rcu);
	else
		kfree(again);
	rcu_read_unlock();
	rcu_barrier();
	pr_info("not reached\n");
}

/* The object waits for its turn. With consistency checks the module goes on. */
static noinline void frees_what_waits(void)
{
	size_t bytes = strcmp(how, "waits_block") ? sizeof(struct later) : 16384;
	struct later *object = kmalloc(bytes, GFP_KERNEL), *again = object;

	OPTIMIZER_HIDE_VAR(again);
	rcu_read_lock();
	kfree_rcu(object, rcu);
	kfree(again);
	pr_info("behind kfree\n");
	rcu_read_unlock();
	rcu_barrier();
	pr_info("behind\n");
}

/* The same with a head that is not the object's beginning. */
static noinline void frees_what_waits_behind(void)
{
	size_t bytes = sizeof(struct head_behind) + (strcmp(how, "behind_small") ? 1000 : 0);
	struct head_behind *object = kmalloc(bytes, GFP_KERNEL), *again = object;

	OPTIMIZER_HIDE_VAR(again);
	rcu_read_lock();
	kfree_rcu(object, rcu);
	kfree(again);
	pr_info("behind kfree\n");
	rcu_read_unlock();
	rcu_barrier();
	pr_info("behind\n");
}

static noinline void runs_forever(void)
{
	for (;;)
		cpu_relax();
}

static int __init crash_init(void)
{
	pr_info("before\n");
	if (!strcmp(how, "bug"))
		hits_bug();
	else if (!strcmp(how, "null"))
		writes_to_null();
	else if (!strcmp(how, "double_free"))
		frees_twice();
	else if (!strncmp(how, "later_", 6))
		frees_twice_later();
	else if (!strncmp(how, "waits", 5))
		frees_what_waits();
	else if (!strncmp(how, "behind_", 7))
		frees_what_waits_behind();
	else if (!strcmp(how, "loop"))
		runs_forever();
	return 0;
}

module_init(crash_init);
MODULE_LICENSE("GPL");
