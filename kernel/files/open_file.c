// SPDX-License-Identifier: MIT
/* Operations on open files, with the checks that Linux's vfs makes. cf. Linux fs/read_write.c. */
#include <stdlib.h>
#include <sys/ioctl.h>

#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/uio.h>

#include "module/security.h"
#include "files.h"

#define FLAGS_TO_SET (O_APPEND | O_NONBLOCK | FASYNC)
#define MAX_BYTES (INT_MAX & PAGE_MASK)	/* of one read or write, as in Linux */

/* Files do not belong to the module: they come from libc. */
static struct file *new_file(const struct path *path, struct inode *inode, unsigned int flags)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->f_path = *path;
	file->f_inode = inode;
	file->f_mapping = inode->i_mapping;
	file->f_flags = flags & ~(unsigned int)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC);
	file->f_mode = (flags & O_ACCMODE) == O_WRONLY ? FMODE_WRITE :
		       (flags & O_ACCMODE) == O_RDONLY ? FMODE_READ : FMODE_READ | FMODE_WRITE;
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE;
	file->f_cred = get_current_cred();
	file->usermm_users = 1;
	file->usermm_fd = -1;
	mutex_init(&file->f_pos_lock);
	spin_lock_init(&file->f_lock);
	return file;
}

static void free_file(struct file *file)
{
	put_cred(file->f_cred);
	free(file);
}

/* What security modules are told of the file's use. */
static int mask_of(const struct file *file)
{
	return (file->f_mode & FMODE_READ ? MAY_READ : 0) |
	       (file->f_mode & FMODE_WRITE ? MAY_WRITE : 0) |
	       (file->f_flags & O_APPEND ? MAY_APPEND : 0);
}

/* CAP_DAC_OVERRIDE opens everything. Without it the bits for others count: a node is root's. */
static int check_rights(const struct file_node *node, fmode_t mode)
{
	unsigned int wanted = (mode & FMODE_READ ? 04 : 0) | (mode & FMODE_WRITE ? 02 : 0);

	if (capable(CAP_DAC_OVERRIDE) || (node->inode.i_mode & wanted) == wanted)
		return 0;
	return -EACCES;
}

static void set_abilities(struct file *file)
{
	if (file->f_op->read || file->f_op->read_iter)
		file->f_mode |= FMODE_CAN_READ;
	if (file->f_op->write || file->f_op->write_iter)
		file->f_mode |= FMODE_CAN_WRITE;
	if (!file->f_op->llseek)
		file->f_mode &= ~FMODE_LSEEK;
}

/* What the file's operations need, before the module's open() runs. */
static int prepare(struct file_node *node, struct file *file)
{
	int error = check_rights(node, file->f_mode);

	if (error)
		return error;
	error = security_inode_permission(&node->inode, MAY_OPEN | mask_of(file));
	if (error)
		return error;
	if (S_ISDIR(node->inode.i_mode))
		return -EISDIR;
	file->f_op = node->made;
	if (node->is_device)
		file->f_op = device_operations(&node->inode, file);
	else
		file->f_mode |= FMODE_ATOMIC_POS;
	if (IS_ERR(file->f_op)) {
		error = (int)PTR_ERR(file->f_op);
		file->f_op = NULL;
		return error;
	}
	if (!file->f_op || !try_module_get(file->f_op->owner)) {
		file->f_op = NULL;
		return -ENXIO;
	}
	set_abilities(file);
	return 0;
}

/* The owners of the device and of the operations, which may be others than at the beginning. */
static void put_owners(struct file *file)
{
	if (file->f_op)
		module_put(file->f_op->owner);
	module_put(file->usermm_driver);
}

/* A security module may still refuse the file. */
static struct file *opened(struct file *file)
{
	int error = security_file_post_open(file, MAY_OPEN | mask_of(file));

	if (!error)
		return file;
	file_put(file);
	return ERR_PTR(error);
}

struct file *file_open(struct file_node *node, unsigned int flags)
{
	struct file *file = new_file(&(const struct path){ .dentry = &node->dentry },
				     &node->inode, flags);
	long error;

	if (!file)
		return ERR_PTR(-ENOMEM);
	error = security_file_alloc(file);
	if (error) {
		free_file(file);
		return ERR_PTR(error);
	}
	files_lock();
	node->users++;
	files_unlock();
	error = prepare(node, file) ?: security_file_open(file);
	if (!error && operation_begin(file, &error)) {
		error = file->f_op->open ? file->f_op->open(&node->inode, file) : 0;
		operation_end(file);
		if (!error)
			return opened(file);
	}
	put_owners(file);
	security_file_free(file);
	node_put(node);
	free_file(file);
	return ERR_PTR(error);
}

/* A file of a mounted file system, with f_op and its owner. 0 or -errno, with nothing to undo. */
static int open_at_path(struct file *file, const struct path *path)
{
	int error;

	if (!try_module_get(file->f_inode->i_fop->owner))
		return -ENXIO;
	file->f_op = file->f_inode->i_fop;
	set_abilities(file);
	path_get(path);
	error = security_file_open(file);
	if (!error && file->f_op->open)
		error = file->f_op->open(file->f_inode, file);
	if (!error)
		return 0;
	path_put(path);
	put_owners(file);
	return error;
}

struct file *file_open_path(const struct path *path, unsigned int flags)
{
	struct file *file = new_file(path, d_inode(path->dentry), flags);
	int error;

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->f_mode |= FMODE_ATOMIC_POS;
	error = security_file_alloc(file);
	if (!error) {
		error = open_at_path(file, path);
		if (!error)
			return opened(file);
		security_file_free(file);
	}
	free_file(file);
	return ERR_PTR(error);
}

void file_get(struct file *file)
{
	files_lock();
	file->usermm_users++;
	files_unlock();
}

/*
 * release() also runs for a node that was removed, since nobody else frees what open() took. In
 * Linux remove_proc_entry() calls it at once. Here it runs later, while the module is still loaded.
 */
static void release(struct file *file)
{
	long error;
	bool held = operation_begin(file, &error);

	security_file_release(file);
	file_unmap_all(file);
	if (file->f_flags & FASYNC && file->f_op->fasync)
		file->f_op->fasync(-1, file, 0);
	if (file->f_op->flush)
		file->f_op->flush(file, NULL);
	if (file->f_op->release)
		file->f_op->release(file->f_inode, file);
	if (held)
		operation_end(file);
	put_owners(file);
	security_file_free(file);
	if (file->f_path.dentry->d_sb)
		path_put(&file->f_path);
	else
		node_put(node_of(file));
	free_file(file);
}

void file_put(struct file *file)
{
	bool last;

	files_lock();
	last = !--file->usermm_users;
	files_unlock();
	if (last && file->usermm_fd >= 0)
		real_file_close(file);
	else if (last)
		release(file);
}

static ssize_t by_iterator(struct file *file, char __user *buffer, size_t n, loff_t *pos,
			   bool reads)
{
	struct kiocb kiocb = { .ki_filp = file, .ki_pos = pos ? *pos : 0 };
	struct iov_iter iter;
	ssize_t done;

	if (file->f_flags & O_NONBLOCK)
		kiocb.ki_flags |= IOCB_NOWAIT;
	if (file->f_flags & O_APPEND)
		kiocb.ki_flags |= IOCB_APPEND;
	iov_iter_ubuf(&iter, reads ? ITER_DEST : ITER_SOURCE, buffer, n);
	done = reads ? file->f_op->read_iter(&kiocb, &iter) : file->f_op->write_iter(&kiocb, &iter);
	if (pos)
		*pos = kiocb.ki_pos;
	return done;
}

static ssize_t transfer(struct file *file, char __user *buffer, size_t n, loff_t *pos, bool reads)
{
	const struct file_operations *op = file->f_op;
	long done;

	if (!(file->f_mode & (reads ? FMODE_READ : FMODE_WRITE)))
		return -EBADF;
	if (!(file->f_mode & (reads ? FMODE_CAN_READ : FMODE_CAN_WRITE)))
		return -EINVAL;
	if ((ssize_t)n < 0)
		return -EINVAL;
	done = security_file_permission(file, reads ? MAY_READ : MAY_WRITE);
	if (done)
		return done;
	n = min_t(size_t, n, MAX_BYTES);
	if (!operation_begin(file, &done))
		return done;
	if (reads && op->read)
		done = op->read(file, buffer, n, pos);
	else if (!reads && op->write)
		done = op->write(file, buffer, n, pos);
	else
		done = by_iterator(file, buffer, n, pos, reads);
	operation_end(file);
	return done;
}

/* pos is NULL, or &file->f_pos, for the file's own position: see vfs_read() for others. */
static ssize_t transfer_at_position(struct file *file, char __user *buffer, size_t n, bool reads)
{
	bool locks = file->f_mode & FMODE_ATOMIC_POS;
	loff_t pos;
	ssize_t done;

	if (file->f_mode & FMODE_STREAM)
		return transfer(file, buffer, n, NULL, reads);
	if (locks)
		mutex_lock(&file->f_pos_lock);
	pos = file->f_pos;
	done = transfer(file, buffer, n, &pos, reads);
	if (done >= 0)
		file->f_pos = pos;
	if (locks)
		mutex_unlock(&file->f_pos_lock);
	return done;
}

ssize_t file_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	if (!pos)
		return transfer_at_position(file, buffer, n, true);
	return file->f_mode & FMODE_PREAD ? transfer(file, buffer, n, pos, true) : -ESPIPE;
}

ssize_t file_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	if (!pos)
		return transfer_at_position(file, (char __user *)buffer, n, false);
	return file->f_mode & FMODE_PWRITE ?
	       transfer(file, (char __user *)buffer, n, pos, false) : -ESPIPE;
}

loff_t file_seek(struct file *file, loff_t offset, int whence)
{
	long error;

	if (!(file->f_mode & FMODE_LSEEK))
		return -ESPIPE;
	if (whence < SEEK_SET || whence > SEEK_END)
		return -EINVAL;
	if (!operation_begin(file, &error))
		return error;
	mutex_lock(&file->f_pos_lock);
	offset = file->f_op->llseek(file, offset, whence);
	mutex_unlock(&file->f_pos_lock);
	operation_end(file);
	return offset;
}

long file_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long result;

	if (command == FIONBIO || command == FIOASYNC || command == FIOCLEX || command == FIONCLEX)
		return -ENOTTY;		/* the program's side carries these out */
	result = security_file_ioctl(file, command, argument);
	if (result)
		return result;
	if (!file->f_op->unlocked_ioctl)
		return -ENOTTY;
	if (!operation_begin(file, &result))
		return result;
	result = file->f_op->unlocked_ioctl(file, command, argument);
	operation_end(file);
	return result == -ENOIOCTLCMD ? -ENOTTY : result;
}

__poll_t file_poll(struct file *file, struct poll_table_struct *table)
{
	__poll_t mask;
	long error;

	if (!file->f_op->poll)
		return DEFAULT_POLLMASK;
	if (!operation_begin(file, &error))
		return DEFAULT_POLLMASK;
	mask = file->f_op->poll(file, table);
	operation_end(file);
	return mask;
}

bool file_takes_epoll(const struct file *file)
{
	char path[PATH_MAX];

	return file->f_op->poll || file->f_op == &sysfs_binary_operations ||
	       (node_path(node_of(file), path, sizeof(path)) && strstarts(path, PROC_PATH "/"));
}

int file_fsync(struct file *file)
{
	long result;

	if (!file->f_op->fsync)
		return -EINVAL;
	if (!operation_begin(file, &result))
		return (int)result;
	result = file->f_op->fsync(file, 0, LLONG_MAX, 0);
	operation_end(file);
	return (int)result;
}

int file_set_flags(struct file *file, unsigned int flags)
{
	long result = security_file_fcntl(file, F_SETFL, flags);

	if (result)
		return (int)result;
	if (file->f_op->check_flags) {
		result = file->f_op->check_flags((int)flags);
		if (result)
			return (int)result;
	}
	if ((flags ^ file->f_flags) & FASYNC && file->f_op->fasync &&
	    operation_begin(file, &result)) {
		result = file->f_op->fasync(-1, file, (flags & FASYNC) != 0);
		operation_end(file);
	}
	if (result < 0)
		return (int)result;
	spin_lock(&file->f_lock);
	file->f_flags = (flags & FLAGS_TO_SET) | (file->f_flags & ~(unsigned int)FLAGS_TO_SET);
	spin_unlock(&file->f_lock);
	return 0;
}

/* Calls from modules. */

struct file *filp_open(const char *path, int flags, umode_t mode)
{
	struct file_node *node = node_find_target(path);

	if (*path == '/' && node && !node->is_base)
		return file_open(node, (unsigned int)flags);
	return real_file_open(path, flags, mode);
}

int filp_close(struct file *file, fl_owner_t id)
{
	(void)id;
	file_put(file);
	return 0;
}

void fput(struct file *file)
{
	file_put(file);
}

struct file *get_file(struct file *file)
{
	file_get(file);
	return file;
}

ssize_t vfs_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return transfer(file, buffer, n, pos, true);
}

ssize_t vfs_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return transfer(file, (char __user *)buffer, n, pos, false);
}

ssize_t usermm_kernel_read(struct file *file, void *buffer, size_t n, loff_t *pos)
{
	struct user_memory *user = user_memory_set(NULL);
	ssize_t done = transfer(file, buffer, n, pos, true);

	user_memory_set(user);
	return done;
}

ssize_t usermm_kernel_write(struct file *file, const void *buffer, size_t n, loff_t *pos)
{
	struct user_memory *user = user_memory_set(NULL);
	ssize_t done = transfer(file, (void *)buffer, n, pos, false);

	user_memory_set(user);
	return done;
}

loff_t vfs_llseek(struct file *file, loff_t offset, int whence)
{
	return file_seek(file, offset, whence);
}

int vfs_fsync(struct file *file, int datasync)
{
	(void)datasync;
	return file_fsync(file);
}

char *file_path(struct file *file, char *buffer, int size)
{
	return d_path(&file->f_path, buffer, size);
}
