// SPDX-License-Identifier: MIT
/* A kfifo as a file of /proc, in the forms of Linux 4.9 and of today. */
#include <linux/init.h>
#include <linux/kfifo.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/version.h>

static DECLARE_KFIFO(stream, unsigned char, 32);
static DEFINE_MUTEX(lock);

static ssize_t stream_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	unsigned int copied;
	int error;

	if (mutex_lock_interruptible(&lock))
		return -ERESTARTSYS;
	error = kfifo_from_user(&stream, buffer, n, &copied);
	mutex_unlock(&lock);
	return error ? error : copied;
}

static ssize_t stream_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	unsigned int copied;
	int error;

	if (mutex_lock_interruptible(&lock))
		return -ERESTARTSYS;
	error = kfifo_to_user(&stream, buffer, n, &copied);
	mutex_unlock(&lock);
	return error ? error : copied;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 6, 0)
static const struct proc_ops stream_ops = {
	.proc_read = stream_read,
	.proc_write = stream_write,
	.proc_lseek = noop_llseek,
};
#else
static const struct file_operations stream_ops = {
	.owner = THIS_MODULE,
	.read = stream_read,
	.write = stream_write,
	.llseek = noop_llseek,
};
#endif

static int __init stream_init(void)
{
	INIT_KFIFO(stream);
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 0, 0)
	if (!access_ok(VERIFY_READ, (void *)4096, 1))
		return -EFAULT;
#endif
	return proc_create("stream", 0, NULL, &stream_ops) ? 0 : -ENOMEM;
}

static void __exit stream_exit(void)
{
	remove_proc_entry("stream", NULL);
}

module_init(stream_init);
module_exit(stream_exit);
MODULE_LICENSE("GPL");
