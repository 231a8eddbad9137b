/* SPDX-License-Identifier: MIT */
/*
 * What security modules say: linux/lsm_hooks.h. Each call asks the hooks of its name, and returns
 * what the first of them refuses with; 0 if none does.
 */
#ifndef KERNEL_MODULE_SECURITY_H
#define KERNEL_MODULE_SECURITY_H

#include <linux/lsm_hooks.h>

int security_file_alloc(struct file *file);
void security_file_free(struct file *file);
void security_file_release(struct file *file);
int security_file_open(struct file *file);
int security_file_post_open(struct file *file, int mask);
int security_file_permission(struct file *file, int mask);
int security_file_ioctl(struct file *file, unsigned int command, unsigned long argument);
int security_file_fcntl(struct file *file, unsigned int command, unsigned long argument);
int security_mmap_file(struct file *file, unsigned long wanted, unsigned long protection,
		       unsigned long flags);
int security_inode_permission(struct inode *inode, int mask);
int security_inode_getattr(const struct path *path);
/* A folder or a node that is about to be made, and a folder that is about to go. */
int security_mkdir(struct dentry *folder, const char *name, umode_t mode);
int security_mknod(struct dentry *folder, const char *name, umode_t mode, dev_t number);
int security_rmdir(struct dentry *dentry);
int security_capable(const struct cred *cred, struct user_namespace *ns, int capability);
int security_task_alloc(struct task_struct *task, unsigned long flags);
void security_task_free(struct task_struct *task);
int security_prepare_creds(struct cred *new, const struct cred *old, gfp_t gfp);
void security_cred_free(struct cred *cred);

#endif
