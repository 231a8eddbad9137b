// SPDX-License-Identifier: MIT
/*
 * seq_file: files whose text is made by functions. The whole text is made in a buffer that doubles
 * until the text fits. Only the module itself, or a test of it, opens the module's files.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define FIRST_SIZE 4096

char usermm_proc_entry;
char usermm_debugfs_entry;

void seq_vprintf(struct seq_file *m, const char *format, va_list args)
{
	int length;

	if (m->count >= m->size)
		return;
	length = vsnprintf(m->buf + m->count, m->size - m->count, format, args);
	m->count = m->count + (size_t)length < m->size ? m->count + (size_t)length : m->size;
}

void seq_printf(struct seq_file *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	seq_vprintf(m, format, args);
	va_end(args);
}

int seq_write(struct seq_file *m, const void *data, size_t n)
{
	if (m->count + n >= m->size) {
		m->count = m->size;
		return -1;
	}
	memcpy(m->buf + m->count, data, n);
	m->count += n;
	return 0;
}

void seq_puts(struct seq_file *m, const char *text)
{
	seq_write(m, text, strlen(text));
}

void seq_putc(struct seq_file *m, char c)
{
	seq_write(m, &c, 1);
}

int seq_open(struct file *file, const struct seq_operations *operations)
{
	struct seq_file *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	mutex_init(&m->lock);
	m->op = operations;
	m->file = file;
	file->private_data = m;
	return 0;
}

int seq_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	(void)inode;
	kvfree(m->buf);
	kfree(m);
	return 0;
}

static void *single_start(struct seq_file *m, loff_t *pos)
{
	(void)m;
	return *pos ? NULL : SEQ_START_TOKEN;
}

static void *single_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)m;
	(void)v;
	++*pos;
	return NULL;
}

static void single_stop(struct seq_file *m, void *v)
{
	(void)m;
	(void)v;
}

int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data)
{
	struct seq_operations *operations = kzalloc(sizeof(*operations), GFP_KERNEL);
	int error;

	if (!operations)
		return -ENOMEM;
	operations->start = single_start;
	operations->next = single_next;
	operations->stop = single_stop;
	operations->show = show;
	error = seq_open(file, operations);
	if (error)
		kfree(operations);
	else
		((struct seq_file *)file->private_data)->private = data;
	return error;
}

int single_release(struct inode *inode, struct file *file)
{
	const struct seq_operations *operations = ((struct seq_file *)file->private_data)->op;
	int error = seq_release(inode, file);

	kfree(operations);
	return error;
}

static int show_all(struct seq_file *m)
{
	loff_t pos = 0;
	void *v = m->op->start(m, &pos);
	int error = 0;

	m->count = 0;
	while (v && !IS_ERR(v)) {
		size_t before = m->count;

		error = m->op->show(m, v);
		if (error < 0 || seq_has_overflowed(m))
			break;
		if (error == SEQ_SKIP)
			m->count = before;
		v = m->op->next(m, v, &pos);
	}
	m->op->stop(m, v);
	if (IS_ERR(v))
		return (int)PTR_ERR(v);
	return error < 0 ? error : 0;
}

/* Makes the whole text, in a buffer that is large enough. */
static int fill(struct seq_file *m)
{
	for (;;) {
		int error;

		if (!m->buf) {
			m->size = m->size ? 2 * m->size : FIRST_SIZE;
			m->buf = kvmalloc(m->size, GFP_KERNEL);
			if (!m->buf)
				return -ENOMEM;
		}
		error = show_all(m);
		if (error || !seq_has_overflowed(m))
			return error;
		kvfree(m->buf);
		m->buf = NULL;
	}
}

/* A read from the beginning makes the text again. */
ssize_t seq_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	ssize_t copied = 0;

	mutex_lock(&m->lock);
	if (!*pos || !m->buf)
		copied = fill(m);
	if (!copied)
		copied = simple_read_from_buffer(buffer, n, pos, m->buf, m->count);
	mutex_unlock(&m->lock);
	return copied;
}

loff_t seq_lseek(struct file *file, loff_t offset, int whence)
{
	return default_llseek(file, offset, whence);
}

loff_t noop_llseek(struct file *file, loff_t offset, int whence)
{
	(void)offset;
	(void)whence;
	return file->f_pos;
}

loff_t default_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == 1)
		offset += file->f_pos;
	else if (whence != 0)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	return file->f_pos = offset;
}

ssize_t simple_read_from_buffer(void __user *to, size_t n, loff_t *pos, const void *from,
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

ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos,
			       const void __user *from, size_t n)
{
	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available)
		return 0;
	n = min(n, available - (size_t)*pos);
	memcpy((char *)to + *pos, from, n);
	*pos += (loff_t)n;
	return (ssize_t)n;
}
