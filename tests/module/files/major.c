// SPDX-License-Identifier: MIT
/* A major without a device, as of modules that tell their users to mknod; and files of others. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#define MAJOR_NUMBER 240

static bool forget;
module_param(forget, bool, 0);
static char *machine;
module_param(machine, charp, 0);

static char text[32];

static ssize_t major_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "minor %u has %s\n", iminor(file_inode(file)),
			      strim(text));

	return simple_read_from_buffer(buffer, n, pos, line, length);
}

static ssize_t major_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	n = min(n, sizeof(text) - 1);
	memset(text, 0, sizeof(text));
	return copy_from_user(text, buffer, n) ? -EFAULT : n;
}

static const struct file_operations major_fops = { .read = major_read, .write = major_write };

static int kept_show(struct seq_file *m, void *v)
{
	seq_puts(m, "kept\n");
	return 0;
}

static int use_machine(void)
{
	static const char written[] = "written by the module";
	char read[sizeof(written)] = "";
	struct file *file = filp_open(machine, O_RDWR | O_CREAT, 0600);
	loff_t pos = 0;

	if (IS_ERR(file))
		return PTR_ERR(file);
	kernel_write(file, written, sizeof(written) - 1, &pos);
	pos = 0;
	kernel_read(file, read, sizeof(read) - 1, &pos);
	filp_close(file, NULL);
	pr_info("read back: %s\n", read);
	pr_info("none there: %ld\n", PTR_ERR(filp_open("/nowhere/at/all", O_RDONLY, 0)));
	pr_info("a folder: %ld\n", PTR_ERR(filp_open("/", O_WRONLY, 0)));
	return 0;
}

static int __init major_init(void)
{
	int error = register_chrdev(MAJOR_NUMBER, "major", &major_fops);

	if (!error && forget)
		proc_create_single("forgotten", 0444, NULL, kept_show);
	if (!error && machine)
		error = use_machine();
	return error;
}

static void __exit major_exit(void)
{
	unregister_chrdev(MAJOR_NUMBER, "major");
}

module_init(major_init);
module_exit(major_exit);
MODULE_LICENSE("GPL");
