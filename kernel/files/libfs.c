// SPDX-License-Identifier: MIT
/* Operations that many files share. cf. Linux fs/libfs.c, fs/read_write.c and fs/open.c. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

int simple_open(struct inode *inode, struct file *file)
{
	if (inode->i_private)
		file->private_data = inode->i_private;
	return 0;
}

int nonseekable_open(struct inode *inode, struct file *file)
{
	(void)inode;
	file->f_mode &= ~(FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE);
	return 0;
}

int stream_open(struct inode *inode, struct file *file)
{
	(void)inode;
	file->f_mode &= ~(FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE | FMODE_ATOMIC_POS);
	file->f_mode |= FMODE_STREAM;
	return 0;
}

int generic_file_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return 0;
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	(void)offset;
	(void)whence;
	return file->f_pos;
}

loff_t no_llseek(struct file *file, loff_t offset, int whence)
{
	(void)file;
	(void)offset;
	(void)whence;
	return -ESPIPE;
}

loff_t fixed_size_llseek(struct file *file, loff_t offset, int whence, loff_t size)
{
	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		offset += file->f_pos;
		break;
	case SEEK_END:
		offset += size;
		break;
	default:
		return -EINVAL;
	}
	if (offset < 0 || (size && offset > size))
		return -EINVAL;
	return file->f_pos = offset;
}

loff_t no_seek_end_llseek_size(struct file *file, loff_t offset, int whence, loff_t size)
{
	return whence == SEEK_END ? -EINVAL : fixed_size_llseek(file, offset, whence, size);
}

loff_t no_seek_end_llseek(struct file *file, loff_t offset, int whence)
{
	return no_seek_end_llseek_size(file, offset, whence, 0);
}

/* Beyond the end is allowed. */
loff_t default_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_END) {
		offset += i_size_read(file->f_inode);
		whence = SEEK_SET;
	}
	return fixed_size_llseek(file, offset, whence, 0);
}

loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
{
	return default_llseek(file, offset, whence);
}

ssize_t simple_read_from_buffer(void __user *to, size_t n, loff_t *pos, const void *from,
				size_t available)
{
	size_t left;

	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available || !n)
		return 0;
	n = min(n, available - (size_t)*pos);
	left = copy_to_user(to, (const char *)from + *pos, n);
	if (left == n)
		return -EFAULT;
	*pos += (loff_t)(n - left);
	return (ssize_t)(n - left);
}

ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos,
			       const void __user *from, size_t n)
{
	size_t left;

	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available || !n)
		return 0;
	n = min(n, available - (size_t)*pos);
	left = copy_from_user((char *)to + *pos, from, n);
	if (left == n)
		return -EFAULT;
	*pos += (loff_t)(n - left);
	return (ssize_t)(n - left);
}

ssize_t memory_read_from_buffer(void *to, size_t n, loff_t *pos, const void *from,
				size_t available)
{
	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available)
		return 0;
	n = min(n, available - (size_t)*pos);
	memcpy(to, (const char *)from + *pos, n);
	*pos += (loff_t)n;
	return (ssize_t)n;
}

#define NUMBER_BYTES 24		/* the longest number of 64 bits, with its end */

struct simple_attr {
	int (*get)(void *data, u64 *value);
	int (*set)(void *data, u64 value);
	void *data;
	const char *format;
	char text[2 * NUMBER_BYTES];	/* made by a read from the beginning */
	struct mutex mutex;
};

int simple_attr_open(struct inode *inode, struct file *file, int (*get)(void *, u64 *),
		     int (*set)(void *, u64), const char *format)
{
	struct simple_attr *attr = kzalloc(sizeof(*attr), GFP_KERNEL);

	if (!attr)
		return -ENOMEM;
	attr->get = get;
	attr->set = set;
	attr->data = inode->i_private;
	attr->format = format;
	mutex_init(&attr->mutex);
	file->private_data = attr;
	return nonseekable_open(inode, file);
}

int simple_attr_release(struct inode *inode, struct file *file)
{
	(void)inode;
	kfree(file->private_data);
	return 0;
}

static int make_text(struct simple_attr *attr)
{
	u64 value;
	int error = attr->get(attr->data, &value);

	if (!error)
		scnprintf(attr->text, sizeof(attr->text), attr->format,
			  (unsigned long long)value);
	return error;
}

ssize_t simple_attr_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct simple_attr *attr = file->private_data;
	ssize_t done = 0;

	if (!attr->get)
		return -EACCES;
	done = mutex_lock_interruptible(&attr->mutex);
	if (done)
		return done;
	if (!*pos || !attr->text[0])
		done = make_text(attr);
	if (!done)
		done = simple_read_from_buffer(buffer, n, pos, attr->text, strlen(attr->text));
	mutex_unlock(&attr->mutex);
	return done;
}

static ssize_t write_number(struct file *file, const char __user *buffer, size_t n,
			    bool is_signed)
{
	struct simple_attr *attr = file->private_data;
	char text[NUMBER_BYTES] = "";
	unsigned long long value;
	long long number;
	int error;

	if (!attr->set)
		return -EACCES;
	if (copy_from_user(text, buffer, min(sizeof(text) - 1, n)))
		return -EFAULT;
	if (is_signed) {
		error = kstrtoll(text, 0, &number);
		value = (unsigned long long)number;
	} else {
		error = kstrtoull(text, 0, &value);
	}
	if (error)
		return error;
	mutex_lock(&attr->mutex);
	error = attr->set(attr->data, value);
	mutex_unlock(&attr->mutex);
	return error ? error : (ssize_t)n;
}

ssize_t simple_attr_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	(void)pos;
	return write_number(file, buffer, n, false);
}

ssize_t simple_attr_write_signed(struct file *file, const char __user *buffer, size_t n,
				 loff_t *pos)
{
	(void)pos;
	return write_number(file, buffer, n, true);
}

int noop_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	(void)file;
	(void)start;
	(void)end;
	(void)datasync;
	return 0;
}

long compat_ptr_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	return file->f_op->unlocked_ioctl ?
	       file->f_op->unlocked_ioctl(file, command, (u32)argument) : -ENOIOCTLCMD;
}

ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *to, loff_t *pos,
			       size_t n, unsigned int flags)
{
	(void)pipe;
	(void)to;
	(void)pos;
	(void)n;
	(void)flags;
	return -EINVAL;
}

ssize_t copy_splice_read(struct file *from, loff_t *pos, struct pipe_inode_info *pipe, size_t n,
			 unsigned int flags)
{
	(void)from;
	(void)pos;
	(void)pipe;
	(void)n;
	(void)flags;
	return -EINVAL;
}
