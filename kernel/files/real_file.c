// SPDX-License-Identifier: MIT
/* The machine's own files, for filp_open(): with the rights of this process, and its errors. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "files.h"

int (open)(const char *path, int flags, ...);

static ssize_t result_of(ssize_t result)
{
	return result < 0 ? -errno : result;
}

static ssize_t real_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return result_of(pos ? pread(file->usermm_fd, buffer, n, *pos) :
			       read(file->usermm_fd, buffer, n));
}

static ssize_t real_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return result_of(pos && !(file->f_flags & O_APPEND) ?
			 pwrite(file->usermm_fd, buffer, n, *pos) :
			 write(file->usermm_fd, buffer, n));
}

/* Pipes and the like have no position. */
static ssize_t real_read_at(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	ssize_t done = real_read(file, buffer, n, pos);

	if (done == -ESPIPE)
		done = real_read(file, buffer, n, NULL);
	if (done > 0 && pos)
		*pos += done;
	return done;
}

static ssize_t real_write_at(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	ssize_t done = real_write(file, buffer, n, pos);

	if (done == -ESPIPE)
		done = real_write(file, buffer, n, NULL);
	if (done > 0 && pos)
		*pos += done;
	return done;
}

static loff_t real_seek(struct file *file, loff_t offset, int whence)
{
	loff_t pos = whence == SEEK_CUR ? file->f_pos + offset :
					  result_of(lseek(file->usermm_fd, offset, whence));

	return pos < 0 ? pos : (file->f_pos = pos);
}

static int real_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	(void)start, (void)end, (void)datasync;
	return (int)result_of(fsync(file->usermm_fd));
}

static const struct file_operations real_operations = {
	.read = real_read_at, .write = real_write_at, .llseek = real_seek, .fsync = real_fsync,
};

/* A file of the machine's has a node of its own, outside of the tree. */
struct real_file {
	struct file file;
	struct file_node node;
	char name[NAME_MAX + 1];
};

struct file *real_file_open(const char *path, int flags, umode_t mode)
{
	struct real_file *real = calloc(1, sizeof(*real));
	struct stat stat;
	struct file *file;
	int fd;

	if (!real)
		return ERR_PTR(-ENOMEM);
	fd = (open)(path, flags | O_CLOEXEC, mode);
	if (fd < 0) {
		free(real);
		return ERR_PTR(-errno);
	}
	fstat(fd, &stat);
	file = &real->file;
	*file = (struct file){
		.f_op = &real_operations, .f_inode = &real->node.inode,
		.f_path = { .dentry = &real->node.dentry }, .f_flags = (unsigned int)flags,
		.f_mode = FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE | FMODE_CAN_READ |
			  FMODE_CAN_WRITE,
		.f_cred = get_current_cred(), .usermm_users = 1, .usermm_fd = fd,
	};
	file->f_mode |= (flags & O_ACCMODE) == O_WRONLY ? FMODE_WRITE :
			(flags & O_ACCMODE) == O_RDONLY ? FMODE_READ : FMODE_READ | FMODE_WRITE;
	mutex_init(&file->f_pos_lock);
	spin_lock_init(&file->f_lock);
	real->node.is_device = true;
	real->node.dentry.d_parent = &real->node.dentry;
	real->node.dentry.d_inode = &real->node.inode;
	real->node.inode.i_mode = (umode_t)stat.st_mode;
	real->node.inode.i_size = stat.st_size;
	real->node.inode.i_rdev = MKDEV(0, 0);
	real->node.inode.i_ino = stat.st_ino;
	strscpy(real->name, kbasename(path), sizeof(real->name));
	real->node.dentry.d_name = (struct qstr)QSTR_INIT(real->name, (u32)strlen(real->name));
	return file;
}

void real_file_close(struct file *file)
{
	close(file->usermm_fd);
	put_cred(file->f_cred);
	free(container_of(file, struct real_file, file));
}
