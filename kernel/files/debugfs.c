// SPDX-License-Identifier: MIT
/* Files of debugfs. An entry is the file's node (files.h). cf. Linux fs/debugfs. */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"

static struct file_node *folder_of(struct dentry *parent)
{
	return parent ? node_of_dentry(parent) : node_base(DEBUGFS_PATH);
}

static struct dentry *entry_of(struct file_node *node, const char *name)
{
	if (!IS_ERR(node))
		return &node->dentry;
	if (PTR_ERR(node) == -EEXIST)
		pr_err("debugfs: '%s' already exists\n", name);
	return ERR_CAST(node);
}

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	if (IS_ERR(parent))
		return parent;
	return entry_of(node_create(folder_of(parent), name, S_IFDIR | 0755, NULL, NULL), name);
}

struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *operations)
{
	static const struct file_operations none = { .open = simple_open };

	if (IS_ERR(parent))
		return parent;
	if (!(mode & S_IFMT))
		mode |= S_IFREG;
	return entry_of(node_create(folder_of(parent), name, mode,
				    operations ? operations : &none, data), name);
}

struct dentry *debugfs_create_symlink(const char *name, struct dentry *parent,
				      const char *target)
{
	if (IS_ERR(parent))
		return parent;
	return entry_of(node_create_link(folder_of(parent), name, target), name);
}

void debugfs_remove(struct dentry *dentry)
{
	if (!IS_ERR_OR_NULL(dentry))
		node_remove(node_of_dentry(dentry));
}

struct dentry *debugfs_lookup(const char *name, struct dentry *parent)
{
	struct file_node *node;

	if (IS_ERR(parent))
		return NULL;
	node = node_child(folder_of(parent), name);
	return node ? &node->dentry : NULL;
}

void debugfs_lookup_and_remove(const char *name, struct dentry *parent)
{
	debugfs_remove(debugfs_lookup(name, parent));
}

void usermm_debugfs_file_size(struct dentry *dentry, loff_t size)
{
	if (!IS_ERR_OR_NULL(dentry))
		i_size_write(dentry->d_inode, size);
}

ssize_t debugfs_attr_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return simple_attr_read(file, buffer, n, pos);
}

ssize_t debugfs_attr_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return simple_attr_write(file, buffer, n, pos);
}

/* Files that are not written have no write operation, whatever their mode says. */
static struct dentry *create_number(const char *name, umode_t mode, struct dentry *parent,
				    void *value, const struct file_operations *operations)
{
	struct file_node like = {
		.operations = *operations,
		.inode = { .i_mode = S_IFREG | mode, .i_private = value },
	};

	if (IS_ERR(parent))
		return parent;
	if (!(mode & S_IWUGO))
		like.operations.write = NULL;
	if (!(mode & S_IRUGO))
		like.operations.read = NULL;
	like.made = &like.operations;
	return entry_of(node_create_like(folder_of(parent), name, &like), name);
}

#define NUMBER(kind, type, format)						\
static int get_##kind(void *data, u64 *value)					\
{										\
	*value = READ_ONCE(*(type *)data);					\
	return 0;								\
}										\
static int set_##kind(void *data, u64 value)					\
{										\
	WRITE_ONCE(*(type *)data, (type)value);					\
	return 0;								\
}										\
DEFINE_DEBUGFS_ATTRIBUTE(kind##_operations, get_##kind, set_##kind, format);	\
struct dentry *usermm_debugfs_create_##kind(const char *name, umode_t mode,	\
					    struct dentry *parent, type *value)	\
{										\
	return create_number(name, mode, parent, value, &kind##_operations);	\
}

NUMBER(u8, u8, "%llu\n")
NUMBER(u16, u16, "%llu\n")
NUMBER(u32, u32, "%llu\n")
NUMBER(u64, u64, "%llu\n")
NUMBER(ulong, unsigned long, "%llu\n")
NUMBER(size_t, size_t, "%llu\n")
NUMBER(x8, u8, "0x%02llx\n")
NUMBER(x16, u16, "0x%04llx\n")
NUMBER(x32, u32, "0x%08llx\n")
NUMBER(x64, u64, "0x%016llx\n")

static int get_atomic(void *data, u64 *value)
{
	*value = (u64)atomic_read(data);
	return 0;
}

static int set_atomic(void *data, u64 value)
{
	atomic_set(data, (int)value);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(atomic_operations, get_atomic, set_atomic, "%lld\n");

struct dentry *usermm_debugfs_create_atomic_t(const char *name, umode_t mode,
					      struct dentry *parent, atomic_t *value)
{
	return create_number(name, mode, parent, value, &atomic_operations);
}

static ssize_t read_bool(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	const char text[] = { *(bool *)file->private_data ? 'Y' : 'N', '\n' };

	return simple_read_from_buffer(buffer, n, pos, text, sizeof(text));
}

static ssize_t write_bool(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	bool value;
	int error = kstrtobool_from_user(buffer, n, &value);

	(void)pos;
	if (error)
		return error;
	*(bool *)file->private_data = value;
	return (ssize_t)n;
}

struct dentry *usermm_debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent,
					  bool *value)
{
	static const struct file_operations operations = {
		.open = simple_open, .read = read_bool, .write = write_bool,
		.llseek = default_llseek,
	};

	return create_number(name, mode, parent, value, &operations);
}

static ssize_t read_text(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	const char *text = *(char **)file->private_data;
	char *line = kasprintf(GFP_KERNEL, "%s\n", text ? text : "");
	ssize_t done;

	if (!line)
		return -ENOMEM;
	done = simple_read_from_buffer(buffer, n, pos, line, strlen(line));
	kfree(line);
	return done;
}

static ssize_t write_text(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	char **value = file->private_data, *text, *old;

	if (*pos || !n)
		return -EINVAL;
	if (n > PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(buffer, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	strim(text);
	old = xchg(value, text);
	synchronize_rcu();
	kfree(old);
	return (ssize_t)n;
}

struct dentry *usermm_debugfs_create_str(const char *name, umode_t mode, struct dentry *parent,
					 char **value)
{
	static const struct file_operations operations = {
		.open = simple_open, .read = read_text, .write = write_text,
		.llseek = default_llseek,
	};

	return create_number(name, mode, parent, value, &operations);
}

static ssize_t read_blob(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	const struct debugfs_blob_wrapper *blob = file->private_data;

	return simple_read_from_buffer(buffer, n, pos, blob->data, blob->size);
}

struct dentry *debugfs_create_blob(const char *name, umode_t mode, struct dentry *parent,
				   struct debugfs_blob_wrapper *blob)
{
	static const struct file_operations operations = {
		.open = simple_open, .read = read_blob, .llseek = default_llseek,
	};

	return debugfs_create_file(name, mode & 0444, parent, blob, &operations);
}

static int array_show(struct seq_file *m, void *unused)
{
	const struct debugfs_u32_array *array = m->private;

	(void)unused;
	for (u32 i = 0; i < array->n_elements; i++)
		seq_printf(m, "%u%c", array->array[i], i + 1 == array->n_elements ? '\n' : ' ');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(array);

void debugfs_create_u32_array(const char *name, umode_t mode, struct dentry *parent,
			      struct debugfs_u32_array *array)
{
	debugfs_create_file(name, mode, parent, array, &array_fops);
}

static int registers_show(struct seq_file *m, void *unused)
{
	const struct debugfs_regset32 *set = m->private;

	(void)unused;
	for (int i = 0; i < set->nregs; i++)
		seq_printf(m, "%s = 0x%08x\n", set->regs[i].name,
			   readl((char __iomem *)set->base + set->regs[i].offset));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

void debugfs_create_regset32(const char *name, umode_t mode, struct dentry *parent,
			     struct debugfs_regset32 *set)
{
	debugfs_create_file(name, mode, parent, set, &registers_fops);
}

struct device_show {
	struct device *dev;
	int (*show)(struct seq_file *m, void *unused);
};

static int device_show_open(struct inode *inode, struct file *file)
{
	const struct device_show *entry = inode->i_private;

	return single_open(file, entry->show, entry->dev);
}

void debugfs_create_devm_seqfile(struct device *dev, const char *name, struct dentry *parent,
				 int (*show)(struct seq_file *, void *))
{
	static const struct file_operations operations = {
		.open = device_show_open, .read = seq_read, .llseek = seq_lseek,
		.release = single_release,
	};
	struct device_show *entry = devm_kzalloc(dev, sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return;
	entry->dev = dev;
	entry->show = show;
	debugfs_create_file(name, 0444, parent, entry, &operations);
}
