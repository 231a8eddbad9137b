// SPDX-License-Identifier: MIT
/* The modules' parameters as files of /sys. cf. Linux kernel/params.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/moduleparam.h>

#include "module/module_run.h"
#include "files.h"

struct parameter {
	struct attribute attr;
	const struct kernel_param *param;
};

static ssize_t show(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	const struct kernel_param *param = container_of(attr, struct parameter, attr)->param;

	(void)kobj;
	return param->ops->get ? param->ops->get(buffer, param) : -EPERM;
}

/* A parameter may keep a pointer into the text, so the copy is never freed. */
static ssize_t store(struct kobject *kobj, struct attribute *attr, const char *buffer, size_t n)
{
	const struct kernel_param *param = container_of(attr, struct parameter, attr)->param;
	char *text = strndup(buffer, n);
	int error;

	(void)kobj;
	if (!text)
		return -ENOMEM;
	error = param->ops->set ? param->ops->set(text, param) : -EPERM;
	if (error)
		free(text);
	return error ? error : (ssize_t)n;
}

static void add(const struct kernel_param *param)
{
	static const struct sysfs_ops operations = { .show = show, .store = store };
	static const struct kobj_type type = { .sysfs_ops = &operations };
	static struct kobject kobj = { .name = "parameters", .ktype = &type };
	struct parameter *parameter = calloc(1, sizeof(*parameter));
	struct file_node like = {
		.inode = { .i_mode = S_IFREG | param->perm, .i_size = PAGE_SIZE },
		.made = &sysfs_operations, .kobj = &kobj,
	}, *node;
	char path[256];

	if (!parameter)
		return;
	parameter->attr = (struct attribute){ .name = param->name, .mode = param->perm };
	parameter->param = param;
	like.attribute = &parameter->attr;
	snprintf(path, sizeof(path), SYS_PATH "/module/%s/parameters", param->module);
	node = node_create_like(node_base(path), param->name, &like);
	if (IS_ERR(node)) {
		free(parameter);
		return;
	}
	node_keep(node);
}

/* A parameter without rights has no file. */
void sysfs_add_parameters(void)
{
	for (const struct kernel_param *param = module_params(); param; param = param->next)
		if (param->perm & 0777)
			add(param);
}
