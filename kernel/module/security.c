// SPDX-License-Identifier: MIT
/* Hooks of security modules, and the calls that ask them. cf. Linux security/security.c. */
#include <linux/kernel.h>
#include <linux/kdev_t.h>
#include <linux/lsm_hooks.h>

#include "base/linux_version.h"
#include "security.h"

/*
 * Sync: registration is one store with release, so a reader sees an entry that is complete. Nothing
 * is ever taken off.
 */
static struct security_hook_list *heads[USERMM_NR_LSM_HOOKS];
static DEFINE_MUTEX(lock);

static void append(struct security_hook_list *hook)
{
	struct security_hook_list **link = &heads[hook->usermm_hook];

	while (*link)
		link = &(*link)->usermm_next;
	/* release: for the acquire in first() and next() */
	smp_store_release(link, hook);
}

void usermm_security_add_hooks(struct security_hook_list *hooks, int count, const char *lsm)
{
	(void)lsm;
	mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		append(&hooks[i]);
	mutex_unlock(&lock);
}

static struct security_hook_list *first(enum usermm_lsm_hook hook)
{
	/* acquire: of the release in append() */
	return smp_load_acquire(&heads[hook]);
}

static struct security_hook_list *next(struct security_hook_list *entry)
{
	return smp_load_acquire(&entry->usermm_next);
}

#define FOR_EACH_HOOK(entry, name)						\
	for (struct security_hook_list *entry = first(USERMM_LSM_##name); entry;	\
	     entry = next(entry))

#define ASK(name, ...)								\
	({									\
		int result_ = 0;						\
										\
		FOR_EACH_HOOK(entry_, name) {					\
			result_ = entry_->hook.name(__VA_ARGS__);		\
			if (result_)						\
				break;						\
		}								\
		result_;							\
	})

#define TELL(name, ...)								\
	do {									\
		FOR_EACH_HOOK(entry_, name)					\
			entry_->hook.name(__VA_ARGS__);				\
	} while (0)

int security_file_alloc(struct file *file)
{
	return ASK(file_alloc_security, file);
}

void security_file_free(struct file *file)
{
	TELL(file_free_security, file);
}

void security_file_release(struct file *file)
{
	TELL(file_release, file);
}

typedef int (*old_file_open)(struct file *file, const struct cred *cred);

int security_file_open(struct file *file)
{
	if (linux_since(4, 19))
		return ASK(file_open, file);
	FOR_EACH_HOOK(entry, file_open) {
		int result = ((old_file_open)(void *)entry->hook.file_open)(file, file->f_cred);

		if (result)
			return result;
	}
	return 0;
}

int security_file_post_open(struct file *file, int mask)
{
	return ASK(file_post_open, file, mask);
}

int security_file_permission(struct file *file, int mask)
{
	return ASK(file_permission, file, mask);
}

int security_file_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	return ASK(file_ioctl, file, command, argument);
}

int security_file_fcntl(struct file *file, unsigned int command, unsigned long argument)
{
	return ASK(file_fcntl, file, command, argument);
}

int security_mmap_file(struct file *file, unsigned long wanted, unsigned long protection,
		       unsigned long flags)
{
	return ASK(mmap_file, file, wanted, protection, flags);
}

int security_inode_permission(struct inode *inode, int mask)
{
	return ASK(inode_permission, inode, mask);
}

int security_inode_getattr(const struct path *path)
{
	return ASK(inode_getattr, path);
}

/* A device's number as programs see it. */
static unsigned int number_outside(dev_t number)
{
	unsigned int minor = MINOR(number);

	return (minor & 0xff) | MAJOR(number) << 8 | (minor & ~0xffU) << 12;
}

/* The new name has no inode yet. */
static struct dentry new_name(struct dentry *folder, const char *name)
{
	return (struct dentry){
		.d_name = { .name = (const unsigned char *)name, .len = (u32)strlen(name) },
		.d_parent = folder,
	};
}

int security_mkdir(struct dentry *folder, const char *name, umode_t mode)
{
	struct dentry dentry = new_name(folder, name);
	const struct path path = { .dentry = folder };

	return ASK(path_mkdir, &path, &dentry, mode) ?:
	       ASK(inode_mkdir, d_inode(folder), &dentry, mode);
}

int security_mknod(struct dentry *folder, const char *name, umode_t mode, dev_t number)
{
	struct dentry dentry = new_name(folder, name);
	const struct path path = { .dentry = folder };

	return ASK(path_mknod, &path, &dentry, mode, number_outside(number)) ?:
	       ASK(inode_mknod, d_inode(folder), &dentry, mode, number);
}

int security_rmdir(struct dentry *dentry)
{
	const struct path path = { .dentry = dentry->d_parent };

	return ASK(path_rmdir, &path, dentry) ?:
	       ASK(inode_rmdir, d_inode(dentry->d_parent), dentry);
}

/* Before 5.1 the last argument said that the question is to be written down. */
int security_capable(const struct cred *cred, struct user_namespace *ns, int capability)
{
	return ASK(capable, cred, ns, capability, linux_since(5, 1) ? 0 : 1);
}

int security_task_alloc(struct task_struct *task, unsigned long flags)
{
	return ASK(task_alloc, task, flags);
}

void security_task_free(struct task_struct *task)
{
	TELL(task_free, task);
}

int security_prepare_creds(struct cred *new, const struct cred *old, gfp_t gfp)
{
	return ASK(cred_prepare, new, old, gfp);
}

void security_cred_free(struct cred *cred)
{
	TELL(cred_free, cred);
}
