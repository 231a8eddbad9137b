/* SPDX-License-Identifier: MIT */
/*
 * Whose rights a task has. A module's own threads, and its init and exit, have root's, as in Linux.
 * An operation on a file has those of the program that called it. commit_creds() changes the
 * structure alone: the rights of the process stay what they are.
 */
#ifndef _LINUX_CRED_H
#define _LINUX_CRED_H

#include <linux/capability.h>
#include <linux/key.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/user.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct user_struct {
	kuid_t uid;
};

struct group_info {
	refcount_t usage;
	int ngroups;
	kgid_t gid[];
};

struct cred {
	refcount_t usage;
	kuid_t uid, suid, euid, fsuid;
	kgid_t gid, sgid, egid, fsgid;
	unsigned int securebits;
	kernel_cap_t cap_inheritable, cap_permitted, cap_effective, cap_bset, cap_ambient;
	struct user_struct *user;
	struct user_namespace *user_ns;
	struct group_info *group_info;
};

/* Root's, which kernel threads have. Never freed, so its users are not counted. */
extern struct cred init_cred __asm__("usermm_init_cred")
	__attribute__((visibility("default")));

USERMM_BEGIN_DECLS

/* The task's real credentials; they stay until the task ends or gets others. */
const struct cred *usermm_task_cred(const struct task_struct *task)
	__attribute__((visibility("default")));
/* A copy that only the caller has; NULL without memory. */
struct cred *prepare_creds(void) USERMM_API(prepare_creds);
/* A copy of the task's; NULL without memory. Since Linux 6.2 a task must be given. */
struct cred *prepare_kernel_cred(struct task_struct *task) USERMM_API(prepare_kernel_cred);
/* Gives the current task, of which nothing is overridden, these; takes over a reference. 0. */
int commit_creds(struct cred *cred) USERMM_API(commit_creds);
void abort_creds(struct cred *cred) USERMM_API(abort_creds);
void usermm_put_cred(const struct cred *cred) __attribute__((visibility("default")));

USERMM_END_DECLS

#define put_cred(cred) usermm_put_cred(cred)

static inline const struct cred *get_cred(const struct cred *cred)
{
	if (cred && cred != &init_cred)
		refcount_inc(&((struct cred *)cred)->usage);
	return cred;
}

static inline const struct cred *get_task_cred(struct task_struct *task)
{
	return get_cred(usermm_task_cred(task));
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
static inline struct cred *usermm_kernel_cred(struct task_struct *task)
{
	return prepare_kernel_cred(task ? task : &init_task);
}
#define prepare_kernel_cred usermm_kernel_cred	/* NULL: root's */
#endif

/* What the current task does is done by these, until revert_creds() gets what this returns. */
static inline const struct cred *override_creds(const struct cred *cred)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	get_cred(cred);
#endif
	return xchg(&current->cred, cred);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
static inline void revert_creds(const struct cred *old)
{
	put_cred(xchg(&current->cred, old));
}
#else
/* The replaced ones. No reference was taken for them. */
static inline const struct cred *revert_creds(const struct cred *old)
{
	return xchg(&current->cred, old);
}
#endif

#define current_cred() ((const struct cred *)READ_ONCE(current->cred))
#define __task_cred(task) usermm_task_cred(task)
#define get_current_cred() get_cred(current_cred())
#define current_real_cred() usermm_task_cred(current)
#define current_cred_xxx(field) (current_cred()->field)
#define current_uid() (current_cred()->uid)
#define current_gid() (current_cred()->gid)
/* No task has groups besides its own. */
#define in_group_p(group) gid_eq(group, current_cred()->fsgid)
#define in_egroup_p(group) gid_eq(group, current_cred()->egid)
#define current_euid() (current_cred()->euid)
#define current_egid() (current_cred()->egid)
#define current_suid() (current_cred()->suid)
#define current_sgid() (current_cred()->sgid)
#define current_fsuid() (current_cred()->fsuid)
#define current_fsgid() (current_cred()->fsgid)
#define current_uid_gid(u, g) ((void)(*(u) = current_uid()), (void)(*(g) = current_gid()))
#define current_euid_egid(u, g) ((void)(*(u) = current_euid()), (void)(*(g) = current_egid()))
#define task_uid(task) (__task_cred(task)->uid)
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define task_euid(task) (__task_cred(task)->euid)
#else
USERMM_REMOVED(task_euid, "7.3", "task_cred_xxx()")
#endif
#define task_cred_xxx(task, field) (__task_cred(task)->field)
#define current_user_ns() (&init_user_ns)
#define current_user() (current_cred()->user)

#endif
