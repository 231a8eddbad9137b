/* SPDX-License-Identifier: MIT */
/* Files whose text is made by functions. */
#ifndef KERNEL_LINUX_SEQ_FILE_H
#define KERNEL_LINUX_SEQ_FILE_H

#include <linux/string_helpers.h>
#include <stdarg.h>

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct seq_operations;

struct seq_file {
	char *buf;
	size_t size;
	size_t count;		/* bytes printed; equal to size: the text did not fit */
	loff_t index;
	struct mutex lock;
	const struct seq_operations *op;
	const struct file *file;
	void *private;
};

struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	int (*show)(struct seq_file *m, void *v);
};

#define SEQ_SKIP 1
#define SEQ_START_TOKEN ((void *)1)

USERMM_BEGIN_DECLS

void seq_vprintf(struct seq_file *m, const char *format, va_list args) USERMM_API(seq_vprintf);
void seq_printf(struct seq_file *m, const char *format, ...) USERMM_API(seq_printf)
	__printf(2, 3);
void seq_puts(struct seq_file *m, const char *text) USERMM_API(seq_puts);
void seq_putc(struct seq_file *m, char c) USERMM_API(seq_putc);
int seq_write(struct seq_file *m, const void *data, size_t n) USERMM_API(seq_write);
int seq_open(struct file *file, const struct seq_operations *operations) USERMM_API(seq_open);
int seq_release(struct inode *inode, struct file *file) USERMM_API(seq_release);
int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data)
	USERMM_API(single_open);
int single_release(struct inode *inode, struct file *file) USERMM_API(single_release);
ssize_t seq_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
	USERMM_API(seq_read);
loff_t seq_lseek(struct file *file, loff_t offset, int whence) USERMM_API(seq_lseek);

USERMM_END_DECLS

static inline bool seq_has_overflowed(struct seq_file *m)
{
	return m->count == m->size;
}

#define DEFINE_SHOW_ATTRIBUTE(name)					\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return single_open(file, name##_show, inode->i_private); \
	}								\
	static const struct file_operations name##_fops __maybe_unused = { \
		.open = name##_open,					\
		.read = seq_read,					\
		.llseek = seq_lseek,					\
		.release = single_release,				\
	}
#define DEFINE_PROC_SHOW_ATTRIBUTE(name)				\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return single_open(file, name##_show, inode->i_private); \
	}								\
	static const struct proc_ops name##_proc_ops __maybe_unused = {	\
		.proc_open = name##_open,				\
		.proc_read = seq_read,					\
		.proc_lseek = seq_lseek,				\
		.proc_release = single_release,				\
	}
#define DEFINE_SEQ_ATTRIBUTE(name)					\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return seq_open(file, &name##_sops);			\
	}								\
	static const struct file_operations name##_fops __maybe_unused = { \
		.open = name##_open,					\
		.read = seq_read,					\
		.llseek = seq_lseek,					\
		.release = seq_release,					\
	}

#endif
