// SPDX-License-Identifier: MIT
/* Tables of variables as files of /proc/sys. cf. Linux fs/proc/proc_sysctl.c. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>

#include "files.h"

/* The nodes of a table. */
struct sysctl_files {
	struct ctl_table_header header;
	struct file_node **nodes;
	size_t nr_nodes;
};

/* The handler sees memory of the kernel, with a zero behind what was written. */
static ssize_t call_handler(struct file *file, char __user *user, size_t n, loff_t *pos, int write)
{
	const struct ctl_table *table = file_inode(file)->i_private;
	ssize_t done;
	char *text;
	int error;

	if (!table->proc_handler)
		return -EINVAL;
	if (n >= KMALLOC_MAX_SIZE)
		return -ENOMEM;
	text = kvzalloc(n + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (write && copy_from_user(text, user, n)) {
		kvfree(text);
		return -EFAULT;
	}
	error = table->proc_handler(table, write, text, &n, pos);
	done = error ? error : (ssize_t)n;
	if (!error && !write && copy_to_user(user, text, n))
		done = -EFAULT;
	kvfree(text);
	return done;
}

/* Checks the mode for root, too, by the owner's bits. Elsewhere root may do anything. */
static int table_open(struct inode *inode, struct file *file)
{
	unsigned int wanted = (file->f_mode & FMODE_READ ? 04 : 0) |
			      (file->f_mode & FMODE_WRITE ? 02 : 0);
	unsigned int mode = capable(CAP_DAC_OVERRIDE) ? inode->i_mode >> 6 :
			    in_egroup_p(GLOBAL_ROOT_GID) ? inode->i_mode >> 3 : inode->i_mode;

	return wanted & ~mode ? -EACCES : 0;
}

static ssize_t table_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return call_handler(file, buffer, n, pos, 0);
}

static ssize_t table_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return call_handler(file, (char __user *)buffer, n, pos, 1);
}

void unregister_sysctl_table(struct ctl_table_header *header)
{
	struct sysctl_files *files;

	if (!header)
		return;
	files = container_of(header, struct sysctl_files, header);
	for (size_t i = 0; i < files->nr_nodes; i++)
		node_remove(files->nodes[i]);
	kfree(files->nodes);
	kfree(files);
}

static int add_files(struct sysctl_files *files, const char *path, const struct ctl_table *table,
		     size_t n)
{
	static const struct file_operations operations = {
		.open = table_open, .read = table_read, .write = table_write,
		.llseek = default_llseek,
	};
	char folder[256];

	if (snprintf(folder, sizeof(folder), PROC_PATH "/sys/%s", path) >= (int)sizeof(folder))
		return -ENAMETOOLONG;
	files->nodes = kcalloc(n, sizeof(*files->nodes), GFP_KERNEL);
	if (n && !files->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct file_node *node = node_create(node_base(folder), table[i].procname,
						     S_IFREG | (table[i].mode & 0777),
						     &operations, (void *)&table[i]);

		if (IS_ERR(node)) {
			pr_err("sysctl table check failed: %s/%s: %ld\n", path, table[i].procname,
			       PTR_ERR(node));
			return (int)PTR_ERR(node);
		}
		files->nodes[files->nr_nodes++] = node;
	}
	return 0;
}

/* A table ends with its size, and up to 6.10 with an entry without a name. */
static size_t count_entries(const struct ctl_table *table, size_t n)
{
	size_t nr = 0;

	while (nr < n && table[nr].procname)
		nr++;
	return nr;
}

struct ctl_table_header *register_sysctl_sz(const char *path, const struct ctl_table *table,
					    size_t n)
{
	struct sysctl_files *files = kzalloc(sizeof(*files), GFP_KERNEL);

	if (!files)
		return NULL;
	files->header.ctl_table = table;
	if (add_files(files, path, table, count_entries(table, n))) {
		unregister_sysctl_table(&files->header);
		return NULL;
	}
	return &files->header;
}

/*
 * Linux up to 6.5 also registers a tree of tables: one table for each folder of a path. Modules
 * give each folder one entry, so only the first entry is followed.
 */
struct ctl_table_header *usermm_register_sysctl_tree(const struct ctl_table *table)
{
	char path[256] = "";

	while (table->procname && table->usermm_child) {
		if (strlen(path) + strlen(table->procname) + 2 > sizeof(path))
			return NULL;
		if (*path)
			strcat(path, "/");
		strcat(path, table->procname);
		table = table->usermm_child;
	}
	return register_sysctl_sz(path, table, SIZE_MAX);
}
