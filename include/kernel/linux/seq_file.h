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
	size_t pad_until;
	loff_t index;
	loff_t read_pos;
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
#define seq_user_ns(m) (&init_user_ns)
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

void *__seq_open_private(struct file *file, const struct seq_operations *operations, int size)
	USERMM_API(__seq_open_private);
int seq_open_private(struct file *file, const struct seq_operations *operations, int size)
	USERMM_API(seq_open_private);
int seq_release_private(struct inode *inode, struct file *file) USERMM_API(seq_release_private);
int single_open_size(struct file *file, int (*show)(struct seq_file *, void *), void *data,
		     size_t size) USERMM_API(single_open_size);
void seq_put_decimal_ull(struct seq_file *m, const char *delimiter, unsigned long long number)
	USERMM_API(seq_put_decimal_ull);
void seq_put_decimal_ll(struct seq_file *m, const char *delimiter, long long number)
	USERMM_API(seq_put_decimal_ll);
void seq_put_hex_ll(struct seq_file *m, const char *delimiter, unsigned long long number,
		    unsigned int width) USERMM_API(seq_put_hex_ll);
void seq_pad(struct seq_file *m, char c) USERMM_API(seq_pad);
void seq_escape_str(struct seq_file *m, const char *text, unsigned int flags,
		    const char *characters) USERMM_API(seq_escape_str);
/* Entries by number, for start() and next(); NULL behind the last one. */
struct list_head *seq_list_start(struct list_head *head, loff_t pos) USERMM_API(seq_list_start);
struct list_head *seq_list_start_head(struct list_head *head, loff_t pos)
	USERMM_API(seq_list_start_head);
struct list_head *seq_list_next(void *v, struct list_head *head, loff_t *pos)
	USERMM_API(seq_list_next);
struct hlist_node *seq_hlist_start(struct hlist_head *head, loff_t pos)
	USERMM_API(seq_hlist_start);
struct hlist_node *seq_hlist_start_head(struct hlist_head *head, loff_t pos)
	USERMM_API(seq_hlist_start_head);
struct hlist_node *seq_hlist_next(void *v, struct hlist_head *head, loff_t *pos)
	USERMM_API(seq_hlist_next);

/* Lines as print_hex_dump() has them. */
void seq_hex_dump(struct seq_file *m, const char *prefix, int prefix_type, int rowsize,
		  int groupsize, const void *data, size_t length, bool ascii)
	USERMM_API(seq_hex_dump);

USERMM_END_DECLS

#define seq_list_start_rcu(head, pos) seq_list_start(head, pos)
#define seq_list_next_rcu(v, head, pos) seq_list_next(v, head, pos)
#define seq_hlist_start_rcu(head, pos) seq_hlist_start(head, pos)
#define seq_hlist_next_rcu(v, head, pos) seq_hlist_next(v, head, pos)
#define seq_escape(m, text, characters) seq_escape_str(m, text, 0, characters)

static inline void seq_setwidth(struct seq_file *m, size_t size)
{
	m->pad_until = m->count + size;
}

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
