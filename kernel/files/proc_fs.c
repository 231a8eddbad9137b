// SPDX-License-Identifier: MIT
/* Files of /proc. An entry is the file's node (files.h). cf. Linux fs/proc/generic.c. */
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "files.h"

static struct file_node *folder_of(struct proc_dir_entry *parent)
{
	return parent ? (struct file_node *)parent : node_base(PROC_PATH);
}

static struct file_node *node_of_entry(struct proc_dir_entry *entry)
{
	return (struct file_node *)entry;
}

/* Linux says which names it refuses; the caller only gets NULL. */
static struct proc_dir_entry *entry_of(struct file_node *node, const char *name)
{
	if (!IS_ERR(node))
		return (struct proc_dir_entry *)node;
	if (PTR_ERR(node) == -EEXIST)
		WARN(1, "proc_dir_entry '%s' already registered\n", name);
	else if (PTR_ERR(node) == -EINVAL)
		WARN(1, "name '%s'\n", name);
	return NULL;
}

struct proc_dir_entry *proc_mkdir_data(const char *name, umode_t mode,
				       struct proc_dir_entry *parent, void *data)
{
	if (!mode)
		mode = 0555;
	return entry_of(node_create(folder_of(parent), name, S_IFDIR | mode, NULL, data), name);
}

struct proc_dir_entry *proc_mkdir_mode(const char *name, umode_t mode,
				       struct proc_dir_entry *parent)
{
	return proc_mkdir_data(name, mode, parent, NULL);
}

struct proc_dir_entry *proc_mkdir(const char *name, struct proc_dir_entry *parent)
{
	return proc_mkdir_data(name, 0, parent, NULL);
}

struct proc_dir_entry *proc_symlink(const char *name, struct proc_dir_entry *parent,
				    const char *target)
{
	return entry_of(node_create_link(folder_of(parent), name, target), name);
}

/* A mode without a type is a regular file's; without rights too, it is 0444. */
static umode_t full_mode(umode_t mode)
{
	if (!(mode & S_IFMT))
		mode |= S_IFREG;
	if (!(mode & S_IALLUGO))
		mode |= S_IRUGO;
	return mode;
}

static struct proc_dir_entry *create(const char *name, umode_t mode, struct proc_dir_entry *parent,
				     struct file_node *like, void *data)
{
	like->inode.i_mode = full_mode(mode);
	like->inode.i_private = data;
	like->made = &like->operations;
	return entry_of(node_create_like(folder_of(parent), name, like), name);
}

struct proc_dir_entry *usermm_proc_create_old(const char *name, umode_t mode,
					      struct proc_dir_entry *parent,
					      const struct file_operations *operations, void *data)
{
	struct file_node like = { 0 };

	if (operations)
		like.operations = *operations;
	like.operations.owner = NULL;	/* nobody counts the users of a file of /proc */
	return create(name, mode, parent, &like, data);
}

struct proc_dir_entry *usermm_proc_create(const char *name, umode_t mode,
					  struct proc_dir_entry *parent,
					  const struct proc_ops *operations, void *data)
{
	static const struct proc_ops none;
	const struct proc_ops *proc = operations ? operations : &none;
	struct file_node like = {
		.operations = {
			.open = proc->proc_open, .read = proc->proc_read,
			.read_iter = proc->proc_read_iter, .write = proc->proc_write,
			.llseek = proc->proc_lseek, .release = proc->proc_release,
			.poll = proc->proc_poll, .unlocked_ioctl = proc->proc_ioctl,
			.compat_ioctl = proc->proc_compat_ioctl, .mmap = proc->proc_mmap,
		},
	};

	return create(name, mode, parent, &like, data);
}

static int open_single(struct inode *inode, struct file *file)
{
	return single_open(file, container_of(inode, struct file_node, inode)->show,
			   inode->i_private);
}

struct proc_dir_entry *proc_create_single_data(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       int (*show)(struct seq_file *, void *), void *data)
{
	struct file_node like = {
		.operations = {
			.open = open_single, .read = seq_read, .llseek = seq_lseek,
			.release = single_release,
		},
		.show = show,
	};

	return create(name, mode, parent, &like, data);
}

static int open_seq(struct inode *inode, struct file *file)
{
	const struct file_node *node = container_of(inode, struct file_node, inode);

	if (node->seq_size)
		return __seq_open_private(file, node->seq, (int)node->seq_size) ? 0 : -ENOMEM;
	return seq_open(file, node->seq);
}

static int release_seq(struct inode *inode, struct file *file)
{
	const struct file_node *node = container_of(inode, struct file_node, inode);

	return node->seq_size ? seq_release_private(inode, file) : seq_release(inode, file);
}

struct proc_dir_entry *proc_create_seq_private(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       const struct seq_operations *operations,
					       unsigned int size, void *data)
{
	struct file_node like = {
		.operations = {
			.open = open_seq, .read = seq_read, .llseek = seq_lseek,
			.release = release_seq,
		},
		.seq = operations, .seq_size = size,
	};

	return create(name, mode, parent, &like, data);
}

/* A name may be a path. */
static struct file_node *find(const char *name, struct proc_dir_entry *parent)
{
	char path[PATH_MAX];
	struct file_node *folder = folder_of(parent);

	if (!folder || !node_path(folder, path, sizeof(path)) ||
	    strlen(path) + strlen(name) + 2 > sizeof(path))
		return NULL;
	strcat(path, "/");
	strcat(path, name);
	return node_find(path);
}

void remove_proc_entry(const char *name, struct proc_dir_entry *parent)
{
	struct file_node *node = find(name, parent);

	if (!node || node->is_base) {
		WARN(1, "name '%s'\n", name);
		return;
	}
	if (!list_empty(&node->children))
		WARN(1, "%s: removing non-empty directory '%s'\n", __func__, name);
	node_remove(node);
}

int remove_proc_subtree(const char *name, struct proc_dir_entry *parent)
{
	struct file_node *node = find(name, parent);

	if (!node || node->is_base) {
		WARN(1, "name '%s'\n", name);
		return -ENOENT;
	}
	node_remove(node);
	return 0;
}

void proc_remove(struct proc_dir_entry *entry)
{
	node_remove(node_of_entry(entry));
}

void proc_set_size(struct proc_dir_entry *entry, loff_t size)
{
	node_of_entry(entry)->inode.i_size = size;
}

void proc_set_user(struct proc_dir_entry *entry, kuid_t uid, kgid_t gid)
{
	node_of_entry(entry)->inode.i_uid = uid;
	node_of_entry(entry)->inode.i_gid = gid;
}

void *usermm_pde_data(const struct inode *inode)
{
	return inode->i_private;
}

void *proc_get_parent_data(const struct inode *inode)
{
	const struct file_node *node = container_of(inode, struct file_node, inode);

	return node_of_dentry(node->dentry.d_parent)->inode.i_private;
}
