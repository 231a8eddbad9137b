/* SPDX-License-Identifier: MIT */
/*
 * The files that modules make, in one tree whose paths are Linux's: /proc, /dev, /sys, and debugfs
 * at /sys/kernel/debug.
 *
 * A node is a file, a folder, a link or a device. Whoever made it (proc_create(), device_create(),
 * ...) removes it. A node stays in memory as long as a file of it is open.
 *
 * operation_begin() and operation_end() stand around each call of a module's function for a file.
 * node_remove() waits for such calls, so afterwards no function of the module runs for the node.
 * Device files are not held back in this way, as in Linux: their driver counts its own users.
 *
 * If programs are to open the files (serve.c), each node also has a placeholder in a folder of the
 * machine, so that the programs can list, test and match names without asking.
 */
#ifndef KERNEL_FILES_FILES_H
#define KERNEL_FILES_FILES_H

#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/list.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

struct file_node;

/* What mkdir() in a folder and rmdir() of it do; NULL: they are refused. 0 or -errno. */
struct folder_calls {
	int (*make)(struct file_node *folder, const char *name);
	int (*remove)(struct file_node *folder);
};

struct file_node {
	struct dentry dentry;		/* first: debugfs hands out its address */
	struct inode inode;
	struct kernfs_node kernfs;	/* what modules see of it */
	struct list_head children, sibling;	/* Sync: files_lock */
	const char *target;		/* of a link; NULL: no link */
	struct file_operations operations;	/* a copy of its own */
	int (*show)(struct seq_file *, void *);	/* of proc_create_single() */
	const struct seq_operations *seq;	/* of proc_create_seq() */
	unsigned int seq_size;
	const struct file_operations *made;	/* inode.i_fop, until it is removed */
	const struct attribute *attribute;	/* of sysfs */
	const struct bin_attribute *binary;
	const struct folder_calls *calls;	/* of a folder that programs may change, or NULL */
	struct kobject *kobj;			/* whose attribute or folder it is */
	struct wait_queue_head changed;	/* sysfs_notify() */
	unsigned int nr_changes;	/* Sync: atomic */
	unsigned int users;		/* open files, and the tree. Sync: files_lock */
	unsigned int nr_running;	/* operations. Sync: files_lock */
	bool is_removed;		/* Sync: files_lock */
	bool is_base;			/* a folder that each Linux has */
	bool is_device;			/* its operations are the driver's, and outlive it */
	int removed_error;		/* what operations return after the removal */
};

/* One lock for the tree, its counts and the users of files. */
void files_lock(void);
void files_unlock(void);

#define PROC_PATH "/proc"
#define DEV_PATH "/dev"
#define SYS_PATH "/sys"
#define DEBUGFS_PATH "/sys/kernel/debug"

/* The node of this path, or NULL. Links are not followed. _base() makes missing folders. */
struct file_node *node_find(const char *path);
/* Like node_find(), but follows links, also on the way. */
struct file_node *node_find_target(const char *path);
struct file_node *node_base(const char *path);
/*
 * Makes a node in the folder. Returns an error pointer if the name is taken (-EEXIST) or is no
 * valid name (-EINVAL), or without memory (-ENOMEM). A name with '/' is a path below the folder;
 * folders of the path that are missing are made. The mode has the type: S_IFREG, S_IFDIR, S_IFLNK,
 * S_IFCHR or S_IFBLK.
 */
struct file_node *node_create(struct file_node *folder, const char *name, umode_t mode,
			      const struct file_operations *operations, void *data);
/*
 * As node_create(), with the mode, data, number, target and operations of `like`, and with what
 * these operations need. If `like` has a copy of operations for itself, the new node gets one, too.
 */
struct file_node *node_create_like(struct file_node *folder, const char *name,
				   const struct file_node *like);
/* As node_create(), with a device number or a target. */
struct file_node *node_create_device(struct file_node *folder, const char *name, umode_t mode,
				     dev_t number);
struct file_node *node_create_link(struct file_node *folder, const char *name,
				   const char *target);
/* The child of that name, or NULL. */
struct file_node *node_child(struct file_node *folder, const char *name);
/* Removes the node and everything below it. NULL and error pointers have no effect. */
void node_remove(struct file_node *node);
void node_put(struct file_node *node);
/* Gives the node another name. 0, -EEXIST or -ENOMEM. */
int node_rename(struct file_node *node, const char *name);
/* The path of the node; false if it does not fit. */
bool node_path(const struct file_node *node, char *path, size_t size);

static inline struct file_node *node_of_dentry(struct dentry *dentry)
{
	return (struct file_node *)dentry;
}

/* As modules see the node; NULL: NULL. */
struct kernfs_node *kernfs_of_node(struct file_node *node);
static inline struct file_node *node_of_kernfs(struct kernfs_node *kernfs)
{
	return kernfs ? container_of(kernfs, struct file_node, kernfs) : NULL;
}

/* NULL for a file of a mounted file system, which has no node. */
static inline struct file_node *node_of(const struct file *file)
{
	return file->f_path.dentry->d_sb ? NULL : node_of_dentry(file->f_path.dentry);
}

/* Makes placeholders in this folder, for all nodes that exist and for later ones. 0 or -errno. */
int placeholders_begin(const char *folder);
void placeholders_make_all(void);
void placeholder_make(const struct file_node *node);
void placeholder_remove(const struct file_node *node);

/*
 * Operations on open files, with Linux's errors. flags are those of open(2). _open() follows no
 * link and is for nodes of the tree; the file has one user, which file_put() removes.
 */
struct file *file_open(struct file_node *node, unsigned int flags);
/* A file of a mounted file system (kernel/fs), whose path is not NULL's nor a link's. */
struct file *file_open_path(const struct path *path, unsigned int flags);
void file_get(struct file *file);
void file_put(struct file *file);
ssize_t file_read(struct file *file, char __user *buffer, size_t n, loff_t *pos);
ssize_t file_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos);
loff_t file_seek(struct file *file, loff_t offset, int whence);
long file_ioctl(struct file *file, unsigned int command, unsigned long argument);
__poll_t file_poll(struct file *file, struct poll_table_struct *table);
/* Has the file events of its own? Those of /proc and /sys have some in any case, as in Linux. */
bool file_takes_epoll(const struct file *file);
int file_fsync(struct file *file);
int file_set_flags(struct file *file, unsigned int flags);
/* mmap.c: ends all areas of the file that programs still map. */
void file_unmap_all(struct file *file);
bool operation_begin(struct file *file, long *error);
void operation_end(struct file *file);

/* poll.c: the events of this mask that are there, waiting for one if `waits`. */
__poll_t file_wait(struct file *file, __poll_t wanted, bool waits);

/* char_dev.c: the operations of the driver of this device, or an error pointer. */
const struct file_operations *device_operations(struct inode *inode, struct file *file);
bool device_has_driver(dev_t number);

/* configfs_attributes.c: makes the files of an item's attributes in its folder. 0 or -errno. */
struct config_item;
int configfs_add_attributes(struct config_item *item, struct file_node *folder);

/* sysfs.c */
extern const struct file_operations sysfs_operations;
extern const struct file_operations sysfs_binary_operations;
/* The folder of a new object below its parent's; an error pointer as node_create(). */
struct file_node *sysfs_make_folder(struct kobject *kobj, struct kobject *parent);
/* The attributes of the object's type. 0 or -errno. */
int sysfs_add_defaults(struct kobject *kobj);
/* The object's folder, NULL if it was not added. */
struct file_node *sysfs_folder(const struct kobject *kobj);
/* Linux's line for an object whose name another one of the folder has. */
void sysfs_say_name_is_taken(const char *name);

/* module_files.c: a module's object, whose attributes are struct module_attribute. */
extern const struct kobj_type module_kobject_type;
/* /proc/modules, and the modules' folders in /sys/module. */
void modules_add_files(void);

/* parameters.c: files for the modules' parameters, at /sys/module/NAME/parameters. */
void sysfs_add_parameters(void);
/* A node that the module does not own, and that goes with the process. */
void node_keep(struct file_node *node);

/* real_file.c: files of the machine, for filp_open(). */
struct file *real_file_open(const char *path, int flags, umode_t mode);
void real_file_close(struct file *file);

/*
 * user_memory.c: copies from and to the memory of the program whose operation the current task
 * carries out. Each returns how many bytes were not copied.
 */
struct user_memory {
	unsigned long (*read)(struct user_memory *user, void *to, unsigned long from,
			      unsigned long n);
	unsigned long (*write)(struct user_memory *user, unsigned long to, const void *from,
			       unsigned long n);
};
/* NULL: addresses are those of this process. Returns the memory that was set before. */
struct user_memory *user_memory_set(struct user_memory *user);

/* serve.c: lets programs open the files, by the library's socket in this folder. */
int serve_begin(const char *folder);
/* Ends what programs still wait for, and closes the files that they left open. */
void serve_end(void);

#endif
