// SPDX-License-Identifier: MIT
/*
 * The modules of the run as files: /proc/modules and /sys/module. cf. Linux kernel/module/procfs.c.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "module/module_run.h"
#include "files.h"

/* What a small module takes in Linux: a module's parts lie between those of the program. */
#define MODULE_BYTES (4 * PAGE_SIZE)

static const char *state_name(const struct module *module)
{
	return module->state == MODULE_STATE_COMING ? "coming" :
	       module->state == MODULE_STATE_GOING ? "going" : "live";
}

static const char *shown_state(const struct module *module)
{
	return module->state == MODULE_STATE_COMING ? "Loading" :
	       module->state == MODULE_STATE_GOING ? "Unloading" : "Live";
}

/* Without addresses, as for a reader who may not know them. */
static int show_modules(struct seq_file *seq, void *unused)
{
	(void)unused;
	for (struct module *module = NULL; (module = module_next(module));)
		seq_printf(seq, "%s %lu %d - %s 0x%016x (O)\n", module->name, MODULE_BYTES,
			   module_refcount(module), shown_state(module), 0);
	return 0;
}

static ssize_t show_attribute(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	struct module_attribute *attribute = container_of(attr, struct module_attribute, attr);
	struct module_kobject *mk = container_of(kobj, struct module_kobject, kobj);

	return attribute->show ? attribute->show(attribute, mk, buffer) : -EIO;
}

static ssize_t store_attribute(struct kobject *kobj, struct attribute *attr, const char *buffer,
			       size_t n)
{
	struct module_attribute *attribute = container_of(attr, struct module_attribute, attr);
	struct module_kobject *mk = container_of(kobj, struct module_kobject, kobj);

	return attribute->store ? attribute->store(attribute, mk, buffer, n) : -EIO;
}

static const struct sysfs_ops operations = { .show = show_attribute, .store = store_attribute };
const struct kobj_type module_kobject_type = { .sysfs_ops = &operations };

#define SHOW(file, format, value)						\
static ssize_t show_##file(struct module_attribute *attr, struct module_kobject *mk,	\
			   char *buffer)					\
{										\
	(void)attr, (void)mk;							\
	return sysfs_emit(buffer, format "\n", value);				\
}										\
static struct module_attribute file##_attribute = {				\
	.attr = { .name = #file, .mode = 0444 }, .show = show_##file,		\
}
SHOW(coresize, "%lu", MODULE_BYTES);
SHOW(initsize, "%d", 0);
SHOW(initstate, "%s", state_name(mk->mod));
SHOW(refcnt, "%d", module_refcount(mk->mod));
SHOW(taint, "%s", "O");
SHOW(version, "%s", mk->mod->version);

/* A file that goes with the process. */
static void add(struct module *module, struct module_attribute *attr)
{
	struct file_node *folder = sysfs_folder(&module->mkobj.kobj);

	if (folder && !sysfs_create_file(&module->mkobj.kobj, &attr->attr))
		node_keep(node_child(folder, attr->attr.name));
}

void modules_add_files(void)
{
	char path[sizeof(SYS_PATH "/module//holders") + MODULE_NAME_LEN];

	if (proc_create_single("modules", 0444, NULL, show_modules))
		node_keep(node_find(PROC_PATH "/modules"));
	for (struct module *module = NULL; (module = module_next(module));) {
		add(module, &coresize_attribute);
		add(module, &initsize_attribute);
		add(module, &initstate_attribute);
		add(module, &refcnt_attribute);
		add(module, &taint_attribute);
		if (module->version)
			add(module, &version_attribute);
		snprintf(path, sizeof(path), SYS_PATH "/module/%s/holders", module->name);
		node_base(path);
	}
	sysfs_add_parameters();
}
