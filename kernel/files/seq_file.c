// SPDX-License-Identifier: MIT
/*
 * seq_file: files whose text is made by functions. The whole text is made in a buffer that doubles
 * until the text fits.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define FIRST_SIZE 4096

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
	struct seq_file *m = file->private_data;
	loff_t pos;

	/* The next read from the beginning makes the text again. */
	mutex_lock(&m->lock);
	pos = whence == SEEK_END ? -EINVAL : default_llseek(file, offset, whence);
	mutex_unlock(&m->lock);
	return pos;
}

void *__seq_open_private(struct file *file, const struct seq_operations *operations, int size)
{
	void *private = kzalloc((size_t)size, GFP_KERNEL_ACCOUNT);

	if (!private)
		return NULL;
	if (seq_open(file, operations)) {
		kfree(private);
		return NULL;
	}
	((struct seq_file *)file->private_data)->private = private;
	return private;
}

int seq_open_private(struct file *file, const struct seq_operations *operations, int size)
{
	return __seq_open_private(file, operations, size) ? 0 : -ENOMEM;
}

int seq_release_private(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	kfree(m->private);
	m->private = NULL;
	return seq_release(inode, file);
}

/* The size is a first guess in Linux, too. */
int single_open_size(struct file *file, int (*show)(struct seq_file *, void *), void *data,
		     size_t size)
{
	(void)size;
	return single_open(file, show, data);
}

void seq_put_decimal_ull(struct seq_file *m, const char *delimiter, unsigned long long number)
{
	seq_printf(m, "%s%llu", delimiter ? delimiter : "", number);
}

void seq_put_decimal_ll(struct seq_file *m, const char *delimiter, long long number)
{
	seq_printf(m, "%s%lld", delimiter ? delimiter : "", number);
}

void seq_put_hex_ll(struct seq_file *m, const char *delimiter, unsigned long long number,
		    unsigned int width)
{
	seq_printf(m, "%s%0*llx", delimiter ? delimiter : "", (int)width, number);
}

/* Blanks up to the width that seq_setwidth() set, then the character. */
void seq_pad(struct seq_file *m, char c)
{
	while (m->pad_until > m->count && !seq_has_overflowed(m))
		seq_putc(m, ' ');
	if (c)
		seq_putc(m, c);
}

void seq_escape_str(struct seq_file *m, const char *text, unsigned int flags,
		    const char *characters)
{
	(void)flags;
	for (; *text; text++)
		if (characters && strchr(characters, *text))
			seq_printf(m, "\\%03o", (unsigned char)*text);
		else
			seq_putc(m, *text);
}

static struct list_head *list_at(struct list_head *head, loff_t pos)
{
	struct list_head *entry;

	list_for_each(entry, head)
		if (!pos--)
			return entry;
	return NULL;
}

struct list_head *seq_list_start(struct list_head *head, loff_t pos)
{
	return list_at(head, pos);
}

struct list_head *seq_list_start_head(struct list_head *head, loff_t pos)
{
	return pos ? list_at(head, pos - 1) : head;
}

struct list_head *seq_list_next(void *v, struct list_head *head, loff_t *pos)
{
	struct list_head *next = ((struct list_head *)v)->next;

	++*pos;
	return next == head ? NULL : next;
}

struct hlist_node *seq_hlist_start(struct hlist_head *head, loff_t pos)
{
	struct hlist_node *node = head->first;

	while (node && pos--)
		node = node->next;
	return node;
}

struct hlist_node *seq_hlist_start_head(struct hlist_head *head, loff_t pos)
{
	return pos ? seq_hlist_start(head, pos - 1) : SEQ_START_TOKEN;
}

struct hlist_node *seq_hlist_next(void *v, struct hlist_head *head, loff_t *pos)
{
	++*pos;
	return v == SEQ_START_TOKEN ? head->first : ((struct hlist_node *)v)->next;
}

void seq_hex_dump(struct seq_file *m, const char *prefix, int prefix_type, int rowsize,
		  int groupsize, const void *data, size_t length, bool ascii)
{
	const char *bytes = data;
	char line[32 * 3 + 2 + 32 + 1];

	if (rowsize != 16 && rowsize != 32)
		rowsize = 16;
	for (size_t at = 0; at < length; at += (size_t)rowsize) {
		hex_dump_to_buffer(bytes + at, min(length - at, (size_t)rowsize), rowsize,
				   groupsize, line, sizeof(line), ascii);
		if (prefix_type == DUMP_PREFIX_ADDRESS)
			seq_printf(m, "%s%p: %s\n", prefix, bytes + at, line);
		else if (prefix_type == DUMP_PREFIX_OFFSET)
			seq_printf(m, "%s%.8zx: %s\n", prefix, at, line);
		else
			seq_printf(m, "%s%s\n", prefix, line);
	}
}
