/* SPDX-License-Identifier: MIT */
/*
 * Modules: entry, parameters, name. Like the kernel's header it includes many others, since sources
 * rely on that.
 */
#ifndef _LINUX_MODULE_H
#define _LINUX_MODULE_H

#include <asm/ptrace.h>
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/cache.h>
#include <linux/compat.h>
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/error-injection.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/kallsyms.h>
#include <linux/kmod.h>
#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/migrate_mode.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu-rwsem.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/rt.h>
#include <linux/sched/task_stack.h>
#include <linux/semaphore.h>
#include <linux/seqlock.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/timer.h>
#include <linux/timex.h>
#include <linux/topology.h>
#include <linux/types.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <usermm/compiler.h>

#ifndef MODULE
#define MODULE 1
#endif

#define MODULE_NAME_LEN 56

enum module_state {
	MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING, MODULE_STATE_UNFORMED,
};

struct module_kobject {
	struct kobject kobj;
	struct module *mod;
};

struct module_attribute {
	struct attribute attr;
	ssize_t (*show)(struct module_attribute *attr, struct module_kobject *mk, char *buffer);
	ssize_t (*store)(struct module_attribute *attr, struct module_kobject *mk,
			 const char *buffer, size_t n);
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
enum mod_mem_type {
	MOD_TEXT, MOD_DATA, MOD_RODATA, MOD_RO_AFTER_INIT, MOD_INIT_TEXT, MOD_INIT_DATA,
	MOD_INIT_RODATA, MOD_MEM_NUM_TYPES, MOD_INVALID = -1,
};

/* Empty: a module's parts lie in the program, between those of others. */
struct module_memory {
	void *base;
	unsigned int size;
};
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(4, 5, 0)
struct module_layout {
	void *base;
	unsigned int size, text_size, ro_size, ro_after_init_size;
};
#endif

struct module {
	char name[MODULE_NAME_LEN];
	enum module_state state;
	struct list_head list;		/* this module and usermm_neighbour */
	struct module_kobject mkobj;
	const char *version, *srcversion;
	int (*init)(void);
	void (*exit)(void);
	unsigned long taints;
	atomic_t refcnt;		/* of the source that stands for the module */
	/* Sync: written before any code of a module runs */
	struct module *usermm_whole;	/* the source that stands for the module; NULL: this one */
	struct module *usermm_next;
	union {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
		struct module_memory mem[MOD_MEM_NUM_TYPES];
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(4, 5, 0)
		struct { struct module_layout core_layout, init_layout; };
#else
		struct {
			void *module_init, *module_core;
			unsigned int init_size, core_size, init_text_size, core_text_size;
		};
#endif
		unsigned long usermm_parts[14];	/* one size, whatever the version */
	};
};

/*
 * The list has a second entry. So a module that takes itself off the list can go back behind a
 * neighbour.
 */
static struct module __this_module __maybe_unused;
static struct module usermm_neighbour __maybe_unused = {
	.list = { &__this_module.list, &__this_module.list },
};
static struct module __this_module __maybe_unused = {
	.name = KBUILD_MODNAME, .list = { &usermm_neighbour.list, &usermm_neighbour.list },
	.state = MODULE_STATE_UNFORMED,
	.mkobj = {
		.kobj = { .name = KBUILD_MODNAME, .kref = KREF_INIT(1), .state_initialized = true },
		.mod = &__this_module,
	},
};

USERMM_BEGIN_DECLS

/* Each source of a module has a struct module. One of them stands for the module. */
void usermm_module_source(struct module *module) USERMM_API(usermm_module_source);
/* False once the module's exit has begun, and for no other reason. NULL is the kernel: true. */
bool try_module_get(struct module *module) USERMM_API(try_module_get);
void __module_get(struct module *module) USERMM_API(__module_get);
void module_put(struct module *module) USERMM_API(module_put);
/* How many users there are, and one more while init runs. */
int module_refcount(struct module *module) USERMM_API(module_refcount);
/* A module of this run, or NULL. */
struct module *find_module(const char *name) USERMM_API(find_module);
/*
 * The block hears of MODULE_STATE_COMING before a module's init, _LIVE after it, and _GOING after
 * its exit, or if init has failed.
 */
int register_module_notifier(struct notifier_block *block) USERMM_API(register_module_notifier);
int unregister_module_notifier(struct notifier_block *block)
	USERMM_API(unregister_module_notifier);

USERMM_END_DECLS

#ifndef USERMM_KERNEL_LAYER
__attribute__((constructor)) static void usermm_module_has_version(void)
{
	usermm_module_version(LINUX_VERSION_CODE);
	usermm_module_source(&__this_module);
}
#endif

#undef THIS_MODULE
#define THIS_MODULE (&__this_module)

#include <linux/export.h>

/* Information about a module; no effect but that of MODULE_VERSION. */
#define MODULE_INFO(tag, text) struct usermm_needs_a_semicolon
#define MODULE_LICENSE(text) MODULE_INFO(license, text)
#define MODULE_AUTHOR(text) MODULE_INFO(author, text)
#define MODULE_DESCRIPTION(text) MODULE_INFO(description, text)
#define USERMM_MODULE_VERSION_(text, id)						\
	__attribute__((constructor)) static void usermm_module_version_##id(void)	\
	{									\
		__this_module.version = text;					\
	}									\
	struct usermm_needs_a_semicolon
#define USERMM_MODULE_VERSION(text, id) USERMM_MODULE_VERSION_(text, id)
#define MODULE_VERSION(text) USERMM_MODULE_VERSION(text, __COUNTER__)
#define MODULE_ALIAS(text) MODULE_INFO(alias, text)
#define MODULE_SOFTDEP(text) MODULE_INFO(softdep, text)
#define MODULE_FIRMWARE(text) MODULE_INFO(firmware, text)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
#define MODULE_SUPPORTED_DEVICE(text) MODULE_INFO(device, text)
#else
USERMM_REMOVED(MODULE_SUPPORTED_DEVICE, "5.12", "nothing")
#endif
#define MODULE_DEVICE_TABLE(type, name) MODULE_INFO(type, name)
#define MODULE_IMPORT_NS(namespace) MODULE_INFO(import_ns, namespace)
#define MODULE_PARM_DESC(name, text) MODULE_INFO(parm, text)

#define MODULE_ALIAS_FS(name) MODULE_INFO(alias, name)
#define MODULE_ALIAS_NETPROTO(name) MODULE_INFO(alias, name)
#define MODULE_ALIAS_CHARDEV(major, minor) MODULE_INFO(alias, major)
#define MODULE_ALIAS_CHARDEV_MAJOR(major) MODULE_INFO(alias, major)
#define MODULE_ALIAS_BLOCKDEV_MAJOR(major) MODULE_INFO(alias, major)
#define MODULE_ALIAS_LDISC(number) MODULE_INFO(alias, number)
#define MODULE_ALIAS_CRYPTO(name) MODULE_INFO(alias, name)

#define module_name(mod)							\
	({									\
		const struct module *module_ = (mod);				\
										\
		module_ ? module_->name : "kernel";				\
	})
#define module_is_live(module) ((module)->state != MODULE_STATE_GOING)
/* All code of a run is the module's. */
#define within_module(address, module) ((void)(address), (void)(module), true)
#define __module_address(address) ((void)(address), (struct module *)NULL)
#define symbol_get(symbol) (&(symbol))
#define symbol_put(symbol) do { } while (0)
#define __symbol_get(name) ((void *)kallsyms_lookup_name(name))
#define __symbol_put(name) ((void)(name))

#endif
