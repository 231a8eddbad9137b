// SPDX-License-Identifier: MIT
/* Mounts in the making, and their options. cf. Linux fs/fs_context.c and fs/fs_parser.c. */
#include <stdlib.h>

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "vfs.h"

/* Types without init_fs_context(): their mount() gets the options as one text. */
static int mount_by_type(struct fs_context *context)
{
	struct dentry *root;

	if (!context->fs_type->mount)
		return -ENODEV;
	root = context->fs_type->mount(context->fs_type, (int)context->sb_flags, context->source,
				       context->fs_private);
	if (IS_ERR(root))
		return (int)PTR_ERR(root);
	context->root = root;
	return 0;
}

static int keep_options(struct fs_context *context, void *data)
{
	context->fs_private = data;
	return 0;
}

static int keep_no_option(struct fs_context *context, struct fs_parameter *parameter)
{
	(void)context;
	(void)parameter;
	return -ENOPARAM;
}

static const struct fs_context_operations operations_of_types = {
	.parse_param = keep_no_option, .parse_monolithic = keep_options, .get_tree = mount_by_type,
};

struct fs_context *fs_context_for_mount(struct file_system_type *type, unsigned int flags)
{
	struct fs_context *context = calloc(1, sizeof(*context));
	int error = 0;

	if (!context)
		return ERR_PTR(-ENOMEM);
	context->fs_type = type;
	context->sb_flags = flags;
	context->user_ns = &init_user_ns;
	context->purpose = FS_CONTEXT_FOR_MOUNT;
	context->ops = &operations_of_types;
	if (type->init_fs_context)
		error = type->init_fs_context(context);
	if (!error)
		return context;
	put_fs_context(context);
	return ERR_PTR(error);
}

void put_fs_context(struct fs_context *context)
{
	struct super_block *sb;

	if (context->root) {
		sb = context->root->d_sb;
		dput(context->root);
		deactivate_super(sb);
	}
	if (context->ops && context->ops->free)
		context->ops->free(context);
	kfree(context->source);
	free(context);
}

/* Those that every mount has; others are the file system's. */
static bool parse_flag(struct fs_context *context, const char *key)
{
	if (!strcmp(key, "ro"))
		context->sb_flags |= (unsigned int)SB_RDONLY;
	else if (!strcmp(key, "rw"))
		context->sb_flags &= ~(unsigned int)SB_RDONLY;
	else if (!strcmp(key, "sync"))
		context->sb_flags |= (unsigned int)SB_SYNCHRONOUS;
	else
		return false;
	return true;
}

int vfs_parse_fs_param(struct fs_context *context, struct fs_parameter *parameter)
{
	int error = -ENOPARAM;

	if (parse_flag(context, parameter->key))
		return 0;
	if (context->ops->parse_param)
		error = context->ops->parse_param(context, parameter);
	if (error != -ENOPARAM)
		return error;
	if (strcmp(parameter->key, "source")) {
		pr_err("%s: Unknown parameter '%s'\n", context->fs_type->name, parameter->key);
		return -EINVAL;
	}
	if (context->source)
		return -EINVAL;
	context->source = parameter->string;
	parameter->string = NULL;
	return 0;
}

int generic_parse_monolithic(struct fs_context *context, void *data)
{
	char *options = data, *key, *value;
	int error = 0;

	while (!error && (key = strsep(&options, ","))) {
		struct fs_parameter parameter = { .key = key, .type = fs_value_is_flag };

		if (!*key)
			continue;
		value = strchr(key, '=');
		if (value == key)
			continue;
		if (value) {
			*value++ = '\0';
			parameter.type = fs_value_is_string;
			parameter.size = strlen(value);
			parameter.string = kstrdup(value, GFP_KERNEL);
			if (!parameter.string)
				return -ENOMEM;
		}
		error = vfs_parse_fs_param(context, &parameter);
		kfree(parameter.string);
	}
	return error;
}

int vfs_get_tree(struct fs_context *context)
{
	int error;

	if (context->root)
		return -EBUSY;
	error = context->ops->get_tree(context);
	if (error < 0)
		return error;
	if (!context->root) {
		pr_err("Filesystem %s get_tree() didn't set fc->root, returned %d\n",
		       context->fs_type->name, error);
		BUG();
	}
	context->root->d_sb->s_flags |= SB_BORN;
	return 0;
}

struct sget_arguments {
	struct fs_context *context;
	int (*test)(struct super_block *sb, struct fs_context *context);
	int (*set)(struct super_block *sb, struct fs_context *context);
};

static int test_context(struct super_block *sb, void *data)
{
	const struct sget_arguments *arguments = data;

	return arguments->test(sb, arguments->context);
}

/* The context's own things become the super block's. */
static int set_context(struct super_block *sb, void *data)
{
	const struct sget_arguments *arguments = data;
	int error;

	sb->s_fs_info = arguments->context->s_fs_info;
	error = arguments->set(sb, arguments->context);
	if (!error)
		arguments->context->s_fs_info = NULL;
	return error;
}

struct super_block *sget_fc(struct fs_context *context,
			    int (*test)(struct super_block *sb, struct fs_context *context),
			    int (*set)(struct super_block *sb, struct fs_context *context))
{
	struct sget_arguments arguments = { .context = context, .test = test, .set = set };

	return sget(context->fs_type, test ? test_context : NULL, set_context,
		    (int)context->sb_flags, &arguments);
}

int set_anon_super_fc(struct super_block *sb, struct fs_context *context)
{
	(void)context;
	return set_anon_super(sb, NULL);
}

static int get_tree(struct fs_context *context,
		    int (*test)(struct super_block *sb, struct fs_context *context),
		    int (*fill)(struct super_block *sb, struct fs_context *context))
{
	struct super_block *sb = sget_fc(context, test, set_anon_super_fc);
	int error;

	if (IS_ERR(sb))
		return (int)PTR_ERR(sb);
	error = sb->s_root ? 0 : fill(sb, context);
	if (error) {
		deactivate_locked_super(sb);
		return error;
	}
	sb->s_flags |= SB_ACTIVE;
	context->root = dget(sb->s_root);
	return 0;
}

static int any_super(struct super_block *sb, struct fs_context *context)
{
	(void)sb;
	(void)context;
	return 1;
}

static int has_key(struct super_block *sb, struct fs_context *context)
{
	return sb->s_fs_info == context->s_fs_info;
}

int get_tree_nodev(struct fs_context *context,
		   int (*fill)(struct super_block *sb, struct fs_context *context))
{
	return get_tree(context, NULL, fill);
}

int get_tree_single(struct fs_context *context,
		    int (*fill)(struct super_block *sb, struct fs_context *context))
{
	return get_tree(context, any_super, fill);
}

int get_tree_keyed(struct fs_context *context,
		   int (*fill)(struct super_block *sb, struct fs_context *context), void *key)
{
	context->s_fs_info = key;
	return get_tree(context, has_key, fill);
}

int get_tree_bdev(struct fs_context *context,
		  int (*fill)(struct super_block *sb, struct fs_context *context))
{
	(void)fill;
	return context->source ? -ENOENT : -EINVAL;
}

static int fill_pseudo(struct super_block *sb, struct fs_context *context)
{
	const struct pseudo_fs_context *pseudo = context->fs_private;
	struct inode *root;

	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_magic = pseudo->magic;
	sb->s_op = pseudo->ops;
	sb->s_export_op = pseudo->eops;
	sb->s_xattr = pseudo->xattr;
	sb->s_time_gran = 1;
	root = new_inode(sb);
	if (!root)
		return -ENOMEM;
	root->i_ino = 1;
	root->i_mode = S_IFDIR | S_IRUSR | S_IWUSR;
	simple_inode_init_ts(root);
	sb->s_root = d_make_root(root);
	if (!sb->s_root)
		return -ENOMEM;
	sb->s_d_op = pseudo->dops;
	return 0;
}

static int get_pseudo_tree(struct fs_context *context)
{
	return get_tree_nodev(context, fill_pseudo);
}

static void free_pseudo(struct fs_context *context)
{
	kfree(context->fs_private);
}

static const struct fs_context_operations pseudo_operations = {
	.free = free_pseudo, .get_tree = get_pseudo_tree,
};

struct pseudo_fs_context *init_pseudo(struct fs_context *context, unsigned long magic)
{
	struct pseudo_fs_context *pseudo = kzalloc(sizeof(*pseudo), GFP_KERNEL);

	if (!pseudo)
		return NULL;
	pseudo->magic = magic;
	context->fs_private = pseudo;
	context->ops = &pseudo_operations;
	context->sb_flags |= (unsigned int)SB_NOUSER;
	return pseudo;
}

static int wrong_value(const struct fs_parameter *parameter)
{
	pr_err("Bad value for '%s'\n", parameter->key);
	return -EINVAL;
}

/* May the option stand without a value? */
static bool may_be_empty(const struct fs_parameter_spec *spec,
			 const struct fs_parameter *parameter)
{
	return (!parameter->string || !*parameter->string) && spec->flags & fs_param_can_be_empty;
}

int fs_param_is_bool(struct p_log *log, const struct fs_parameter_spec *spec,
		     struct fs_parameter *parameter, struct fs_parse_result *result)
{
	(void)log;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string ||
	    kstrtobool(parameter->string, &result->boolean))
		return wrong_value(parameter);
	return 0;
}

int fs_param_is_u32(struct p_log *log, const struct fs_parameter_spec *spec,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	(void)log;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string ||
	    kstrtouint(parameter->string, (unsigned int)(unsigned long)spec->data,
		       &result->uint_32))
		return wrong_value(parameter);
	return 0;
}

int fs_param_is_s32(struct p_log *log, const struct fs_parameter_spec *spec,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	(void)log;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string ||
	    kstrtoint(parameter->string, 0, &result->int_32))
		return wrong_value(parameter);
	return 0;
}

int fs_param_is_u64(struct p_log *log, const struct fs_parameter_spec *spec,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	(void)log;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string ||
	    kstrtoull(parameter->string, 0, (unsigned long long *)&result->uint_64))
		return wrong_value(parameter);
	return 0;
}

int fs_param_is_enum(struct p_log *log, const struct fs_parameter_spec *spec,
		     struct fs_parameter *parameter, struct fs_parse_result *result)
{
	const struct constant_table *row = spec->data;

	(void)log;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string)
		return wrong_value(parameter);
	while (row && row->name && strcmp(row->name, parameter->string))
		row++;
	if (!row || !row->name)
		return wrong_value(parameter);
	result->uint_32 = (unsigned int)row->value;
	return 0;
}

int fs_param_is_string(struct p_log *log, const struct fs_parameter_spec *spec,
		       struct fs_parameter *parameter, struct fs_parse_result *result)
{
	(void)log;
	(void)result;
	if (may_be_empty(spec, parameter))
		return 0;
	if (parameter->type != fs_value_is_string || !*parameter->string)
		return wrong_value(parameter);
	return 0;
}

int fs_param_is_uid(struct p_log *log, const struct fs_parameter_spec *spec,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	int error = fs_param_is_u32(log, spec, parameter, result);

	if (!error)
		result->uid = KUIDT_INIT(result->uint_32);
	return error;
}

int fs_param_is_gid(struct p_log *log, const struct fs_parameter_spec *spec,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	int error = fs_param_is_u32(log, spec, parameter, result);

	if (!error)
		result->gid = KGIDT_INIT(result->uint_32);
	return error;
}

/* The row of the option, NULL if there is none. A "no" before a flag's name negates it. */
static const struct fs_parameter_spec *find_row(const struct fs_parameter_spec *table,
						const struct fs_parameter *parameter,
						bool *is_negated)
{
	const struct fs_parameter_spec *row, *flag = NULL;
	bool is_flag = parameter->type == fs_value_is_flag;

	*is_negated = false;
	for (row = table; row->name; row++) {
		if (!strcmp(row->name, parameter->key) && is_flag == !row->type)
			return row;
		if (!strcmp(row->name, parameter->key))
			flag = row;	/* of the other kind: the type refuses it */
	}
	if (flag || !is_flag || strncmp(parameter->key, "no", 2))
		return flag;
	for (row = table; row->name; row++) {
		*is_negated = row->flags & fs_param_neg_with_no &&
			      !strcmp(row->name, parameter->key + 2);
		if (*is_negated)
			return row;
	}
	return NULL;
}

int usermm_fs_parse(struct fs_context *context, const struct fs_parameter_spec *table,
		    struct fs_parameter *parameter, struct fs_parse_result *result)
{
	const struct fs_parameter_spec *row = find_row(table, parameter, &result->negated);
	int error;

	(void)context;
	result->uint_64 = 0;
	if (!row)
		return -ENOPARAM;
	if (row->flags & fs_param_deprecated)
		pr_warn("Deprecated parameter '%s'\n", parameter->key);
	if (!row->type && parameter->type != fs_value_is_flag) {
		pr_err("Unexpected value for '%s'\n", parameter->key);
		return -EINVAL;
	}
	if (!row->type)
		result->boolean = !result->negated;
	error = row->type ? row->type(NULL, row, parameter, result) : 0;
	return error ? error : row->opt;
}
