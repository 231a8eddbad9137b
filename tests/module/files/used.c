// SPDX-License-Identifier: MIT
/* A module whose users are counted, and who hears of itself. */
#include <linux/cdev.h>
#include <linux/debugfs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/proc_fs.h>

static int level = 4;
module_param(level, int, 0644);
static bool pinned;
module_param(pinned, bool, 0);

static int open_number(struct inode *inode, struct file *file)
{
	(void)inode;
	return file->f_flags & O_NONBLOCK ? -EAGAIN : 0;
}

static const struct file_operations operations = { .owner = THIS_MODULE, .open = open_number };
static const struct proc_ops proc = { .proc_open = open_number };
static struct miscdevice misc = {
	.name = "used_misc", .minor = MISC_DYNAMIC_MINOR, .fops = &operations,
};
static int major;
static struct class *class;
static struct dentry *shown;
static struct kobject *object;

static ssize_t answer_show(struct module_attribute *attr, struct module_kobject *mk, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%s 42\n", mk->mod->name);
}

static struct module_attribute answer = {
	.attr = { .name = "answer", .mode = 0444 }, .show = answer_show,
};

static int hears(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;

	(void)block;
	pr_info("heard of %s: %lu\n", module->name, state);
	return NOTIFY_OK;
}

static struct notifier_block listener = { .notifier_call = hears };

static int __init used_init(void)
{
	pr_info("init: users %d, state %d, found %d, other %d\n", module_refcount(THIS_MODULE),
		THIS_MODULE->state, find_module("used") == THIS_MODULE, !!find_module("other"));
	register_module_notifier(&listener);
	major = register_chrdev(0, "used", &operations);
	class = class_create("used");
	device_create(class, NULL, MKDEV(major, 0), NULL, "used_char");
	shown = debugfs_create_file("used", 0444, NULL, NULL, &operations);
	object = kobject_create_and_add("below", &THIS_MODULE->mkobj.kobj);
	if (pinned)
		__module_get(THIS_MODULE);
	if (!proc_create("used", 0444, NULL, &proc) || misc_register(&misc) || !object ||
	    sysfs_create_file(&THIS_MODULE->mkobj.kobj, &answer.attr))
		return -EIO;
	return 0;
}

static void __exit used_exit(void)
{
	pr_info("exit: users %d, got %d\n", module_refcount(THIS_MODULE),
		try_module_get(THIS_MODULE));
	unregister_module_notifier(&listener);
	sysfs_remove_file(&THIS_MODULE->mkobj.kobj, &answer.attr);
	kobject_put(object);
	misc_deregister(&misc);
	remove_proc_entry("used", NULL);
	debugfs_remove(shown);
	device_destroy(class, MKDEV(major, 0));
	class_destroy(class);
	unregister_chrdev((unsigned int)major, "used");
}

module_init(used_init);
module_exit(used_exit);
MODULE_VERSION("1.5");
MODULE_LICENSE("GPL");
