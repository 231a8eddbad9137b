// SPDX-License-Identifier: MIT
/* Whose rights a task has: see linux/cred.h. cf. Linux kernel/cred.c. */
#include <sys/utsname.h>

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>

#include "module/security.h"

static struct user_struct root_user;
static struct group_info no_groups = { .usage = REFCOUNT_INIT(1) };
struct user_namespace init_user_ns;
rwlock_t dev_base_lock __asm__("usermm_dev_base_lock");
struct net init_net = {
	.list = LIST_HEAD_INIT(init_net.list), .ns = { .inum = 0xf0000079 },
	.user_ns = &init_user_ns,
};

/* Never freed: it has a reference of its own. */
static const struct cred root_cred = {
	.usage = REFCOUNT_INIT(2), .user = &root_user, .user_ns = &init_user_ns,
	.group_info = &no_groups, .cap_permitted = CAP_FULL_SET, .cap_effective = CAP_FULL_SET,
	.cap_bset = CAP_FULL_SET,
};

const struct cred *usermm_task_cred(const struct task_struct *task)
{
	const struct cred *cred = READ_ONCE(task->cred);

	return cred ? cred : &root_cred;
}

void usermm_put_cred(const struct cred *cred)
{
	if (!cred || cred == &root_cred || !refcount_dec_and_test(&((struct cred *)cred)->usage))
		return;
	security_cred_free((struct cred *)cred);
	kfree(cred);
}

static struct cred *copy(const struct cred *from)
{
	struct cred *cred = kmemdup(from, sizeof(*from), GFP_KERNEL);

	if (!cred)
		return NULL;
	refcount_set(&cred->usage, 1);
	if (security_prepare_creds(cred, from, GFP_KERNEL)) {
		put_cred(cred);
		return NULL;
	}
	return cred;
}

struct cred *prepare_creds(void)
{
	return copy(current_cred());
}

struct cred *prepare_kernel_cred(struct task_struct *task)
{
	return copy(task ? usermm_task_cred(task) : &root_cred);
}

int commit_creds(struct cred *cred)
{
	const struct cred *old = current->cred;

	WRITE_ONCE(current->cred, cred);
	WRITE_ONCE(current->real_cred, cred);
	put_cred(old);
	return 0;
}

void abort_creds(struct cred *cred)
{
	put_cred(cred);
}

const struct cred *override_creds(const struct cred *cred)
{
	const struct cred *old = current_cred();

	WRITE_ONCE(current->cred, cred);
	return old;
}

void usermm_revert_creds(const struct cred *old)
{
	WRITE_ONCE(current->cred, old == &root_cred ? NULL : old);
}

bool has_capability(struct task_struct *task, int capability)
{
	return cap_raised(usermm_task_cred(task)->cap_effective, capability);
}

bool capable(int capability)
{
	return has_capability(current, capability) &&
	       !security_capable(current_cred(), &init_user_ns, capability);
}

bool ns_capable(struct user_namespace *ns, int capability)
{
	(void)ns;
	return capable(capability);
}

struct uts_namespace *usermm_uts(const char *release)
{
	static struct uts_namespace uts;
	struct utsname name;

	if (!uts.name.sysname[0] && !uname(&name)) {
		strscpy(uts.name.nodename, name.nodename, sizeof(uts.name.nodename));
		strscpy(uts.name.version, name.version, sizeof(uts.name.version));
		strscpy(uts.name.machine, name.machine, sizeof(uts.name.machine));
		strscpy(uts.name.release, release, sizeof(uts.name.release));
		strscpy(uts.name.domainname, "(none)", sizeof(uts.name.domainname));
		strscpy(uts.name.sysname, "Linux", sizeof(uts.name.sysname));
	}
	return &uts;
}
