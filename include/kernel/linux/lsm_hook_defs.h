/* SPDX-License-Identifier: MIT */
/*
 * The hooks, one a line: LSM_HOOK(type of its result, result without a module, name, arguments...).
 * Whoever includes this defines LSM_HOOK first. lsm_hooks.h says which of them are called.
 */
#ifdef LSM_HOOK
LSM_HOOK(int, 0, ptrace_access_check, struct task_struct *child, unsigned int mode)
LSM_HOOK(int, 0, ptrace_traceme, struct task_struct *parent)
LSM_HOOK(int, 0, capget, const struct task_struct *target, kernel_cap_t *effective,
	 kernel_cap_t *inheritable, kernel_cap_t *permitted)
LSM_HOOK(int, 0, capset, struct cred *new, const struct cred *old, const kernel_cap_t *effective,
	 const kernel_cap_t *inheritable, const kernel_cap_t *permitted)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 1, 0)
LSM_HOOK(int, 0, capable, const struct cred *cred, struct user_namespace *ns, int cap,
	 unsigned int opts)
#else
LSM_HOOK(int, 0, capable, const struct cred *cred, struct user_namespace *ns, int cap, int audit)
#endif
LSM_HOOK(int, 0, quotactl, int cmds, int type, int id, const struct super_block *sb)
LSM_HOOK(int, 0, quota_on, struct dentry *dentry)
LSM_HOOK(int, 0, syslog, int type)
LSM_HOOK(int, 0, settime, const struct timespec64 *ts, const struct timezone *tz)
LSM_HOOK(int, 1, vm_enough_memory, struct mm_struct *mm, long pages)
LSM_HOOK(int, 0, bprm_creds_for_exec, struct linux_binprm *bprm)
LSM_HOOK(int, 0, bprm_creds_from_file, struct linux_binprm *bprm, const struct file *file)
LSM_HOOK(int, 0, bprm_check_security, struct linux_binprm *bprm)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, bprm_committing_creds, const struct linux_binprm *bprm)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, bprm_committed_creds, const struct linux_binprm *bprm)
LSM_HOOK(int, 0, sb_alloc_security, struct super_block *sb)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, sb_delete, struct super_block *sb)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, sb_free_security, struct super_block *sb)
LSM_HOOK(int, 0, sb_remount, struct super_block *sb, void *mnt_opts)
LSM_HOOK(int, 0, sb_kern_mount, const struct super_block *sb)
LSM_HOOK(int, 0, sb_show_options, struct seq_file *m, struct super_block *sb)
LSM_HOOK(int, 0, sb_statfs, struct dentry *dentry)
LSM_HOOK(int, 0, sb_mount, const char *dev_name, const struct path *path, const char *type,
	 unsigned long flags, void *data)
LSM_HOOK(int, 0, sb_umount, struct vfsmount *mnt, int flags)
LSM_HOOK(int, 0, sb_pivotroot, const struct path *old_path, const struct path *new_path)
LSM_HOOK(int, 0, move_mount, const struct path *from_path, const struct path *to_path)
LSM_HOOK(int, 0, path_unlink, const struct path *dir, struct dentry *dentry)
LSM_HOOK(int, 0, path_mkdir, const struct path *dir, struct dentry *dentry, umode_t mode)
LSM_HOOK(int, 0, path_rmdir, const struct path *dir, struct dentry *dentry)
LSM_HOOK(int, 0, path_mknod, const struct path *dir, struct dentry *dentry, umode_t mode,
	 unsigned int dev)
LSM_HOOK(int, 0, path_truncate, const struct path *path)
LSM_HOOK(int, 0, path_symlink, const struct path *dir, struct dentry *dentry,
	 const char *old_name)
LSM_HOOK(int, 0, path_link, struct dentry *old_dentry, const struct path *new_dir,
	 struct dentry *new_dentry)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
LSM_HOOK(int, 0, path_rename, const struct path *old_dir, struct dentry *old_dentry,
	 const struct path *new_dir, struct dentry *new_dentry, unsigned int flags)
#else
LSM_HOOK(int, 0, path_rename, const struct path *old_dir, struct dentry *old_dentry,
	 const struct path *new_dir, struct dentry *new_dentry)
#endif
LSM_HOOK(int, 0, path_chmod, const struct path *path, umode_t mode)
LSM_HOOK(int, 0, path_chown, const struct path *path, kuid_t uid, kgid_t gid)
LSM_HOOK(int, 0, path_chroot, const struct path *path)
LSM_HOOK(int, 0, inode_alloc_security, struct inode *inode)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, inode_free_security, struct inode *inode)
LSM_HOOK(int, 0, inode_create, struct inode *dir, struct dentry *dentry, umode_t mode)
LSM_HOOK(int, 0, inode_link, struct dentry *old_dentry, struct inode *dir,
	 struct dentry *new_dentry)
LSM_HOOK(int, 0, inode_unlink, struct inode *dir, struct dentry *dentry)
LSM_HOOK(int, 0, inode_symlink, struct inode *dir, struct dentry *dentry, const char *old_name)
LSM_HOOK(int, 0, inode_mkdir, struct inode *dir, struct dentry *dentry, umode_t mode)
LSM_HOOK(int, 0, inode_rmdir, struct inode *dir, struct dentry *dentry)
LSM_HOOK(int, 0, inode_mknod, struct inode *dir, struct dentry *dentry, umode_t mode, dev_t dev)
LSM_HOOK(int, 0, inode_rename, struct inode *old_dir, struct dentry *old_dentry,
	 struct inode *new_dir, struct dentry *new_dentry)
LSM_HOOK(int, 0, inode_readlink, struct dentry *dentry)
LSM_HOOK(int, 0, inode_follow_link, struct dentry *dentry, struct inode *inode, bool rcu)
LSM_HOOK(int, 0, inode_permission, struct inode *inode, int mask)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
LSM_HOOK(int, 0, inode_setattr, struct mnt_idmap *idmap, struct dentry *dentry,
	 struct iattr *attr)
#else
LSM_HOOK(int, 0, inode_setattr, struct dentry *dentry, struct iattr *attr)
#endif
LSM_HOOK(int, 0, inode_getattr, const struct path *path)
LSM_HOOK(int, 0, inode_getxattr, struct dentry *dentry, const char *name)
LSM_HOOK(int, 0, inode_listxattr, struct dentry *dentry)
LSM_HOOK(int, 0, inode_need_killpriv, struct dentry *dentry)
LSM_HOOK(int, 0, file_permission, struct file *file, int mask)
LSM_HOOK(int, 0, file_alloc_security, struct file *file)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, file_release, struct file *file)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, file_free_security, struct file *file)
LSM_HOOK(int, 0, file_ioctl, struct file *file, unsigned int cmd, unsigned long arg)
LSM_HOOK(int, 0, mmap_addr, unsigned long addr)
LSM_HOOK(int, 0, mmap_file, struct file *file, unsigned long reqprot, unsigned long prot,
	 unsigned long flags)
LSM_HOOK(int, 0, file_mprotect, struct vm_area_struct *vma, unsigned long reqprot,
	 unsigned long prot)
LSM_HOOK(int, 0, file_lock, struct file *file, unsigned int cmd)
LSM_HOOK(int, 0, file_fcntl, struct file *file, unsigned int cmd, unsigned long arg)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, file_set_fowner, struct file *file)
LSM_HOOK(int, 0, file_send_sigiotask, struct task_struct *tsk, struct fown_struct *fown, int sig)
LSM_HOOK(int, 0, file_receive, struct file *file)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 19, 0)
LSM_HOOK(int, 0, file_open, struct file *file)
#else
LSM_HOOK(int, 0, file_open, struct file *file, const struct cred *cred)
#endif
LSM_HOOK(int, 0, file_post_open, struct file *file, int mask)
LSM_HOOK(int, 0, file_truncate, struct file *file)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
LSM_HOOK(int, 0, task_alloc, struct task_struct *task, u64 clone_flags)
#else
LSM_HOOK(int, 0, task_alloc, struct task_struct *task, unsigned long clone_flags)
#endif
LSM_HOOK(void, USERMM_LSM_NO_RESULT, task_free, struct task_struct *task)
LSM_HOOK(int, 0, cred_alloc_blank, struct cred *cred, gfp_t gfp)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, cred_free, struct cred *cred)
LSM_HOOK(int, 0, cred_prepare, struct cred *new, const struct cred *old, gfp_t gfp)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, cred_transfer, struct cred *new, const struct cred *old)
LSM_HOOK(int, 0, kernel_act_as, struct cred *new, u32 secid)
LSM_HOOK(int, 0, kernel_create_files_as, struct cred *new, struct inode *inode)
LSM_HOOK(int, 0, kernel_module_request, char *kmod_name)
LSM_HOOK(int, 0, task_fix_setuid, struct cred *new, const struct cred *old, int flags)
LSM_HOOK(int, 0, task_fix_setgid, struct cred *new, const struct cred *old, int flags)
LSM_HOOK(int, 0, task_setpgid, struct task_struct *p, pid_t pgid)
LSM_HOOK(int, 0, task_getpgid, struct task_struct *p)
LSM_HOOK(int, 0, task_getsid, struct task_struct *p)
LSM_HOOK(int, 0, task_setnice, struct task_struct *p, int nice)
LSM_HOOK(int, 0, task_setioprio, struct task_struct *p, int ioprio)
LSM_HOOK(int, 0, task_getioprio, struct task_struct *p)
LSM_HOOK(int, 0, task_setrlimit, struct task_struct *p, unsigned int resource,
	 struct rlimit *new_rlim)
LSM_HOOK(int, 0, task_setscheduler, struct task_struct *p)
LSM_HOOK(int, 0, task_getscheduler, struct task_struct *p)
LSM_HOOK(int, 0, task_movememory, struct task_struct *p)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 20, 0)
LSM_HOOK(int, 0, task_kill, struct task_struct *p, struct kernel_siginfo *info, int sig,
	 const struct cred *cred)
#else
LSM_HOOK(int, 0, task_kill, struct task_struct *p, struct siginfo *info, int sig, u32 secid)
#endif
LSM_HOOK(int, -ENOSYS, task_prctl, int option, unsigned long arg2, unsigned long arg3,
	 unsigned long arg4, unsigned long arg5)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, task_to_inode, struct task_struct *p, struct inode *inode)
LSM_HOOK(int, 0, userns_create, const struct cred *cred)
LSM_HOOK(int, 0, ipc_permission, struct kern_ipc_perm *ipcp, short flag)
LSM_HOOK(int, 0, netlink_send, struct sock *sk, struct sk_buff *skb)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, d_instantiate, struct dentry *dentry, struct inode *inode)
LSM_HOOK(int, 0, unix_stream_connect, struct sock *sock, struct sock *other, struct sock *newsk)
LSM_HOOK(int, 0, unix_may_send, struct socket *sock, struct socket *other)
LSM_HOOK(int, 0, socket_create, int family, int type, int protocol, int kern)
LSM_HOOK(int, 0, socket_post_create, struct socket *sock, int family, int type, int protocol,
	 int kern)
LSM_HOOK(int, 0, socket_bind, struct socket *sock, struct sockaddr *address, int addrlen)
LSM_HOOK(int, 0, socket_connect, struct socket *sock, struct sockaddr *address, int addrlen)
LSM_HOOK(int, 0, socket_listen, struct socket *sock, int backlog)
LSM_HOOK(int, 0, socket_accept, struct socket *sock, struct socket *newsock)
LSM_HOOK(int, 0, socket_sendmsg, struct socket *sock, struct msghdr *msg, int size)
LSM_HOOK(int, 0, socket_recvmsg, struct socket *sock, struct msghdr *msg, int size, int flags)
LSM_HOOK(int, 0, socket_getsockname, struct socket *sock)
LSM_HOOK(int, 0, socket_getpeername, struct socket *sock)
LSM_HOOK(int, 0, socket_getsockopt, struct socket *sock, int level, int optname)
LSM_HOOK(int, 0, socket_setsockopt, struct socket *sock, int level, int optname)
LSM_HOOK(int, 0, socket_shutdown, struct socket *sock, int how)
LSM_HOOK(int, 0, socket_sock_rcv_skb, struct sock *sk, struct sk_buff *skb)
LSM_HOOK(int, 0, sk_alloc_security, struct sock *sk, int family, gfp_t priority)
LSM_HOOK(void, USERMM_LSM_NO_RESULT, sk_free_security, struct sock *sk)
#endif
