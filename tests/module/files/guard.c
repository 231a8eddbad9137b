// SPDX-License-Identifier: MIT
/* A security module, which refuses by the last letter of a file's name. */
#include <linux/kthread.h>
#include <linux/lsm_hooks.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

static atomic_t nr_files, nr_released, nr_tasks, nr_asked;
static bool no_capability;
module_param(no_capability, bool, 0644);

static bool ends_with(const struct dentry *dentry, char letter)
{
	return dentry->d_name.name[dentry->d_name.len - 1] == letter;
}

static bool is_named(const struct file *file, char letter)
{
	return ends_with(file->f_path.dentry, letter);
}

static int guard_alloc(struct file *file)
{
	(void)file;
	atomic_inc(&nr_files);
	return 0;
}

static void guard_free(struct file *file)
{
	(void)file;
	atomic_dec(&nr_files);
}

static void guard_release(struct file *file)
{
	(void)file;
	atomic_inc(&nr_released);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 19, 0)
static int guard_open(struct file *file)
{
#else
static int guard_open(struct file *file, const struct cred *cred)
{
	if (cred != file->f_cred)
		return -EIO;
#endif
	return is_named(file, 'o') ? -EPERM : 0;
}

static int guard_post_open(struct file *file, int mask)
{
	return is_named(file, 'p') && mask == (MAY_OPEN | MAY_READ) ? -EBUSY : 0;
}

static int guard_permission(struct file *file, int mask)
{
	return is_named(file, 'w') && mask & MAY_WRITE ? -EROFS : 0;
}

static int guard_inode(struct inode *inode, int mask)
{
	(void)mask;
	atomic_inc(&nr_asked);
	return (inode->i_mode & 0777) == 0640 ? -EACCES : 0;
}

static int guard_stat(const struct path *path)
{
	return ends_with(path->dentry, 's') ? -ESTALE : 0;
}

static int guard_capable(const struct cred *cred, struct user_namespace *ns, int cap,
			 unsigned int opts)
{
	(void)cred, (void)ns, (void)opts;
	return no_capability && cap == CAP_SYS_BOOT ? -EPERM : 0;
}

static int guard_task(struct task_struct *task, unsigned long flags)
{
	(void)flags;
	if (!strcmp(task->comm, "refused"))
		return -EAGAIN;
	atomic_inc(&nr_tasks);
	return 0;
}

static void guard_task_free(struct task_struct *task)
{
	(void)task;
}

/* The second one that is asked: it hears nothing of what the first one refuses. */
static int nr_second;

static int second_inode(struct inode *inode, int mask)
{
	(void)inode, (void)mask;
	nr_second++;
	return 0;
}

static struct security_hook_list hooks[] __lsm_ro_after_init = {
	LSM_HOOK_INIT(file_alloc_security, guard_alloc),
	LSM_HOOK_INIT(file_free_security, guard_free),
	LSM_HOOK_INIT(file_release, guard_release), LSM_HOOK_INIT(file_open, guard_open),
	LSM_HOOK_INIT(file_post_open, guard_post_open),
	LSM_HOOK_INIT(file_permission, guard_permission),
	LSM_HOOK_INIT(inode_permission, guard_inode),
	LSM_HOOK_INIT(inode_permission, second_inode), LSM_HOOK_INIT(inode_getattr, guard_stat),
	LSM_HOOK_INIT(capable, (void *)guard_capable),
	LSM_HOOK_INIT(task_alloc, (void *)guard_task), LSM_HOOK_INIT(task_free, guard_task_free),
};

static int sleep_a_little(void *unused)
{
	(void)unused;
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int show(struct seq_file *seq, void *unused)
{
	(void)unused;
	seq_printf(seq, "files %d, released %d, boot %d\n", atomic_read(&nr_files),
		   atomic_read(&nr_released), capable(CAP_SYS_BOOT));
	return 0;
}

static ssize_t swallow(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	(void)file, (void)buffer, (void)pos;
	return (ssize_t)n;
}

static const struct proc_ops operations = { .proc_write = swallow };
static const char *const names[] = { "guard_o", "guard_p", "guard_w", "guard_s", "guard_i" };

static int __init guard_init(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	static const struct lsm_id id = { .name = "guard", .id = 1000 };

	security_add_hooks(hooks, ARRAY_SIZE(hooks), &id);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
	security_add_hooks(hooks, ARRAY_SIZE(hooks), "guard");
#else
	security_add_hooks(hooks, ARRAY_SIZE(hooks));
#endif
	return 0;
}

DEFINE_LSM(guard) = { .name = "guard", .init = guard_init };

static int __init files_init(void)
{
	struct task_struct *task = kthread_run(sleep_a_little, NULL, "refused");

	pr_info("refused thread %d\n", PTR_ERR_OR_ZERO(task));
	task = kthread_run(sleep_a_little, NULL, "allowed");
	if (!IS_ERR(task))
		kthread_stop(task);
	pr_info("threads %d\n", atomic_read(&nr_tasks));
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (!proc_create(names[i], i == 4 ? 0640 : 0666, NULL, &operations))
			return -ENOMEM;
	return proc_create_single("guard", 0444, NULL, show) ? 0 : -ENOMEM;
}

static void __exit files_exit(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		remove_proc_entry(names[i], NULL);
	remove_proc_entry("guard", NULL);
	pr_info("files %d, asked %d more\n", atomic_read(&nr_files),
		atomic_read(&nr_asked) - nr_second);
}

module_init(files_init);
module_exit(files_exit);
MODULE_LICENSE("GPL");
