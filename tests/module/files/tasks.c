// SPDX-License-Identifier: MIT
/* Tasks, signals, users, and the kernel's release, each by its own header alone. */
#include <generated/utsrelease.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/time.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <linux/version.h>
#include <uapi/linux/stat.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define STATE_OF(task) ((task)->__state)
#else
#define STATE_OF(task) ((task)->state)
#endif

static int nr = 2;
module_param(nr, int, S_IRUGO | S_IWUSR);

static DECLARE_COMPLETION(never);

static int waits(void *unused)
{
	int result;

	allow_signal(SIGTERM);
	result = wait_for_completion_interruptible(&never);
	pr_info("the wait ends by %d, signal %d\n", result, kernel_dequeue_signal());
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 3;
}

static int __init tasks_init(void)
{
	struct task_struct *task, *thread = kthread_run(waits, NULL, "waits");
	bool found = false;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	rcu_read_lock();
	for_each_process(task)
		found |= task == thread && !strcmp(task->comm, "waits");
	rcu_read_unlock();
	send_sig(SIGUSR1, thread, 0);		/* it does not take this one */
	while (READ_ONCE(STATE_OF(thread)) != TASK_INTERRUPTIBLE)
		msleep(1);
	send_sig(SIGTERM, thread, 0);
	pr_info("found %d, stopped with %d\n", found, kthread_stop(thread));
	pr_info("release %s %s\n", UTS_RELEASE, utsname()->release);
	pr_info("user %u, capable %d, clock %d\n", from_kuid(current_user_ns(), current_uid()),
		capable(CAP_SYS_ADMIN), CLOCK_MONOTONIC);
	pr_info("by number %d\n", pid_task(find_vpid(current->pid), PIDTYPE_PID) == current);
	pr_info("no memory %lu\n", copy_from_user(&nr, NULL, sizeof(nr)));
	return 0;
}

static void __exit tasks_exit(void)
{
}

module_init(tasks_init);
module_exit(tasks_exit);
MODULE_LICENSE("GPL");
