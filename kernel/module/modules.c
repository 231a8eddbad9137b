// SPDX-License-Identifier: MIT
/*
 * The modules of the run: their states, who uses them, and who is told of them. cf. Linux
 * kernel/module/main.c.
 *
 * Each source has a struct module (THIS_MODULE). Sources of one name are one module, and so are all
 * sources if only one of them has an init or an exit. The first source stands for the module.
 */
#include <stdio.h>

#include <linux/kernel.h>
#include <linux/module.h>

#include "files/files.h"
#include "module_run.h"

static struct module *sources;	/* Sync: constructors alone change it */
static BLOCKING_NOTIFIER_HEAD(listeners);

void usermm_module_source(struct module *module)
{
	struct module **link = &sources;

	for (; *link; link = &(*link)->usermm_next) {
		if (*link == module)
			return;
		if (!module->usermm_whole && !strcmp((*link)->name, module->name))
			module->usermm_whole = *link;
	}
	module->usermm_next = NULL;
	*link = module;
}

static struct module *whole(struct module *module)
{
	return module->usermm_whole ? module->usermm_whole : module;
}

void modules_join(const char *only)
{
	struct module *first = only ? find_module(only) : NULL;

	for (struct module *source = sources; source; source = source->usermm_next) {
		if (first)
			source->usermm_whole = source == first ? NULL : first;
		source->mkobj.kobj.name = whole(source)->name;
		source->mkobj.kobj.ktype = &module_kobject_type;
		source->taints = 1UL << TAINT_OOT_MODULE;
	}
}

struct module *module_next(const struct module *module)
{
	struct module *source = module ? module->usermm_next : sources;

	while (source && (source->usermm_whole || source->state != MODULE_STATE_LIVE))
		source = source->usermm_next;
	return source;
}

struct module *find_module(const char *name)
{
	for (struct module *source = sources; source; source = source->usermm_next)
		if (!source->usermm_whole && !strcmp(source->name, name))
			return source;
	return NULL;
}

/* Each source sees the state in its own structure. */
static void set_state(struct module *module, enum module_state state)
{
	for (struct module *source = sources; source; source = source->usermm_next) {
		if (whole(source) != module)
			continue;
		WRITE_ONCE(source->state, state);
		if (!module->version)
			module->version = source->version;
	}
}

void modules_state(const char *name, int state)
{
	struct module *module = find_module(name);

	if (!module)
		return;
	if (state == MODULE_STATE_COMING)
		__module_get(module);
	else if (module->state == MODULE_STATE_COMING)
		module_put(module);
	set_state(module, (enum module_state)state);
	blocking_notifier_call_chain(&listeners, (unsigned long)state, module);
}

void modules_leave(const char *name)
{
	struct module *module = find_module(name);

	if (!module)
		return;
	if (module_refcount(module))
		fprintf(stderr, "usermm module: leak: module %s is in use: %d references\n", name,
			module_refcount(module));
	set_state(module, MODULE_STATE_GOING);
}

bool try_module_get(struct module *module)
{
	if (!module)
		return true;
	module = whole(module);
	if (READ_ONCE(module->state) == MODULE_STATE_GOING)
		return false;
	atomic_inc(&module->refcnt);
	return true;
}

void __module_get(struct module *module)
{
	if (module)
		atomic_inc(&whole(module)->refcnt);
}

void module_put(struct module *module)
{
	if (module)
		WARN_ON(!atomic_add_unless(&whole(module)->refcnt, -1, 0));
}

int module_refcount(struct module *module)
{
	return atomic_read(&whole(module)->refcnt);
}

int register_module_notifier(struct notifier_block *block)
{
	return blocking_notifier_chain_register(&listeners, block);
}

int unregister_module_notifier(struct notifier_block *block)
{
	return blocking_notifier_chain_unregister(&listeners, block);
}
