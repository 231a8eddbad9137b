// SPDX-License-Identifier: MIT
/* Whose rights a task has: see linux/cred.h. cf. Linux kernel/cred.c. */
#include <linux/bug.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "context.h"
#include "module/security.h"

static struct user_struct root_user;
static struct group_info no_groups = { .usage = REFCOUNT_INIT(1) };
struct user_namespace init_user_ns;

struct cred init_cred = {
	.usage = REFCOUNT_INIT(4), .user = &root_user, .user_ns = &init_user_ns,
	.group_info = &no_groups, .cap_permitted = CAP_FULL_SET, .cap_effective = CAP_FULL_SET,
	.cap_bset = CAP_FULL_SET,
};

const struct cred *usermm_task_cred(const struct task_struct *task)
{
	return READ_ONCE(task->real_cred);
}

void usermm_put_cred(const struct cred *cred)
{
	if (!cred || cred == &init_cred || !refcount_dec_and_test(&((struct cred *)cred)->usage))
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
	if (WARN_ON_ONCE(!task))
		return NULL;
	return copy(usermm_task_cred(task));
}

int commit_creds(struct cred *cred)
{
	const struct cred *old = current->real_cred;

	BUG_ON(current->cred != old);
	BUG_ON(!refcount_read(&cred->usage));
	get_cred(cred);		/* both pointers have a reference */
	WRITE_ONCE(current->real_cred, cred);
	WRITE_ONCE(current->cred, cred);
	put_cred(old);
	put_cred(old);
	return 0;
}

void abort_creds(struct cred *cred)
{
	put_cred(cred);
}

void usermm_drop_creds(struct task_struct *task)
{
	put_cred(xchg(&task->cred, &init_cred));
	put_cred(xchg(&task->real_cred, &init_cred));
}

bool has_capability(struct task_struct *task, int capability)
{
	return cap_raised(usermm_task_cred(task)->cap_effective, capability);
}

bool capable(int capability)
{
	return cap_raised(current_cred()->cap_effective, capability) &&
	       !security_capable(current_cred(), &init_user_ns, capability);
}

bool ns_capable(struct user_namespace *ns, int capability)
{
	(void)ns;
	return capable(capability);
}
