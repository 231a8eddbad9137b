// SPDX-License-Identifier: MIT
/* Folders that a script makes and removes: a group of boxes, each with a number and its bytes. */
#include <linux/configfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>

struct box {
	struct config_item item;
	int number;
};

static int nr_boxes;

static ssize_t box_number_show(struct config_item *item, char *page)
{
	return sprintf(page, "%d\n", container_of(item, struct box, item)->number);
}

static ssize_t box_number_store(struct config_item *item, const char *page, size_t n)
{
	int error = kstrtoint(page, 0, &container_of(item, struct box, item)->number);

	return error ? error : (ssize_t)n;
}

static ssize_t box_bytes_read(struct config_item *item, void *buffer, size_t n)
{
	if (buffer)
		memcpy(buffer, &container_of(item, struct box, item)->number, n);
	return sizeof(int);
}

static ssize_t box_bytes_write(struct config_item *item, const void *buffer, size_t n)
{
	pr_info("written %zu bytes\n", n);
	memcpy(&container_of(item, struct box, item)->number, buffer, min(n, sizeof(int)));
	return (ssize_t)n;
}

CONFIGFS_ATTR(box_, number);
CONFIGFS_BIN_ATTR(box_, bytes, NULL, 16);
static struct configfs_attribute *box_attrs[] = { &box_attr_number, NULL };
static struct configfs_bin_attribute *box_bin_attrs[] = { &box_attr_bytes, NULL };

static void box_release(struct config_item *item)
{
	nr_boxes--;
	kfree(container_of(item, struct box, item));
}

static const struct configfs_item_operations box_operations = { .release = box_release };
static const struct config_item_type box_type = {
	.ct_item_ops = &box_operations, .ct_attrs = box_attrs, .ct_bin_attrs = box_bin_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_item *make_box(struct config_group *group, const char *name)
{
	struct box *box;

	if (!strcmp(name, "bad"))
		return ERR_PTR(-EINVAL);
	if (!strcmp(name, "none"))
		return NULL;
	box = kzalloc(sizeof(*box), GFP_KERNEL);
	if (!box)
		return ERR_PTR(-ENOMEM);
	config_item_init_type_name(&box->item, name, &box_type);
	nr_boxes++;
	return &box->item;
}

static ssize_t boxes_count_show(struct config_item *item, char *page)
{
	return sprintf(page, "%d %s\n", nr_boxes, config_item_name(item));
}

CONFIGFS_ATTR_RO(boxes_, count);
static struct configfs_attribute *boxes_attrs[] = { &boxes_attr_count, NULL };
static const struct configfs_group_operations boxes_operations = { .make_item = make_box };
static const struct config_item_type boxes_type = {
	.ct_group_ops = &boxes_operations, .ct_attrs = boxes_attrs, .ct_owner = THIS_MODULE,
};
static struct configfs_subsystem boxes = {
	.su_group = { .cg_item = { .ci_namebuf = "boxes", .ci_type = &boxes_type } },
};
static struct config_group *fixed;

static int __init configs_init(void)
{
	int error;

	config_group_init(&boxes.su_group);
	mutex_init(&boxes.su_mutex);
	error = configfs_register_subsystem(&boxes);
	if (error)
		return error;
	pr_info("taken %d\n", configfs_register_subsystem(&(struct configfs_subsystem){
		.su_group = { .cg_item = { .ci_namebuf = "boxes", .ci_type = &boxes_type } } }));
	fixed = configfs_register_default_group(&boxes.su_group, "fixed", &boxes_type);
	return PTR_ERR_OR_ZERO(fixed);
}

static void __exit configs_exit(void)
{
	configfs_unregister_default_group(fixed);
	configfs_unregister_subsystem(&boxes);
	pr_info("boxes left %d\n", nr_boxes);
}

module_init(configs_init);
module_exit(configs_exit);
MODULE_LICENSE("GPL");
