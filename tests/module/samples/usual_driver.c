// SPDX-License-Identifier: MIT
/*
 * A driver with few includes: each header brings the headers that Linux's brings, inline functions
 * have an address, and integers are taken for pointers as Linux's compiler flags allow.
 */
#include <linux/cdev.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/proc_fs.h>

#if !defined(CONFIG_DEBUG_FS) || !defined(CONFIG_PROC_FS) || !defined(CONFIG_SYSFS)
#error "an option is not set although its header is there"
#endif

int twice(int number);
inline int twice(int number)
{
	return 2 * number;
}

static int (*volatile by_address)(int) = twice;

static DECLARE_WAIT_QUEUE_HEAD(queue);
static DEFINE_MUTEX(lock);
static bool arrived;

static int arrive(void *unused)
{
	mutex_lock(&lock);
	WRITE_ONCE(arrived, true);
	mutex_unlock(&lock);
	wake_up_interruptible(&queue);
	return 0;
}

static int __init usual_init(void)
{
	struct class *class = class_create("usual");
	char *text = kzalloc(16, GFP_KERNEL);
	char read[16];
	void *cookie;

	if (IS_ERR(class) || !text)
		return -ENOMEM;
	if (copy_from_user(read, text, sizeof(read)))
		return -EFAULT;
#if !defined(__clang__) && __GNUC__ < 14
	cookie = 0x10UL;
#else
	cookie = (void *)0x10UL;		/* newer compilers refuse it in Linux, too */
#endif
	kthread_run(arrive, NULL, "arrive");
	if (wait_event_interruptible(queue, READ_ONCE(arrived)))
		return -EINTR;
	pr_info("twice 21 is %d, cookie %lu\n", by_address(21), (unsigned long)cookie);
	kfree(text);
	class_destroy(class);
	return 0;
}
module_init(usual_init);

static void __exit usual_exit(void)
{
}
module_exit(usual_exit);
MODULE_LICENSE("GPL");
