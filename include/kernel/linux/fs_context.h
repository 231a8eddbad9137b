/* SPDX-License-Identifier: MIT */
/* A mount in the making, for kern_mount() and the like. */
#ifndef _LINUX_FS_CONTEXT_H
#define _LINUX_FS_CONTEXT_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/security.h>
#include <linux/user_namespace.h>
#include <usermm/compiler.h>

struct fs_context;
struct net;

enum fs_context_purpose { FS_CONTEXT_FOR_MOUNT, FS_CONTEXT_FOR_SUBMOUNT,
			  FS_CONTEXT_FOR_RECONFIGURE };
enum fs_value_type { fs_value_is_undefined, fs_value_is_flag, fs_value_is_string,
		     fs_value_is_blob, fs_value_is_filename, fs_value_is_file };

struct fs_parameter {
	const char *key;
	enum fs_value_type type;
	char *string;
	size_t size;
};

struct fs_context_operations {
	void (*free)(struct fs_context *context);
	int (*dup)(struct fs_context *context, struct fs_context *from);
	int (*parse_param)(struct fs_context *context, struct fs_parameter *parameter);
	int (*parse_monolithic)(struct fs_context *context, void *data);
	int (*get_tree)(struct fs_context *context);
	int (*reconfigure)(struct fs_context *context);
};

struct fs_context {
	const struct fs_context_operations *ops;
	struct file_system_type *fs_type;
	void *fs_private;
	struct dentry *root;
	struct user_namespace *user_ns;
	struct net *net_ns;
	const struct cred *cred;
	char *source;
	void *security, *s_fs_info;
	unsigned int sb_flags, sb_flags_mask;
	enum fs_context_purpose purpose;
};

USERMM_BEGIN_DECLS

/* A context of one user for the type, or an error pointer. */
struct fs_context *fs_context_for_mount(struct file_system_type *type, unsigned int flags)
	USERMM_API(fs_context_for_mount);
void put_fs_context(struct fs_context *context) USERMM_API(put_fs_context);
/* 0; -EINVAL for an option that the file system does not have; what parse_param() returned. */
int vfs_parse_fs_param(struct fs_context *context, struct fs_parameter *parameter)
	USERMM_API(vfs_parse_fs_param);
/* Options as text, `name=value` and names, separated by commas. It is changed. */
int generic_parse_monolithic(struct fs_context *context, void *data)
	USERMM_API(generic_parse_monolithic);
/* 0 with context->root, whose s_umount is locked; or -errno. */
int vfs_get_tree(struct fs_context *context) USERMM_API(vfs_get_tree);
struct super_block *sget_fc(struct fs_context *context,
			    int (*test)(struct super_block *sb, struct fs_context *context),
			    int (*set)(struct super_block *sb, struct fs_context *context))
	USERMM_API(sget_fc);
int set_anon_super_fc(struct super_block *sb, struct fs_context *context)
	USERMM_API(set_anon_super_fc);
/* A super block for each mount; one for all; one for each key; one on a disk (-ENOENT). */
int get_tree_nodev(struct fs_context *context,
		   int (*fill)(struct super_block *sb, struct fs_context *context))
	USERMM_API(get_tree_nodev);
int get_tree_single(struct fs_context *context,
		    int (*fill)(struct super_block *sb, struct fs_context *context))
	USERMM_API(get_tree_single);
int get_tree_keyed(struct fs_context *context,
		   int (*fill)(struct super_block *sb, struct fs_context *context), void *key)
	USERMM_API(get_tree_keyed);
int get_tree_bdev(struct fs_context *context,
		  int (*fill)(struct super_block *sb, struct fs_context *context))
	USERMM_API(get_tree_bdev);

USERMM_END_DECLS

#ifndef ENOPARAM
#define ENOPARAM 519
#endif
#define errorf(context, format, ...) ((void)(context), pr_err(format "\n", ##__VA_ARGS__))
#define warnf(context, format, ...) ((void)(context), pr_warn(format "\n", ##__VA_ARGS__))
#define infof(context, format, ...) ((void)(context), pr_info(format "\n", ##__VA_ARGS__))
#define invalf(context, format, ...) (errorf(context, format, ##__VA_ARGS__), -EINVAL)
#define invalfc(context, format, ...) invalf(context, format, ##__VA_ARGS__)

#endif
