/* SPDX-License-Identifier: MIT */
/* A mount in the making. Nothing is mounted, so none is ever made. */
#ifndef _LINUX_FS_CONTEXT_H
#define _LINUX_FS_CONTEXT_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/security.h>

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

#define USERMM_GET_TREE(context, fill) ((void)(context), (void)(fill), -ENOSYS)
#define get_tree_nodev(context, fill) USERMM_GET_TREE(context, fill)
#define get_tree_single(context, fill) USERMM_GET_TREE(context, fill)
#define get_tree_bdev(context, fill) USERMM_GET_TREE(context, fill)
#define get_tree_keyed(context, fill, key) ((void)(key), USERMM_GET_TREE(context, fill))
#define errorf(context, format, ...) ((void)(context), pr_err(format "\n", ##__VA_ARGS__))
#define warnf(context, format, ...) ((void)(context), pr_warn(format "\n", ##__VA_ARGS__))
#define infof(context, format, ...) ((void)(context), pr_info(format "\n", ##__VA_ARGS__))
#define invalf(context, format, ...) (errorf(context, format, ##__VA_ARGS__), -EINVAL)
#define invalfc(context, format, ...) invalf(context, format, ##__VA_ARGS__)

#endif
