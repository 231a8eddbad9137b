// SPDX-License-Identifier: MIT
/* Files of /proc, debugfs and sysfs, and a misc device that looks at memory of its caller. */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

static int nr = 3;
module_param(nr, int, 0444);

/* /proc/attributes/items: a line for each item; a line that is written is a new item. */
struct item {
	struct list_head list;
	char text[32];
};
static LIST_HEAD(items);
static DEFINE_MUTEX(items_lock);
static struct proc_dir_entry *folder;

static int add_item(const char *text)
{
	struct item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return -ENOMEM;
	strscpy(item->text, text, sizeof(item->text));
	list_add_tail(&item->list, &items);
	return 0;
}

static void *items_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&items_lock);
	return seq_list_start(&items, *pos);
}

static void *items_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &items, pos);
}

static void items_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&items_lock);
}

static int items_show(struct seq_file *m, void *v)
{
	seq_printf(m, "item %s\n", list_entry(v, struct item, list)->text);
	return 0;
}

static const struct seq_operations items_seq = {
	.start = items_start, .next = items_next, .stop = items_stop, .show = items_show,
};

static int items_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &items_seq);
}

static ssize_t items_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	char text[32] = "";
	int error;

	if (n >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buffer, n))
		return -EFAULT;
	mutex_lock(&items_lock);
	error = add_item(strim(text));
	mutex_unlock(&items_lock);
	return error ? error : n;
}

static const struct proc_ops items_ops = {
	.proc_open = items_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = seq_release,
	.proc_write = items_write,
};

static int who_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%s %u %d\n", current->comm, from_kuid(&init_user_ns, current_uid()),
		   capable(CAP_SYS_ADMIN));
	return 0;
}

/* /sys/kernel/attributes/level: from 0 to 9. */
static int level = 5;

static ssize_t level_show(struct kobject *kobj, struct kobj_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "%d\n", level);
}

static ssize_t level_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buffer,
			   size_t count)
{
	int value, error = kstrtoint(buffer, 10, &value);

	if (error)
		return error;
	if (value < 0 || value > 9)
		return -ERANGE;
	level = value;
	sysfs_notify(kobj, NULL, "level");
	return count;
}

static struct kobj_attribute level_attribute = __ATTR_RW(level);
static struct kobject *kobj;

/* /sys/kernel/debug/attributes */
static struct dentry *debug;
static u32 number = 7;
static bool flag;
static u64 square;

static int square_get(void *data, u64 *value)
{
	*value = square * square;
	return 0;
}

static int square_set(void *data, u64 value)
{
	square = value;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(square_fops, square_get, square_set, "%llu\n");

/* /dev/attributes: reads at its position; a write names what is written. */
static char content[16] = "0123456789abcdef";

static ssize_t misc_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return simple_read_from_buffer(buffer, n, pos, content, sizeof(content));
}

static ssize_t misc_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return simple_write_to_buffer(content, sizeof(content), pos, buffer, n);
}

static const struct file_operations misc_fops = {
	.owner = THIS_MODULE, .read = misc_read, .write = misc_write, .llseek = default_llseek,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR, .name = "attributes", .fops = &misc_fops, .mode = 0666,
};

/* /sys/class/attributes: a constant class, so it may lie in read-only memory. */
static ssize_t shown_show(const struct class *class, const struct class_attribute *attr,
			  char *buffer)
{
	return sysfs_emit(buffer, "%s of %s\n", attr->attr.name, class->name);
}

static CLASS_ATTR_RO(shown);
static struct class_attribute added = __ATTR(added, 0444, shown_show, NULL);
static struct attribute *class_attrs[] = { &class_attr_shown.attr, NULL };
ATTRIBUTE_GROUPS(class);
static const struct class constant_class = { .name = "attributes", .class_groups = class_groups };

static int __init attributes_init(void)
{
	int error;

	for (int i = 0; i < nr; i++)
		add_item((char []){ 'a' + i, 0 });
	folder = proc_mkdir("attributes", NULL);
	if (!folder || !proc_create("items", 0644, folder, &items_ops) ||
	    !proc_create_single("who", 0444, folder, who_show))
		return -ENOMEM;
	kobj = kobject_create_and_add("attributes", kernel_kobj);
	if (!kobj)
		return -ENOMEM;
	error = sysfs_create_file(kobj, &level_attribute.attr);
	if (error)
		return error;
	error = class_register(&constant_class);
	if (error)
		return error;
	error = class_create_file(&constant_class, &added);
	if (error)
		return error;
	debug = debugfs_create_dir("attributes", NULL);
	debugfs_create_u32("number", 0644, debug, &number);
	debugfs_create_bool("flag", 0644, debug, &flag);
	debugfs_create_file("square", 0644, debug, NULL, &square_fops);
	return misc_register(&misc);
}

static void __exit attributes_exit(void)
{
	struct item *item, *next;

	misc_deregister(&misc);
	class_remove_file(&constant_class, &added);
	class_unregister(&constant_class);
	debugfs_remove(debug);
	kobject_put(kobj);
	proc_remove(folder);
	list_for_each_entry_safe(item, next, &items, list)
		kfree(item);
	pr_info("level %d, number %u, flag %d, square %llu\n", level, number, flag, square);
}

module_init(attributes_init);
module_exit(attributes_exit);
MODULE_LICENSE("GPL");
