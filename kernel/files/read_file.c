// SPDX-License-Identifier: MIT
/* Whole files into memory. cf. Linux fs/kernel_read_file.c. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kernel_read_file.h>

/* Reads until n bytes are there, or the file ends. */
static ssize_t read_all(struct file *file, loff_t offset, char *buffer, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t now = kernel_read(file, buffer + done, n - done, &offset);

		if (now < 0)
			return now;
		if (!now)
			return -EIO;		/* it was larger a moment ago */
		done += (size_t)now;
	}
	return (ssize_t)done;
}

ssize_t kernel_read_file(struct file *file, loff_t offset, void **buffer, size_t most,
			 size_t *size, enum kernel_read_file_id id)
{
	loff_t all = i_size_read(file_inode(file));
	void *fresh = NULL;
	ssize_t done;
	size_t n;

	(void)id;
	if (!S_ISREG(file_inode(file)->i_mode) || all <= 0 || offset < 0 || offset >= all)
		return -EINVAL;
	if ((u64)(all - offset) > most && !size)
		return -EFBIG;
	if (size)
		*size = (size_t)all;
	n = min_t(size_t, (size_t)(all - offset), min_t(size_t, most, INT_MAX));
	if (!*buffer)
		*buffer = fresh = vmalloc((unsigned long)all);
	if (!*buffer)
		return -ENOMEM;
	done = read_all(file, offset, *buffer, n);
	if (done < 0 && fresh) {
		vfree(fresh);
		*buffer = NULL;
	}
	return done;
}

ssize_t kernel_read_file_from_path(const char *path, loff_t offset, void **buffer, size_t most,
				   size_t *size, enum kernel_read_file_id id)
{
	struct file *file = path && *path ? filp_open(path, O_RDONLY, 0) : ERR_PTR(-EINVAL);
	ssize_t done;

	if (IS_ERR(file))
		return PTR_ERR(file);
	done = kernel_read_file(file, offset, buffer, most, size, id);
	fput(file);
	return done;
}
