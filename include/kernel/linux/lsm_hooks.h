/* SPDX-License-Identifier: MIT */
/*
 * Security modules. A module's init runs with the other initcalls, and registers hooks. These are
 * called, in the order of registration, until one refuses:
 *
 *   for the module's files: file_alloc_security inode_permission file_open file_post_open
 *     file_permission file_ioctl file_fcntl mmap_file file_release file_free_security
 *     inode_getattr, and inode_mknod inode_mkdir inode_rmdir with their path_ forms
 *   for tasks: capable, cred_prepare, cred_free, and task_alloc and task_free of a module's threads
 *
 * The others can be registered; nothing that they are for happens. Objects have no room for a
 * security module's data (f_security and the like).
 */
#ifndef __LINUX_LSM_HOOKS_H
#define __LINUX_LSM_HOOKS_H

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct fown_struct;
struct iattr;
struct kern_ipc_perm;
struct kernel_siginfo;
struct linux_binprm;
struct mnt_idmap;
struct msghdr;
struct rlimit;
struct seq_file;
struct siginfo;
struct sk_buff;
struct sock;
struct sockaddr;
struct socket;
struct super_block;
struct timezone;
struct user_namespace;
struct vfsmount;
struct vm_area_struct;

#define USERMM_LSM_NO_RESULT

union security_list_options {
#define LSM_HOOK(type, result, name, ...) type (*name)(__VA_ARGS__);
#include <linux/lsm_hook_defs.h>
#undef LSM_HOOK
	void *lsm_func_addr;
};

enum usermm_lsm_hook {
#define LSM_HOOK(type, result, name, ...) USERMM_LSM_##name,
#include <linux/lsm_hook_defs.h>
#undef LSM_HOOK
	USERMM_NR_LSM_HOOKS
};

struct lsm_id {
	const char *name;
	u64 id;
};

struct security_hook_list {
	struct security_hook_list *usermm_next;	/* Sync: kernel/module/security.c */
	enum usermm_lsm_hook usermm_hook;
	union security_list_options hook;
	const struct lsm_id *lsmid;
};

#define LSM_HOOK_INIT(name, function) \
	{ .usermm_hook = USERMM_LSM_##name, .hook = { .name = (function) } }

struct lsm_blob_sizes {
	unsigned int lbs_cred, lbs_file, lbs_inode, lbs_superblock, lbs_ipc, lbs_msg_msg,
		     lbs_task, lbs_sock, lbs_key, lbs_xattr_count;
};

enum lsm_order { LSM_ORDER_FIRST = -1, LSM_ORDER_MUTABLE, LSM_ORDER_LAST };

struct lsm_info {
	const char *name;
	const struct lsm_id *id;
	enum lsm_order order;
	unsigned long flags;
	int *enabled;
	int (*init)(void);
	struct lsm_blob_sizes *blobs;
};

#define LSM_FLAG_LEGACY_MAJOR BIT(0)
#define LSM_FLAG_EXCLUSIVE BIT(1)
#define LSM_ID_UNDEF 0

/* Registers what follows it as a structure: DEFINE_LSM(name) = { .init = ... }; */
#define DEFINE_LSM(lsm)								\
	static struct lsm_info __lsm_##lsm;					\
	static int usermm_lsm_init_##lsm(void)					\
	{									\
		return __lsm_##lsm.init ? __lsm_##lsm.init() : 0;		\
	}									\
	module_init(usermm_lsm_init_##lsm)					\
	static struct lsm_info __lsm_##lsm
#define DEFINE_EARLY_LSM(lsm) DEFINE_LSM(lsm)
#define security_initcall(function) module_init(function)
#define __lsm_ro_after_init
#define __lsm_early_init

USERMM_BEGIN_DECLS

/* The hooks are registered until the run ends, as in Linux. */
void usermm_security_add_hooks(struct security_hook_list *hooks, int count, const char *lsm)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
static inline void security_add_hooks(struct security_hook_list *hooks, int count,
				      const struct lsm_id *lsmid)
{
	for (int i = 0; i < count; i++)
		hooks[i].lsmid = lsmid;
	usermm_security_add_hooks(hooks, count, lsmid->name);
}
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
static inline void security_add_hooks(struct security_hook_list *hooks, int count,
				      const char *lsm)
{
	usermm_security_add_hooks(hooks, count, lsm);
}
#else
static inline void security_add_hooks(struct security_hook_list *hooks, int count)
{
	usermm_security_add_hooks(hooks, count, KBUILD_MODNAME);
}
#endif

#endif
